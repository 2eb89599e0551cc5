//go:build unix

package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

// patience is how long a demo may take that takes a minute on an idle machine.
const patience = 10 * time.Minute

// show runs a script until its end and returns its exit code and what it has printed. It calls seen for every line, with
// a function that does what ^C in a terminal does. Nothing may be left of it.
func show(t *testing.T, seen func(line string, interrupt func()), script ...string) (code int, printed string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	dir, err := os.MkdirTemp("", "demo-") // short, since the paths of sockets cannot be long
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	command := exec.CommandContext(ctx, "bash", script...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "KUBECONFIG=") })
	command.Env = append(command.Env, "TMPDIR="+dir)
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	require.NoError(t, command.Start())
	ended := make(chan error, 1)
	go func() {
		err := command.Wait()
		ended <- errors.Join(err, writer.Close())
	}()
	var all strings.Builder
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		seen(lines.Text(), func() { assert.NoError(t, syscall.Kill(-command.Process.Pid, syscall.SIGINT)) })
	}
	require.NoError(t, lines.Err())
	var exit *exec.ExitError
	if err := <-ended; err != nil {
		require.ErrorAs(t, err, &exit, all.String())
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left, "files")
	assert.Empty(t, processes(dir), "processes")
	return command.ProcessState.ExitCode(), all.String()
}

// processes are those whose arguments, variables or mounts have a folder in them, where that can be seen.
func processes(dir string) []string {
	found := map[string]bool{}
	for _, what := range []string{"cmdline", "environ", "mountinfo"} {
		files, _ := filepath.Glob("/proc/[0-9]*/" + what) // the pattern is right
		for _, file := range files {
			content, _ := os.ReadFile(file) // it may have ended
			if bytes.Contains(content, []byte(dir)) {
				name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
				found[filepath.Base(filepath.Dir(file))+" "+strings.TrimSpace(string(name))] = true
			}
		}
	}
	var all []string
	for process := range found {
		all = append(all, process)
	}
	return all
}

func nothing(string, func()) {}

// needs leaves a demo out where it cannot run.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a cluster, and this is a short run")
	}
	for _, program := range programs {
		require.FileExists(t, filepath.Join("..", "..", "bin", program), `"make demo" and "make demo-operator" build it`)
	}
}

func TestDemo(t *testing.T) {
	needs(t, "cluster", "pulumi", "pulumi-resource-k8sconnect")
	code, printed := show(t, nothing, "demo.sh")
	assert.Zero(t, code, printed)
	assert.Contains(t, printed, "=== Done")
}

func TestDemoOfTheOperator(t *testing.T) {
	needs(t, "cluster", "operator-image.tar")
	if err := kubelet.Supported(); err != nil {
		t.Skip(err)
	}
	t.Run("every step holds", func(t *testing.T) {
		code, printed := show(t, nothing, "operator.sh")
		assert.Zero(t, code, printed)
		assert.Contains(t, printed, "=== Done")
	})
	t.Run("^C while a program runs leaves nothing, either", func(t *testing.T) {
		interrupted := false
		code, printed := show(t, func(line string, interrupt func()) {
			if !interrupted && strings.HasPrefix(line, "$ kubectl wait environment/shop") {
				interrupted = true
				interrupt()
			}
		}, "operator.sh")
		assert.Equal(t, 128+int(syscall.SIGINT), code, printed)
		assert.Contains(t, printed, `Stopped at "2. A team gets an Environment"`)
	})
}

// TestStage tells little stories, without a cluster.
func TestStage(t *testing.T) {
	const begin = `set -euo pipefail; work=$(mktemp -d); source stage.sh; leave_nothing_behind; title "1. Try"; `
	for name, c := range map[string]struct {
		story    string
		code     int
		expected []string
		missing  string
	}{
		"what holds is shown": {
			story: `run echo "it is" so; expect "it is so"; echo over`, expected: []string{"=== 1. Try\n", "$ echo 'it is' so\nit is so\n", "over\n"}, missing: "Stopped",
		},
		"what does not hold ends it": {
			story: `run echo "it is"; expect "it is so"; echo over`, code: 1,
			expected: []string{"This should have been in the output above: it is so\n", `Stopped at "1. Try" (exit code 1).`}, missing: "over",
		},
		"a command that fails ends it": {
			story: `run false; echo over`, code: 1, expected: []string{`Stopped at "1. Try" (exit code 1).`}, missing: "over",
		},
		"a demo cleans up once, knowing how it ended": {
			story: `clean_up() { echo "ended with $1"; }; exit 7`, code: 7, expected: []string{"ended with 7\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, printed := show(t, nothing, "-c", begin+c.story)
			assert.Equal(t, c.code, code, printed)
			for _, text := range c.expected {
				assert.Equal(t, 1, strings.Count(printed, text), "%q in %s", text, printed)
			}
			if c.missing != "" {
				assert.NotContains(t, printed, c.missing)
			}
		})
	}
	t.Run("^C cleans up whenever the shell notices it", func(t *testing.T) {
		for range 20 {
			code, printed := show(t, func(line string, interrupt func()) {
				if strings.HasPrefix(line, "$ sleep") {
					interrupt()
				}
			}, "-c", begin+`clean_up() { echo "ended with $1"; }; run sleep 5`)
			require.Equal(t, 128+int(syscall.SIGINT), code, printed)
			require.Equal(t, 1, strings.Count(printed, "ended with 130\n"), printed)
		}
	})
}

//go:build linux && node

package node

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// stack is a project with one stack, and a namespace for its objects.
type stack struct {
	cluster *cluster.Cluster
	space   string
	dir     string
	backend string
	project string
	env     map[string]string
}

var (
	projects          atomic.Int32
	notInProjectNames = regexp.MustCompile(`[^a-z0-9]+`)
	// fromPath is the CLI's remark about every plugin on the PATH.
	fromPath = regexp.MustCompile(`(?m)^.*warning: using pulumi-\S+ from \$PATH at .*\n+`)
)

func newStack(t *testing.T) *stack {
	t.Helper()
	c := realNode(t)
	name := notInProjectNames.ReplaceAllString(strings.ToLower(t.Name()), "-")
	s := &stack{
		cluster: c, space: c.Namespace(t), dir: t.TempDir(), backend: t.TempDir(),
		project: fmt.Sprintf("%.40s-%d", strings.TrimPrefix(name, "test"), projects.Add(1)),
	}
	s.env = tools.Environment(s.backend, c.KubeconfigFile())
	s.env["PULUMI_STACK"] = cli.StackName
	s.program(t, "")
	s.run(t, "stack", "init", cli.StackName)
	return s
}

// program replaces the program: $NS is the namespace.
func (s *stack) program(t *testing.T, text string) {
	t.Helper()
	text = "name: " + s.project + "\nruntime: yaml\n" + strings.ReplaceAll(text, "$NS", s.space)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "Pulumi.yaml"), []byte(text), 0o600))
}

// command runs a command and returns what it printed and its exit code.
func (s *stack) command(t *testing.T, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := tools.Command(ctx, s.dir, s.env, args...)
	out, _ := cmd.CombinedOutput() // the exit code says it
	return fromPath.ReplaceAllString(string(out), ""), cmd.ProcessState.ExitCode()
}

// run wants that the command succeeds.
func (s *stack) run(t *testing.T, args ...string) string {
	t.Helper()
	out, code := s.command(t, args...)
	require.Zero(t, code, "pulumi %s\n%s", args, out)
	return out
}

// fails wants that it fails by itself.
func (s *stack) fails(t *testing.T, args ...string) string {
	t.Helper()
	out, code := s.command(t, args...)
	require.Positive(t, code, "pulumi %s\n%s", args, out)
	return out
}

// running is a command that goes on.
type running struct {
	cmd   *exec.Cmd
	out   bytes.Buffer
	ended chan error
}

// start starts a command and does not wait for its end.
func (s *stack) start(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	r := &running{cmd: tools.Command(ctx, s.dir, s.env, args...), ended: make(chan error, 1)}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	require.NoError(t, r.cmd.Start())
	done := make(chan struct{})
	go func() {
		r.ended <- r.cmd.Wait()
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return r
}

// goesOn wants that the command has not ended.
func (r *running) goesOn(t *testing.T) {
	t.Helper()
	select {
	case err := <-r.ended:
		require.FailNow(t, "it has ended", "%v\n%s", err, &r.out)
	default:
	}
}

// succeeds wants that the command ends well.
func (r *running) succeeds(t *testing.T) {
	t.Helper()
	require.NoError(t, <-r.ended, "%s", &r.out)
}

// fails wants that the command ends badly, and returns what it has printed.
func (r *running) fails(t *testing.T) string {
	t.Helper()
	require.Error(t, <-r.ended, "%s", &r.out)
	return r.out.String()
}

func (s *stack) up(t *testing.T) string { t.Helper(); return s.run(t, "up", "--yes", "--skip-preview") }

func (s *stack) upFails(t *testing.T) string {
	t.Helper()
	return s.fails(t, "up", "--yes", "--skip-preview")
}

func (s *stack) previewEmpty(t *testing.T) {
	t.Helper()
	s.run(t, "preview", "--diff", "--expect-no-changes")
}

func (s *stack) destroy(t *testing.T) string {
	t.Helper()
	return s.run(t, "destroy", "--yes", "--skip-preview")
}

// kubectl runs kubectl in the namespace and returns what it printed.
func (s *stack) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.tryKubectl(t, args...)
	require.NoError(t, err, "kubectl %s\n%s", args, out)
	return out
}

// tryKubectl runs kubectl in the namespace, whatever it comes to. What it printed is its error output if it fails.
func (s *stack) tryKubectl(t *testing.T, args ...string) (string, error) {
	t.Helper()
	path, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, append([]string{"--kubeconfig=" + s.cluster.KubeconfigFile(), "--namespace=" + s.space}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return said.String(), err
	}
	return strings.TrimSpace(string(out)), nil
}

// eventually waits for what kubectl prints.
func (s *stack) eventually(t *testing.T, want string, args ...string) {
	t.Helper()
	require.Eventually(t, func() bool { return s.kubectl(t, args...) == want }, patience, 200*time.Millisecond, "kubectl %s", args)
}

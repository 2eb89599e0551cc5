package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/sdk/v3/go/auto"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// captured is how much of an output is kept: an exported stack fits, an endless log does not.
const captured = 64 << 20

// command runs the command line. Of the one that comes with the Automation API it differs in how it ends: what is under
// way gets the time that the pod has, not ten seconds, and a run that was overtaken none at all.
type command struct {
	path        string
	version     semver.Version
	grace       time.Duration
	environment []string
}

var _ auto.PulumiCommand = command{}

// findCommand looks for pulumi in PATH.
func findCommand(ctx context.Context, grace time.Duration, environment []string) (command, error) {
	path, err := exec.LookPath("pulumi")
	if err != nil {
		return command{}, fmt.Errorf("the image of the runner has no pulumi in its PATH: %w", err)
	}
	found := command{path: path, grace: grace, environment: environment}
	version, stderr, _, err := found.Run(ctx, "", nil, nil, nil, nil, "version")
	if err != nil {
		return command{}, fmt.Errorf("pulumi version: %w: %s", err, stderr)
	}
	found.version, err = semver.ParseTolerant(strings.TrimSpace(version))
	return found, err
}

// Version is that of the command line.
func (c command) Version() semver.Version { return c.version }

// Run runs pulumi. When the context ends, it is told to end; when it does not within the grace, it is killed.
func (c command) Run(ctx context.Context, folder string, stdin io.Reader, moreOut, moreErr []io.Writer, environment []string, args ...string) (string, string, int, error) {
	if ctx.Err() != nil {
		return "", "", -1, context.Cause(ctx)
	}
	cmd := exec.Command(c.path, append([]string{"--non-interactive"}, args...)...)
	cmd.Dir, cmd.Stdin = folder, stdin
	// What the runner decides comes last, and wins; but a passphrase would win over its file.
	cmd.Env = slices.DeleteFunc(slices.Concat(os.Environ(), environment, c.environment, []string{"PULUMI_AUTOMATION_API=true"}), func(variable string) bool {
		return strings.HasPrefix(variable, "PULUMI_CONFIG_PASSPHRASE=")
	})
	var stdout, stderr bounded
	cmd.Stdout = io.MultiWriter(append(moreOut, &stdout)...)
	cmd.Stderr = io.MultiWriter(append(moreErr, &stderr)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 2 * time.Second // for what it has started and left
	if err := cmd.Start(); err != nil {
		return "", "", -1, err
	}
	ended := make(chan struct{})
	go c.supervise(ctx, cmd.Process, ended)
	err := cmd.Wait()
	close(ended)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), err
}

// supervise ends a process when its context has ended.
func (c command) supervise(ctx context.Context, process *os.Process, ended <-chan struct{}) {
	kill := func() { _ = syscall.Kill(-process.Pid, syscall.SIGKILL) }
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), state.ErrOvertaken) {
		kill()
		return
	}
	_ = process.Signal(os.Interrupt)
	select {
	case <-ended:
	case <-time.After(c.grace):
		kill()
	}
}

// bounded keeps the beginning of what is written.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(content []byte) (int, error) {
	if room := captured - b.Len(); room < len(content) {
		b.Buffer.Write(content[:max(0, room)])
	} else {
		b.Buffer.Write(content)
	}
	return len(content), nil
}

package e2e

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
)

// children are the processes that the command has started and whose program has this name; all with "".
func (c *command) children(t testing.TB, name string) []int {
	t.Helper()
	table, err := exec.CommandContext(t.Context(), "ps", "-A", "-o", "pid=,ppid=,args=").Output()
	require.NoError(t, err)
	var pids []int
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && fields[1] == strconv.Itoa(c.cmd.Process.Pid) && strings.HasSuffix(fields[2], name) {
			pid, err := strconv.Atoi(fields[0])
			require.NoError(t, err)
			pids = append(pids, pid)
		}
	}
	require.NotEmpty(t, pids, "no %s runs:\n%s", name, table)
	return pids
}

// providers are the processes of the provider: that which is asked for its schema, and that which works.
func (c *command) providers(t testing.TB) []int {
	t.Helper()
	return c.children(t, "pulumi-resource-k8sconnect")
}

// signalAll sends a signal to processes; those that have ended need none.
func signalAll(t testing.TB, pids []int, signal syscall.Signal) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, signal); err != nil {
			require.ErrorIs(t, err, syscall.ESRCH)
		}
	}
}

// signal sends a signal to the CLI, and to nobody else.
func (c *command) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	require.NoError(t, c.cmd.Process.Signal(signal))
}

// stop stops the CLI, until it gets a SIGCONT, and returns when it stands still.
func (c *command) stop(t testing.TB) {
	t.Helper()
	c.signal(t, syscall.SIGSTOP)
	var status syscall.WaitStatus
	_, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped(), "the command has ended")
}

// prints waits until the command has printed a text.
func (c *command) prints(t testing.TB, text string) {
	t.Helper()
	eventually(t, "the command prints "+text, func() bool {
		both, _ := c.printed.texts()
		return strings.Contains(both, text)
	})
}

// kill kills a command of the stack and what it has started, but not in the middle of writing the state, which the
// backend of files does not survive.
func (s *stack) kill(t testing.TB, running *command) {
	t.Helper()
	children := running.children(t, "")
	saved := func() bool {
		whole, err := cli.Saved(s.backend, s.project, s.name)
		require.NoError(t, err)
		return whole
	}
	for running.stop(t); !saved(); running.stop(t) {
		running.signal(t, syscall.SIGCONT)
		time.Sleep(time.Millisecond)
	}
	running.signal(t, syscall.SIGKILL)
	signalAll(t, children, syscall.SIGKILL) // They would notice in five minutes.
}

package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
)

// providers are the processes of the provider: that which is asked for its schema, and that which works.
func (c *command) providers(t testing.TB) []int {
	t.Helper()
	pids, err := cli.Children(t.Context(), c.cmd.Process, "pulumi-resource-k8sconnect")
	require.NoError(t, err)
	return pids
}

// signalAll sends a signal to processes; those that have ended need none.
func signalAll(t testing.TB, pids []int, signal syscall.Signal) {
	t.Helper()
	require.NoError(t, cli.SignalAll(pids, signal))
}

// signal sends a signal to the CLI, and to nobody else.
func (c *command) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	require.NoError(t, c.cmd.Process.Signal(signal))
}

// prints waits until the command has printed a text.
func (c *command) prints(t testing.TB, text string) {
	t.Helper()
	eventually(t, "the command prints "+text, func() bool {
		both, _ := c.printed.texts()
		return strings.Contains(both, text)
	})
}

// kill kills a command of the stack and what it has started, but not in the middle of writing the state.
func (s *stack) kill(t testing.TB, running *command) {
	t.Helper()
	require.NoError(t, cli.Kill(t.Context(), running.cmd.Process, s.backend, s.project, s.name))
}

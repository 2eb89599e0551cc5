//go:build linux && node

package node

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// interruption ends a command in the middle.
type interruption struct {
	name string
	now  func(t *testing.T, s *stack, during *running)
}

var interruptions = []interruption{
	{"the CLI and the provider are killed", func(t *testing.T, s *stack, during *running) {
		t.Helper()
		require.NoError(t, cli.Kill(t.Context(), during.cmd.Process, s.backend, s.project, cli.StackName))
		during.fails(t)
		s.run(t, "cancel", "--yes")
	}},
	{"the provider is killed", func(t *testing.T, _ *stack, during *running) {
		t.Helper()
		providers, err := cli.Children(t.Context(), during.cmd.Process, "pulumi-resource-k8sconnect")
		require.NoError(t, err)
		require.NoError(t, cli.SignalAll(providers, syscall.SIGKILL))
		during.fails(t)
	}},
	{"the user presses ^C", func(t *testing.T, _ *stack, during *running) {
		t.Helper()
		require.NoError(t, during.cmd.Process.Signal(syscall.SIGINT))
		assert.Contains(t, during.fails(t), "[Interrupted]")
	}},
}

// losing returns the kubeconfig of a proxy in front of the API server, which loses the replies to requests that make Jobs until
// it is healed.
func losing(t *testing.T, c *cluster.Cluster) (kubeconfig string, lost *atomic.Int32, heal func()) {
	t.Helper()
	proxy, err := c.Admin().ReverseProxy()
	require.NoError(t, err)
	lost, healed := &atomic.Int32{}, &atomic.Bool{}
	proxy.ModifyResponse = func(reply *http.Response) error {
		if !healed.Load() && reply.Request.Method == http.MethodPatch && strings.Contains(reply.Request.URL.Path, "/jobs/") {
			lost.Add(1)
			panic(http.ErrAbortHandler)
		}
		return nil
	}
	server := httptest.NewTLSServer(proxy)
	t.Cleanup(server.Close)
	text, err := cluster.User{
		Name: "through-the-proxy", Host: server.URL, Token: "the-proxy-has-the-credentials",
		CACertificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}.Kubeconfig()
	require.NoError(t, err)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, text, 0o600))
	return kubeconfig, lost, func() { healed.Store(true) }
}

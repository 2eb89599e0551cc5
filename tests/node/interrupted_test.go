//go:build linux && node

package node

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

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
	transport, err := rest.TransportFor(c.RESTConfig())
	require.NoError(t, err)
	target, err := url.Parse(c.Host())
	require.NoError(t, err)
	lost, healed := &atomic.Int32{}, &atomic.Bool{}
	proxy := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // watches
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Authorization") // the transport sets its own where there is none
		},
		ModifyResponse: func(reply *http.Response) error {
			if !healed.Load() && reply.Request.Method == http.MethodPatch && strings.Contains(reply.Request.URL.Path, "/jobs/") {
				lost.Add(1)
				panic(http.ErrAbortHandler)
			}
			return nil
		},
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

package cluster_test

import (
	"context"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	server "github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared = server.Shared{}

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

// counter counts the requests that leave.
type counter struct {
	mu   sync.Mutex
	seen []string
}

func (c *counter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		c.mu.Lock()
		c.seen = append(c.seen, r.Method+" "+r.URL.Path)
		c.mu.Unlock()
		return next.RoundTrip(r)
	})
}

func (c *counter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.seen
	c.seen = nil
	return seen
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// adminConnection is an administrator inline, with a client certificate.
func adminConnection(t testing.TB) connect.Connection {
	t.Helper()
	return inline(administrator(t))
}

func administrator(t testing.TB) server.User {
	t.Helper()
	user, err := shared.Get(t).AddUser("administrator", "system:masters")
	require.NoError(t, err)
	return user
}

func inline(user server.User) connect.Connection {
	return connect.Connection{
		Host: connect.NewSecret(user.Host), ClusterCACertificate: connect.NewSecret(string(user.CACertificate)), Token: connect.NewSecret(user.Token),
		ClientCertificate: connect.NewSecret(string(user.ClientCertificate)), ClientKey: connect.NewSecret(string(user.ClientKey)),
	}
}

// admin is a cluster of the test's own, with its own transport and discovery.
func admin(t testing.TB, options ...cluster.Option) *cluster.Cluster {
	t.Helper()
	return get(t, adminConnection(t), options...)
}

func get(t testing.TB, connection connect.Connection, options ...cluster.Option) *cluster.Cluster {
	t.Helper()
	c, err := cluster.NewRegistry("test/1", options...).Get(connection)
	require.NoError(t, err)
	return c
}

func configMap(namespace, name string, data map[string]any) *unstructured.Unstructured {
	if data == nil {
		data = map[string]any{"a": "1"}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": namespace, "name": name},
		"data":     data,
	}}
}

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

package cluster_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

var reviewed = cluster.Ref{APIVersion: "v1", Kind: "Namespace", Name: "default"}

func TestEveryWayToReachACluster(t *testing.T) {
	srv := shared.Get(t)
	admin := administrator(t)
	base := inline(admin)
	account, err := srv.ServiceAccount(t.Context(), "default", "reader", time.Hour)
	require.NoError(t, err)
	reads := func(t *testing.T, connection connect.Connection) error {
		t.Helper()
		c, err := cluster.NewRegistry("test/1").Get(connection)
		require.NoError(t, err)
		_, err = c.Get(t.Context(), reviewed)
		return err
	}
	t.Run("host + CA + token [C1]", func(t *testing.T) {
		err := reads(t, inline(account))
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.Contains(t, err.Error(), account.Name, "the token's user is who is refused")
		wrong := inline(account)
		wrong.Token = connect.NewSecret("wrong")
		assert.True(t, apierrors.IsUnauthorized(reads(t, wrong)))
	})
	t.Run("host + CA + client certificate and key [C2]", func(t *testing.T) { require.NoError(t, reads(t, base)) })
	t.Run("host without a scheme is https", func(t *testing.T) {
		bare := base
		bare.Host = connect.NewSecret(strings.TrimPrefix(admin.Host, "https://"))
		require.NoError(t, reads(t, bare))
	})
	t.Run("base64 of PEM, folded [C7]", func(t *testing.T) {
		folded := func(text []byte) connect.Secret {
			encoded := base64.StdEncoding.EncodeToString(text)
			return connect.NewSecret("  " + encoded[:76] + "\n" + encoded[76:] + "\n")
		}
		encoded := base
		encoded.ClusterCACertificate, encoded.ClientCertificate, encoded.ClientKey =
			folded(admin.CACertificate), folded(admin.ClientCertificate), folded(admin.ClientKey)
		require.NoError(t, reads(t, encoded))
		indented := base
		indented.ClusterCACertificate = connect.NewSecret(strings.ReplaceAll(string(admin.CACertificate), "\n", "\n    "))
		require.NoError(t, reads(t, indented))
	})
	t.Run("kubeconfig as contents and as a path [C4] [C5]", func(t *testing.T) {
		require.NoError(t, reads(t, connect.Connection{Kubeconfig: connect.NewSecret(string(srv.Kubeconfig()))}))
		require.NoError(t, reads(t, connect.Connection{Kubeconfig: connect.NewSecret(srv.KubeconfigFile())}))
	})
	t.Run("insecure only when asked [C13]", func(t *testing.T) {
		untrusted := base
		untrusted.ClusterCACertificate = connect.Secret{}
		err := reads(t, untrusted)
		assert.Equal(t, failure.ClassCertificate, failure.Classify(err), "%v", err)
		assert.Equal(t, failure.NotSent, failure.Outcome(err))
		untrusted.Insecure = true
		require.NoError(t, reads(t, untrusted))
	})
	t.Run("impersonation, inline and by kubeconfig [C14]", func(t *testing.T) {
		jane := &connect.Impersonation{User: "jane", Groups: []string{"devs"}, Extra: map[string][]string{"example.com/why": {"test"}}}
		for _, as := range []connect.Connection{base, {Kubeconfig: connect.NewSecret(string(srv.Kubeconfig()))}} {
			as.Impersonate = jane
			err := reads(t, as)
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			assert.Contains(t, err.Error(), `"jane"`)
		}
	})
}

// plugin is a credential plugin that writes a line each time that it is called.
func plugin(t *testing.T, token string) (command, calls string) {
	t.Helper()
	dir := t.TempDir()
	command, calls = filepath.Join(dir, "login"), filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1 $WHO\" >> %s\nprintf '{\"apiVersion\":\"client.authentication.k8s.io/v1\","+
		"\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}'\n", calls, token)
	require.NoError(t, os.WriteFile(command, []byte(script), 0o700))
	return command, calls
}

func TestACredentialPluginIsCalledOnce(t *testing.T) {
	srv := shared.Get(t)
	account, err := srv.ServiceAccount(t.Context(), "default", "plugin", time.Hour)
	require.NoError(t, err)
	t.Run("for 100 objects [C3]", func(t *testing.T) {
		command, calls := plugin(t, account.Token)
		connection := inline(account)
		connection.Token = connect.NewSecret("")
		connection.Exec = &connect.Exec{Command: command, Args: []connect.Secret{connect.NewSecret("get-token")}, Env: map[string]connect.Secret{"WHO": connect.NewSecret("me")}}
		registry := cluster.NewRegistry("test/1")
		var group sync.WaitGroup
		for range 100 {
			group.Go(func() {
				c, err := registry.Get(connection)
				if assert.NoError(t, err) {
					_, err = c.Get(t.Context(), reviewed)
					assert.True(t, apierrors.IsForbidden(err), "%v", err)
				}
			})
		}
		group.Wait()
		called, err := os.ReadFile(calls)
		require.NoError(t, err)
		assert.Equal(t, "get-token me\n", string(called))
	})
	t.Run("one that fails sends nothing, and neither arguments nor environment are shown [C16]", func(t *testing.T) {
		connection := inline(account)
		connection.Token = connect.NewSecret("")
		connection.Exec = &connect.Exec{Command: "false", Args: []connect.Secret{connect.NewSecret("hunter2")}, Env: map[string]connect.Secret{"A": connect.NewSecret("hunter2")}}
		c := get(t, connection)
		_, err := c.Apply(t.Context(), configMap("default", "x", nil), manager)
		var credentials *failure.CredentialsError
		require.ErrorAs(t, err, &credentials)
		assert.Equal(t, failure.NotSent, failure.Outcome(err))
		assert.NotContains(t, fmt.Sprintf("%v %+v", err, failure.Explain(err, failure.Operation{})), "hunter2")
	})
}

// connectProxy is a proxy that knows CONNECT only.
func connectProxy(t *testing.T, tunnels *atomic.Int32) *httptest.Server {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "CONNECT only", http.StatusMethodNotAllowed)
			return
		}
		upstream, err := net.Dial("tcp", r.Host)
		if err != nil {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		tunnels.Add(1)
		client, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
		pipe := func(to net.Conn, from io.Reader) {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}
		go pipe(upstream, buffered)
		go pipe(client, upstream)
	}))
	t.Cleanup(proxy.Close)
	return proxy
}

func TestAProxyIsUsed(t *testing.T) {
	t.Run("proxy [C15]", func(t *testing.T) {
		var tunnels atomic.Int32
		connection := adminConnection(t)
		connection.ProxyURL = connect.NewSecret(connectProxy(t, &tunnels).URL)
		c := get(t, connection)
		for range 5 {
			_, err := c.Get(t.Context(), reviewed)
			require.NoError(t, err)
		}
		assert.EqualValues(t, 1, tunnels.Load(), "one transport for all requests")
		connection.Host = connect.NewSecret("127.0.0.1:1")
		_, err := get(t, connection).Get(t.Context(), reviewed)
		assert.Equal(t, failure.NotSent, failure.Outcome(err), "%v", err)
		connection.ProxyURL = connect.NewSecret("http://hunter2:hunter2@127.0.0.1:1")
		_, err = get(t, connection).Get(t.Context(), reviewed)
		assert.Equal(t, failure.NotSent, failure.Outcome(err), "%v", err)
		assert.NotContains(t, failure.Explain(err, failure.Operation{}).Error()+err.Error(), "hunter2")
	})
}

func TestConnectionProblemsHaveOneClassEach(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = silent.Close() }()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	base := adminConnection(t)
	for name, c := range map[string]struct {
		change func(*connect.Connection)
		class  failure.Class
	}{
		"refused [C12]":      {func(c *connect.Connection) { c.Host = connect.NewSecret("https://127.0.0.1:1") }, failure.ClassUnreachable},
		"no such host [C12]": {func(c *connect.Connection) { c.Host = connect.NewSecret("https://no-such-host.invalid") }, failure.ClassDNS},
		"another name [C12]": {func(c *connect.Connection) { c.TLSServerName = "other.example.com" }, failure.ClassCertificate},
		"plain HTTP server [C12]": {func(c *connect.Connection) {
			c.Host = connect.NewSecret(strings.Replace(plain.URL, "http:", "https:", 1))
		}, ""},
		"no answer [C12]": {func(c *connect.Connection) { c.Host = connect.NewSecret(silent.Addr().String()) }, failure.ClassTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			connection := base
			c.change(&connection)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			_, err := get(t, connection).Apply(ctx, configMap("default", "x", nil), manager)
			require.Error(t, err)
			assert.Equal(t, failure.NotSent, failure.Outcome(err), "%v", err)
			if c.class != "" {
				assert.Equal(t, c.class, failure.Classify(err), "%v", err)
			}
		})
	}
	t.Run("a server that is no API server is an error and not an absent object [O60]", func(t *testing.T) {
		_, err := get(t, connect.Connection{Host: connect.NewSecret(plain.URL)}).Get(t.Context(), reviewed)
		require.Error(t, err)
		assert.False(t, apierrors.IsNotFound(err))
		assert.Contains(t, err.Error(), "Kubernetes API server")
	})
}

package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// leadingTo is a kubeconfig of a server, with the contexts that are named; the first is current.
func leadingTo(server string, contexts ...string) string {
	text := "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://" + server + "'}}]\nusers: [{name: u, user: {token: t}}]\n" +
		"current-context: " + contexts[0] + "\ncontexts:\n"
	for _, name := range contexts {
		text += "- {name: " + name + ", context: {cluster: c, user: u, namespace: " + name + "}}\n"
	}
	return text
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestAKubeconfigThatIsRewrittenIsReadAgain(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for name, where := range map[string]struct {
		file       string
		connection connect.Connection
		variable   string
	}{
		"that is named by its path":   {file: filepath.Join(home, "named"), connection: connect.Connection{Kubeconfig: connect.NewSecret(filepath.Join(home, "named"))}},
		"in the home directory":       {file: filepath.Join(home, "short"), connection: connect.Connection{Kubeconfig: connect.NewSecret("~/short")}},
		"of the environment":          {file: filepath.Join(home, "listed"), variable: filepath.Join(home, "no") + ":" + filepath.Join(home, "listed")},
		"that kubectl takes, at last": {file: filepath.Join(home, ".kube", "config")},
	} {
		t.Run(name+" [D21]", func(t *testing.T) {
			t.Setenv("KUBECONFIG", where.variable)
			registry := cluster.NewRegistry("ua")
			got := func() *cluster.Cluster {
				t.Helper()
				c, err := registry.Get(where.connection)
				require.NoError(t, err)
				return c
			}
			write(t, where.file, leadingTo("one", "a"))
			first := got()
			assert.Equal(t, "https://one", first.Server())
			assert.Same(t, first, got(), "while it says the same")
			write(t, where.file, leadingTo("one", "a"))
			assert.Same(t, first, got(), "also if that was written again")

			write(t, where.file, leadingTo("two", "a"))
			second := got()
			assert.Equal(t, "https://two", second.Server())
			assert.Same(t, second, got())
			write(t, where.file, leadingTo("one", "a"))
			assert.Equal(t, "https://one", got().Server(), "and back")

			write(t, where.file, leadingTo("three", "b"))
			assert.Equal(t, "b", got().Namespace(), "its only context")
			require.NoError(t, os.Remove(where.file))
			_, err := registry.Get(where.connection)
			var field *failure.FieldError
			require.ErrorAs(t, err, &field, "a file that is gone leads nowhere")
		})
	}
	t.Run("one that comes in an earlier place counts [D21]", func(t *testing.T) {
		first, second := filepath.Join(home, "first"), filepath.Join(home, "second")
		t.Setenv("KUBECONFIG", first+":"+second)
		registry := cluster.NewRegistry("ua")
		write(t, second, leadingTo("two", "a"))
		c, err := registry.Get(connect.Connection{})
		require.NoError(t, err)
		assert.Equal(t, "https://two", c.Server())
		write(t, first, strings.ReplaceAll(leadingTo("one", "a"), "name: u", "name: other"))
		c, err = registry.Get(connect.Connection{})
		require.NoError(t, err)
		assert.Equal(t, "https://one", c.Server())
	})
}

func TestTheCurrentContextOfAPathIsTheFilesAndThatOfTheEnvironmentIsKept(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	file := filepath.Join(home, "kubeconfig")
	namespaces := func(connection connect.Connection) (seen []string) {
		registry := cluster.NewRegistry("ua")
		for _, text := range []string{leadingTo("one", "a", "b"), leadingTo("two", "b", "a"), leadingTo("two", "b"), leadingTo("two", "a", "b")} {
			write(t, file, text)
			c, err := registry.Get(connection)
			require.NoError(t, err)
			seen = append(seen, c.Namespace()+" of "+c.Server())
		}
		return seen
	}
	t.Setenv("KUBECONFIG", file)
	t.Run("kubectl config use-context in another terminal redirects nothing that runs [D21]", func(t *testing.T) {
		assert.Equal(t, []string{"a of https://one", "a of https://two", "b of https://two", "b of https://two"}, namespaces(connect.Connection{}))
	})
	t.Run("a path leads where the file leads [D21]", func(t *testing.T) {
		assert.Equal(t, []string{"a of https://one", "b of https://two", "b of https://two", "a of https://two"},
			namespaces(connect.Connection{Kubeconfig: connect.NewSecret(file)}))
	})
}

func TestAKubeconfigThatIsJustBeingWrittenIsReadAgain(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "kubeconfig"), leadingTo("one", "a"))
	registry := cluster.NewRegistry("ua")
	get := func() (*cluster.Cluster, error) {
		return registry.Get(connect.Connection{Kubeconfig: connect.NewSecret(file)})
	}
	_, err := get()
	require.NoError(t, err)
	t.Run("where the rest comes at once [D21]", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			write(t, file, "")
			time.AfterFunc(50*time.Millisecond, func() {
				assert.NoError(t, os.WriteFile(file, []byte(leadingTo("two", "a")), 0o600))
			})
			c, err := get()
			require.NoError(t, err)
			assert.Equal(t, "https://two", c.Server())
		})
	})
	t.Run("where it does not come, that is said, and not kept [D21]", func(t *testing.T) {
		write(t, file, "")
		_, err := get()
		require.ErrorContains(t, err, "has no contexts")
		write(t, file, leadingTo("three", "a"))
		c, err := get()
		require.NoError(t, err)
		assert.Equal(t, "https://three", c.Server())
	})
}

func TestRegistryHasOneClusterForEachConnection(t *testing.T) {
	registry := cluster.NewRegistry("ua")
	base := func() connect.Connection {
		return connect.Connection{Host: connect.NewSecret("h"), Exec: &connect.Exec{Command: "aws", Env: map[string]connect.Secret{"A": connect.NewSecret("1"), "B": connect.NewSecret("2")}}}
	}
	first, err := registry.Get(base())
	require.NoError(t, err)
	again, err := registry.Get(base())
	require.NoError(t, err)
	assert.Same(t, first, again)
	for name, change := range map[string]func(*connect.Connection){
		"host":        func(c *connect.Connection) { c.Host = connect.NewSecret("other") },
		"env":         func(c *connect.Connection) { c.Exec.Env["A"] = connect.NewSecret("2") },
		"insecure":    func(c *connect.Connection) { c.Insecure = true },
		"namespace":   func(c *connect.Connection) { c.Namespace = "x" },
		"impersonate": func(c *connect.Connection) { c.Impersonate = &connect.Impersonation{User: "u"} },
		"token":       func(c *connect.Connection) { c.Exec, c.Token = nil, connect.NewSecret("t") },
	} {
		other := base()
		change(&other)
		got, err := registry.Get(other)
		require.NoError(t, err)
		assert.NotSame(t, first, got, name)
	}
}

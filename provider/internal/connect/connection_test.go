package connect_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

const kubeconfig = `apiVersion: v1
kind: Config
current-context: arn:aws:eks:eu-1:1:cluster/one
clusters:
- {name: one, cluster: {server: "https://one.example.com"}}
- {name: two, cluster: {server: "https://two.example.com:6443", proxy-url: "http://proxy:3128"}}
contexts:
- {name: "arn:aws:eks:eu-1:1:cluster/one", context: {cluster: one, user: a, namespace: prod}}
- {name: two, context: {cluster: two, user: b}}
users:
- {name: a, user: {token: hunter2}}
- name: b
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws, interactiveMode: Always}
`

func settings(t *testing.T, c connect.Connection) connect.Settings {
	t.Helper()
	s, err := c.Settings("ua", "")
	require.NoError(t, err)
	return s
}

func write(t *testing.T, path, content string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestKubeconfigComesAsContentsOrPathOrFromTheEnvironment(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	file := write(t, filepath.Join(home, "kube", "config"), kubeconfig)

	for name, value := range map[string]string{
		"contents [C4]": kubeconfig,
		"contents in one line of JSON [C4]": `{"clusters":[{"name":"o","cluster":{"server":"https://one.example.com"}}],"users":[{"name":"u"}],` +
			`"contexts":[{"name":"c","context":{"cluster":"o","user":"u","namespace":"prod"}}],"current-context":"c"}`,
		"a path [C5]":             file,
		"a path in ~ [C5]":        "~/kube/config",
		"a path with spaces [C5]": " " + file + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := settings(t, connect.Connection{Kubeconfig: connect.NewSecret(value)})
			assert.Equal(t, "https://one.example.com", s.Server)
			assert.Equal(t, "prod", s.Namespace)
			assert.EqualValues(t, -1, s.REST.QPS)
			assert.Equal(t, "ua", s.REST.UserAgent)
			assert.False(t, s.REST.Insecure)
		})
	}
	t.Run("each context of a multi-context kubeconfig [C6]", func(t *testing.T) {
		s := settings(t, connect.Connection{Kubeconfig: connect.NewSecret(kubeconfig), Context: "two"})
		assert.Equal(t, "https://two.example.com:6443", s.Server)
		assert.Equal(t, "default", s.Namespace)
		assert.EqualValues(t, "Never", s.REST.ExecProvider.InteractiveMode)
		assert.NotNil(t, s.REST.Proxy)
		s = settings(t, connect.Connection{Kubeconfig: connect.NewSecret(kubeconfig), Context: "arn:aws:eks:eu-1:1:cluster/one", Namespace: "mine"})
		assert.Equal(t, "mine", s.Namespace)
		assert.Equal(t, "hunter2", s.REST.BearerToken)
	})
	t.Run("$KUBECONFIG with two files [C5]", func(t *testing.T) {
		users := write(t, filepath.Join(home, "users"), "apiVersion: v1\nkind: Config\nusers:\n- {name: u, user: {token: t}}\n")
		rest := write(t, filepath.Join(home, "rest"), "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n"+
			"- {name: o, cluster: {server: 'https://merged'}}\ncontexts:\n- {name: c, context: {cluster: o, user: u}}\n")
		t.Setenv("KUBECONFIG", users+string(os.PathListSeparator)+filepath.Join(home, "absent")+string(os.PathListSeparator)+rest)
		s := settings(t, connect.Connection{})
		assert.Equal(t, "https://merged", s.Server)
		assert.Equal(t, "t", s.REST.BearerToken)
	})
	t.Run("then ~/.kube/config [C5]", func(t *testing.T) {
		_, err := connect.Connection{}.Settings("ua", "")
		require.ErrorContains(t, err, "not set")
		write(t, filepath.Join(home, ".kube", "config"), kubeconfig)
		assert.Equal(t, "https://two.example.com:6443", settings(t, connect.Connection{Context: "two"}).Server)
	})
}

func TestAWrongConnectionNamesTheField(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", "/no/such/a:/no/such/b")
	for name, c := range map[string]struct {
		connection connect.Connection
		field      string
		text       string
	}{
		"a path that does not exist":    {connect.Connection{Kubeconfig: connect.NewSecret("/no/such/file")}, "kubeconfig", `"/no/such/file" does not exist`},
		"$KUBECONFIG that is not there": {connect.Connection{}, "kubeconfig", "/no/such/a, /no/such/b"},
		"contents that do not parse":    {connect.Connection{Kubeconfig: connect.NewSecret("a: b\n\tc: hunter2")}, "kubeconfig", "not a valid kubeconfig (line 2)"},
		"a directory":                   {connect.Connection{Kubeconfig: connect.NewSecret(t.TempDir())}, "kubeconfig", "directory"},
		"an unknown context":            {connect.Connection{Kubeconfig: connect.NewSecret(kubeconfig), Context: "nope"}, "context", `"nope" is not in the kubeconfig; it has arn:aws:eks:eu-1:1:cluster/one, two`},
		"invalid host [C12]":            {connect.Connection{Host: connect.NewSecret("https://hunter2@x")}, "host", "user name"},
		"unparsable host [C12]":         {connect.Connection{Host: connect.NewSecret("https://a b")}, "host", "not a URL"},
		"invalid port [C12]":            {connect.Connection{Host: connect.NewSecret("x:0")}, "host", "port"},
		"invalid proxy":                 {connect.Connection{Host: connect.NewSecret("x"), ProxyURL: connect.NewSecret("ldap://x")}, "proxyUrl", "http://"},
		"host and kubeconfig [C8]":      {connect.Connection{Host: connect.NewSecret("x"), Kubeconfig: connect.NewSecret(kubeconfig)}, "host", "kubeconfig"},
		"token and kubeconfig [C8]":     {connect.Connection{Token: connect.NewSecret("hunter2"), Kubeconfig: connect.NewSecret(kubeconfig)}, "token", "kubeconfig"},
		"token and exec [C8]":           {connect.Connection{Host: connect.NewSecret("x"), Token: connect.NewSecret("hunter2"), Exec: &connect.Exec{}}, "token", "exec"},
		"bad PEM [C7]":                  {connect.Connection{Host: connect.NewSecret("x"), ClusterCACertificate: connect.NewSecret("hunter2")}, "clusterCaCertificate", "PEM"},
		"damaged PEM [C7]":              {connect.Connection{Host: connect.NewSecret("x"), ClusterCACertificate: connect.NewSecret("-----BEGIN CERTIFICATE-----\nhunter2\n-----END CERTIFICATE-----")}, "clusterCaCertificate", "damaged"},
		"impersonation of nobody":       {connect.Connection{Host: connect.NewSecret("x"), Impersonate: &connect.Impersonation{}}, "impersonate.user", "must be set"},
		"exec without a command":        {connect.Connection{Host: connect.NewSecret("x"), Exec: &connect.Exec{}}, "exec.command", "must be set"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cluster.NewRegistry("ua").Get(c.connection)
			var field *failure.FieldError
			require.ErrorAs(t, err, &field)
			assert.Equal(t, c.field, field.Field)
			assert.Contains(t, err.Error(), c.text)
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestConnectionsNeverPrintSecrets(t *testing.T) {
	t.Run("credentials never in output, logs, errors [C16]", func(t *testing.T) {
		const secret = "hunter2"
		hidden := connect.NewSecret(secret)
		connection := connect.Connection{
			Kubeconfig: connect.NewSecret("a: " + secret + "\n"), Host: connect.NewSecret("https://u:" + secret + "@h"), ProxyURL: connect.NewSecret("http://" + secret + ":p@h:1"),
			Token: hidden, ClusterCACertificate: hidden, ClientCertificate: hidden, ClientKey: hidden, Context: "prod",
			Exec: &connect.Exec{Command: "aws", Args: []connect.Secret{hidden}, Env: map[string]connect.Secret{"A": hidden}},
		}
		var log bytes.Buffer
		logger := slog.New(slog.NewJSONHandler(&log, nil))
		logger.Info("x", "c", connection, "p", &connection, "e", connection.Exec)
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "c", connection, "e", *connection.Exec)
		encoded, err := json.Marshal(map[string]any{"c": connection, "e": connection.Exec})
		require.NoError(t, err)
		log.Write(encoded)
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			_, _ = fmt.Fprintf(&log, format, connection)
			_, _ = fmt.Fprintf(&log, format, &connection)
			_, _ = fmt.Fprintf(&log, format, connection.Exec)
			_, _ = fmt.Fprintf(&log, format, *connection.Exec)
			_, _ = fmt.Fprintf(&log, format, struct{ C connect.Connection }{connection})
			_, _ = fmt.Fprintf(&log, format, struct{ c *connect.Connection }{&connection})
		}
		assert.NotContains(t, log.String(), secret)
		assert.NotContains(t, log.String(), fmt.Sprintf("%x", secret))
		assert.Contains(t, log.String(), "Context:prod")
		assert.Contains(t, log.String(), "Command:aws")
	})
}

func TestEveryPartOfAConnectionIsPartOfItsIdentity(t *testing.T) {
	base := func() connect.Connection {
		return connect.Connection{
			Exec:        &connect.Exec{Args: []connect.Secret{connect.NewSecret("x")}, Env: map[string]connect.Secret{"x": connect.NewSecret("x")}},
			Impersonate: &connect.Impersonation{Groups: []string{"x"}, Extra: map[string][]string{"x": {"x"}}},
		}
	}
	parts := func(c *connect.Connection) (parts []reflect.Value) {
		for _, part := range []any{c, c.Exec, c.Impersonate} {
			for _, field := range reflect.ValueOf(part).Elem().Fields() {
				if field.Kind() != reflect.Pointer {
					parts = append(parts, field)
				}
			}
		}
		return parts
	}
	seen := map[string]bool{}
	add := func(c connect.Connection) {
		identity, err := c.Identity()
		require.NoError(t, err)
		seen[identity] = true
	}
	unchanged := base()
	add(unchanged)
	for i := range parts(&unchanged) {
		changed := base()
		switch part := parts(&changed)[i]; part.Kind() {
		case reflect.String:
			part.SetString("other")
		case reflect.Bool:
			part.SetBool(true)
		case reflect.Struct:
			part.Set(reflect.ValueOf(connect.NewSecret("other")))
		case reflect.Slice:
			part.Index(0).SetZero()
		case reflect.Map:
			part.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(part.Type().Elem()))
		}
		add(changed)
	}
	assert.Len(t, seen, 1+len(parts(&unchanged)), "each change has an identity of its own")
}

func TestSameClusterDependsOnServerAndCA(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	same := func(a, b connect.Connection) bool {
		result, err := connect.SameCluster(a, b)
		require.NoError(t, err)
		return result
	}
	base := connect.Connection{Host: connect.NewSecret("https://Example.com"), ClusterCACertificate: connect.NewSecret(ca)}
	assert.True(t, same(base, connect.Connection{Host: connect.NewSecret("example.com:443/"), ClusterCACertificate: connect.NewSecret("\n" + ca + "\n"), Token: connect.NewSecret("other")}))
	assert.False(t, same(base, connect.Connection{Host: connect.NewSecret("https://example.com:6443"), ClusterCACertificate: connect.NewSecret(ca)}))
	assert.False(t, same(base, connect.Connection{Host: connect.NewSecret("https://example.com")}))
}

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
			s := settings(t, connect.Connection{Kubeconfig: value})
			assert.Equal(t, "https://one.example.com", s.Server)
			assert.Equal(t, "prod", s.Namespace)
			assert.EqualValues(t, -1, s.REST.QPS)
			assert.Equal(t, "ua", s.REST.UserAgent)
			assert.False(t, s.REST.Insecure)
		})
	}
	t.Run("each context of a multi-context kubeconfig [C6]", func(t *testing.T) {
		s := settings(t, connect.Connection{Kubeconfig: kubeconfig, Context: "two"})
		assert.Equal(t, "https://two.example.com:6443", s.Server)
		assert.Equal(t, "default", s.Namespace)
		assert.EqualValues(t, "Never", s.REST.ExecProvider.InteractiveMode)
		assert.NotNil(t, s.REST.Proxy)
		s = settings(t, connect.Connection{Kubeconfig: kubeconfig, Context: "arn:aws:eks:eu-1:1:cluster/one", Namespace: "mine"})
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
		"a path that does not exist":    {connect.Connection{Kubeconfig: "/no/such/file"}, "kubeconfig", `"/no/such/file" does not exist`},
		"$KUBECONFIG that is not there": {connect.Connection{}, "kubeconfig", "/no/such/a, /no/such/b"},
		"contents that do not parse":    {connect.Connection{Kubeconfig: "a: b\n\tc: hunter2"}, "kubeconfig", "not a valid kubeconfig (line 2)"},
		"a directory":                   {connect.Connection{Kubeconfig: t.TempDir()}, "kubeconfig", "directory"},
		"an unknown context":            {connect.Connection{Kubeconfig: kubeconfig, Context: "nope"}, "context", `"nope" is not in the kubeconfig; it has arn:aws:eks:eu-1:1:cluster/one, two`},
		"invalid host [C12]":            {connect.Connection{Host: "https://hunter2@x"}, "host", "user name"},
		"unparsable host [C12]":         {connect.Connection{Host: "https://a b"}, "host", "not a URL"},
		"invalid port [C12]":            {connect.Connection{Host: "x:0"}, "host", "port"},
		"invalid proxy":                 {connect.Connection{Host: "x", ProxyURL: "ldap://x"}, "proxyUrl", "http://"},
		"host and kubeconfig [C8]":      {connect.Connection{Host: "x", Kubeconfig: kubeconfig}, "host", "kubeconfig"},
		"token and kubeconfig [C8]":     {connect.Connection{Token: "hunter2", Kubeconfig: kubeconfig}, "token", "host"},
		"bad PEM [C7]":                  {connect.Connection{Host: "x", ClusterCACertificate: "hunter2"}, "clusterCaCertificate", "PEM"},
		"damaged PEM [C7]":              {connect.Connection{Host: "x", ClusterCACertificate: "-----BEGIN CERTIFICATE-----\nhunter2\n-----END CERTIFICATE-----"}, "clusterCaCertificate", "damaged"},
		"impersonation of nobody":       {connect.Connection{Host: "x", Impersonate: &connect.Impersonation{}}, "impersonate.user", "must be set"},
		"exec without a command":        {connect.Connection{Host: "x", Exec: &connect.Exec{}}, "exec.command", "must be set"},
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
		connection := connect.Connection{
			Kubeconfig: "a: " + secret + "\n", Host: "https://u:" + secret + "@h", ProxyURL: "http://" + secret + ":p@h:1", Token: secret,
			ClusterCACertificate: secret, ClientCertificate: secret, ClientKey: secret,
			Exec: &connect.Exec{Command: "aws", Args: []string{secret}, Env: map[string]string{"A": secret}},
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
		}
		assert.NotContains(t, log.String(), secret)
		assert.NotContains(t, log.String(), fmt.Sprintf("%x", secret))
		assert.Contains(t, log.String(), "host: https://h")
		assert.Contains(t, log.String(), "command: aws")
	})
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
	base := connect.Connection{Host: "https://Example.com", ClusterCACertificate: ca}
	assert.True(t, same(base, connect.Connection{Host: "example.com:443/", ClusterCACertificate: "\n" + ca + "\n", Token: "other"}))
	assert.False(t, same(base, connect.Connection{Host: "https://example.com:6443", ClusterCACertificate: ca}))
	assert.False(t, same(base, connect.Connection{Host: "https://example.com"}))
}

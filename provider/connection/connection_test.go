package connection

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	certutil "k8s.io/client-go/util/cert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
)

type props = map[string]property.Value

func str(text string) property.Value { return property.New(text) }

func pair(t *testing.T) (certificate, key string) {
	t.Helper()
	c, k, err := certutil.GenerateSelfSignedCertKey("localhost", nil, nil)
	require.NoError(t, err)
	return string(c), string(k)
}

func TestCheckNamesTheFieldThatIsWrong(t *testing.T) {
	certificate, key := pair(t)
	_, otherKey := pair(t)
	host := str("https://example.com")
	for _, c := range []struct {
		name       string
		properties props
		property   string
		reason     string
	}{
		{"kubeconfig with host", props{"kubeconfig": str("x"), "host": host}, "host", "kubeconfig"},
		{"context with host", props{"context": str("x"), "host": host}, "context", "host"},
		{"token with kubeconfig", props{"kubeconfig": str("x"), "token": str("x")}, "token", "kubeconfig"},
		{"token without host", props{"token": str("x")}, "token", "needs host"},
		{"insecure without host", props{"insecure": property.New(true)}, "insecure", "needs host"},
		{"token with exec", props{"host": host, "token": str("x"), "exec": property.New(props{"command": str("aws")})}, "token", "exec"},
		{"token with certificate", props{"host": host, "token": str("x"), "clientCertificate": str(certificate), "clientKey": str(key)}, "token", "clientCertificate"},
		{"certificate without key", props{"host": host, "clientCertificate": str(certificate)}, "clientCertificate", "needs clientKey"},
		{"key without certificate", props{"host": host, "clientKey": str(key)}, "clientKey", "needs clientCertificate"},
		{"key of another certificate", props{"host": host, "clientCertificate": str(certificate), "clientKey": str(otherKey)}, "clientKey", "does not belong"},
		{"insecure with CA", props{"host": host, "insecure": property.New(true), "clusterCaCertificate": str(certificate)}, "insecure", "clusterCaCertificate"},
		{"a CA that is no PEM", props{"host": host, "clusterCaCertificate": str("hello")}, "clusterCaCertificate", "neither PEM nor base64"},
		{"a host that is no URL", props{"host": str("ftp://x")}, "host", "https://"},
		{"a port that is no port", props{"host": str("x:99999")}, "host", "port"},
		{"a proxy that is no URL", props{"host": host, "proxyUrl": str("gopher://x")}, "proxyUrl", "http://"},
		{"a number for a string", props{"host": property.New(1.0)}, "host", "string"},
		{"a string for a bool", props{"host": host, "insecure": str("maybe")}, "insecure", "true or false"},
		{"exec without a command", props{"host": host, "exec": property.New(props{})}, "exec.command", "must be set"},
		{"a misspelt field", props{"tokn": str("x")}, "tokn", "did you mean token"},
		{"a misspelt field inside", props{"host": host, "exec": property.New(props{"command": str("x"), "arguments": str("x")})}, "exec.arguments", "args"},
		{"wrong type deep inside", props{"host": host, "exec": property.New(props{"command": str("x"), "env": property.New(props{"A": property.New(true)})})}, `exec.env["A"]`, "string"},
		{"impersonate without user", props{"impersonate": property.New(props{})}, "impersonate.user", "must be set"},
	} {
		t.Run(c.name+" is refused by field name [C8]", func(t *testing.T) {
			problems := Check(property.New(c.properties), "clusterConnection")
			require.Len(t, problems, 1)
			assert.Equal(t, "clusterConnection."+c.property, problems[0].Property)
			assert.Contains(t, problems[0].Reason, c.reason)
			top := Check(property.New(c.properties), "")
			assert.Equal(t, c.property, top[0].Property)
		})
	}
}

func TestCheckPassesWhatIsRight(t *testing.T) {
	certificate, key := pair(t)
	encoded := base64.StdEncoding.EncodeToString([]byte(certificate))
	unknown := property.New(property.Computed)
	host := str("10.0.0.1:6443")
	for name, properties := range map[string]props{
		"nothing at all":               {},
		"only a context":               {"context": str("a")},
		"a kubeconfig and a context":   {"kubeconfig": str("~/x"), "context": str("a")},
		"a token":                      {"host": host, "token": str("x"), "clusterCaCertificate": str(certificate)},
		"PEM [C7]":                     {"host": host, "clientCertificate": str(certificate), "clientKey": str(key)},
		"base64 of PEM [C7]":           {"host": host, "clusterCaCertificate": str(encoded[:40] + "\n " + encoded[40:])},
		"an unknown host with a token": {"host": unknown, "token": str("x")},
		"an unknown key":               {"host": host, "clientCertificate": str(certificate), "clientKey": unknown},
		"an unknown kubeconfig, token": {"kubeconfig": unknown, "host": host, "token": unknown},
		"exec with unknown env [C3]":   {"host": host, "exec": property.New(props{"command": str("x"), "env": property.New(props{"A": unknown})})},
		"exec as JSON text":            {"host": host, "exec": str(`{"command":"aws","args":["x"]}`), "insecure": str("true")},
		"null beside":                  {"host": host, "kubeconfig": property.New(property.Null)},
		"insecure false with a CA":     {"host": host, "insecure": property.New(false), "clusterCaCertificate": str(certificate)},
		"secret values":                {"host": host, "token": str("x").WithSecret(true)},
		"what the engine adds":         {"host": host, "version": str("1"), "__internal": property.New(props{})},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, Check(property.New(properties), "clusterConnection", "version"))
		})
	}
	assert.Empty(t, Check(unknown, "clusterConnection"), "an unknown connection passes")
	assert.Empty(t, Check(property.Value{}, "clusterConnection"), "a missing connection passes")
}

func TestProblemsNeverRepeatAValue(t *testing.T) {
	const secret = "hunter2-hunter2"
	properties := props{}
	for _, name := range fields.Names() {
		properties[name] = str(secret)
	}
	t.Run("credentials never in check failures [C16]", func(t *testing.T) {
		for _, c := range []props{properties, {"host": str("https://x:" + secret + "@:1")}, {"host": str("x"), "clientKey": str(secret)},
			{"host": str("x"), "proxyUrl": str("%zz" + secret + "@")}, {"host": str("x"), "clusterCaCertificate": str(secret)}} {
			problems := Check(property.New(c), "p")
			require.NotEmpty(t, problems)
			assert.NotContains(t, fmt.Sprint(problems), secret)
		}
	})
}

func TestDecodeReadsEveryField(t *testing.T) {
	secret, hidden := func(s string) property.Value { return str(s).WithSecret(true) }, connect.NewSecret
	got, err := Decode(property.NewMap(props{
		"host": str("h"), "clusterCaCertificate": secret("ca"), "insecure": str("true"), "tlsServerName": str("n"), "proxyUrl": str("p"),
		"token": secret("t"), "clientCertificate": str("c"), "clientKey": str("k"), "kubeconfig": str(`{"apiVersion":"v1"}`), "context": str("x"),
		"exec": property.New(props{"command": str("aws"), "args": property.New([]property.Value{secret("a")}),
			"env": property.New(props{"E": secret("v")}), "apiVersion": str("v")}).WithSecret(true),
		"impersonate": str(`{"user":"u","groups":["g"],"extra":{"e":["1","2"]}}`),
		"namespace":   str("prod"), "nonsense": property.New(property.Computed),
	}))
	require.NoError(t, err)
	assert.True(t, assert.ObjectsAreEqual(connect.Connection{
		Host: hidden("h"), ClusterCACertificate: hidden("ca"), Insecure: true, TLSServerName: "n", ProxyURL: hidden("p"), Token: hidden("t"),
		ClientCertificate: hidden("c"), ClientKey: hidden("k"), Kubeconfig: hidden(`{"apiVersion":"v1"}`), Context: "x", Namespace: "prod",
		Exec: &connect.Exec{
			APIVersion: "v", Command: "aws", Args: []connect.Secret{hidden("a")}, Env: map[string]connect.Secret{"E": hidden("v")},
		},
		Impersonate: &connect.Impersonation{User: "u", Groups: []string{"g"}, Extra: map[string][]string{"e": {"1", "2"}}},
	}, got))
}

func TestDecodeStopsAtUnknown(t *testing.T) {
	unknown := property.New(property.Computed)
	for name, properties := range map[string]props{
		"host":                  {"host": unknown},
		"token":                 {"token": unknown.WithSecret(true)},
		"exec":                  {"exec": property.New(props{"env": property.New(props{"A": unknown})})},
		"impersonate":           {"impersonate": property.New(props{"groups": property.New([]property.Value{unknown})})},
		"exec as configuration": {"exec": str(`{"command":"` + plugin.UnknownStringValue + `"}`)},
	} {
		t.Run(name+" unknown at preview [C3] [C9]", func(t *testing.T) {
			_, err := Decode(property.NewMap(properties))
			require.ErrorIs(t, err, ErrUnknown)
			var which *UnknownError
			require.True(t, errors.As(err, &which))
			assert.True(t, strings.HasPrefix(name, which.Property))
		})
	}
}

func TestDecodeReadsSecretsInsideConfigurationJSON(t *testing.T) {
	got, err := Decode(property.NewMap(props{"exec": str(fmt.Sprintf(
		`{"command":"aws","env":{"A":{%q:%q,"value":"hidden"}}}`, sig.Key, sig.Secret))}))
	require.NoError(t, err)
	assert.Equal(t, connect.NewSecret("hidden"), got.Exec.Env["A"])
}

func TestDecodeNeverFailsOnOldState(t *testing.T) {
	for _, value := range []property.Value{str("x"), property.New(1.0), property.New([]property.Value{}), property.New(props{"a": str("b")}), {}} {
		properties := props{"gone": value}
		for _, name := range fields.Names() {
			properties[name] = value
		}
		_, err := Decode(property.NewMap(properties))
		assert.NoError(t, err)
	}
}

func TestDecodeValueTellsWhetherThereIsAConnection(t *testing.T) {
	_, present, err := DecodeValue(property.Value{})
	assert.False(t, present)
	require.NoError(t, err)
	_, present, err = DecodeValue(property.New(property.Computed))
	assert.True(t, present)
	require.ErrorIs(t, err, ErrUnknown)
	got, present, err := DecodeValue(property.New(props{"host": str("h")}).WithSecret(true))
	assert.True(t, present)
	require.NoError(t, err)
	assert.Equal(t, connect.NewSecret("h"), got.Host)
}

func TestCredentialsAreMarkedSecret(t *testing.T) {
	properties := property.NewMap(props{
		"kubeconfig": str("x"), "token": str("x"), "clientCertificate": str("x"), "clientKey": str("x"), "exec": str("{}"),
		"proxyUrl": str("http://u:p@h"), "host": str("h"), "context": str("c"), "namespace": str("n"), "clusterCaCertificate": str("ca"),
	})
	t.Run("credentials never in plain state [C16]", func(t *testing.T) {
		marked := MarkSecret(properties)
		for name, want := range map[string]bool{
			"kubeconfig": true, "token": true, "clientCertificate": true, "clientKey": true, "exec": true, "proxyUrl": true,
			"host": false, "context": false, "namespace": false, "clusterCaCertificate": false,
		} {
			assert.Equal(t, want, marked.Get(name).Secret(), name)
		}
		assert.False(t, MarkSecret(property.NewMap(props{"proxyUrl": str("http://h")})).Get("proxyUrl").Secret())
		whole := MarkWhole(property.New(properties))
		assert.True(t, whole.Secret())
		assert.True(t, whole.AsMap().Get("token").Secret())
		assert.True(t, MarkWhole(property.Value{}).IsNull())
	})
	assert.False(t, properties.Get("token").Secret(), "the given properties are not changed")
}

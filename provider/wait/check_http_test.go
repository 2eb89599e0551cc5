package wait_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestCheckOfAWaitForAnAnswer(t *testing.T) {
	t.Parallel()
	of := func(apiVersion, kind string) m {
		return m{"resourceRef": m{"apiVersion": apiVersion, "kind": kind, "namespace": "shop", "name": "web"}}
	}
	asking := func(http any, more ...m) property.Map {
		all := of("v1", "Service")
		for _, members := range more {
			maps.Copy(all, members)
		}
		return program(m{"http": http}, all)
	}
	for name, written := range map[string]property.Map{
		"of whatever the only port is":   asking(m{}),
		"with everything":                asking(m{"path": "/healthz?full=1", "port": "web", "scheme": "https", "status": []any{200, 401}}),
		"a number of a port":             asking(m{"port": 8080}),
		"a number of a port, as a text":  asking(m{"port": "8080"}),
		"of a Pod":                       asking(m{}, of("v1", "Pod")),
		"of an object that is not known": asking(m{}, m{"resourceRef": verbs.Unknown}),
		"an unknown request":             asking(verbs.Unknown),
		"unknown parts of one":           asking(m{"path": verbs.Unknown, "port": verbs.Unknown, "scheme": verbs.Unknown, "status": verbs.Unknown}),
		"an unknown status":              asking(m{"status": []any{200, verbs.Unknown}}),
		"a secret path":                  asking(m{"path": verbs.Secret("/a")}),
		"a path with an escaped slash":   asking(m{"path": "/a%2Fb/%20"}),
		"a path with dots in names":      asking(m{"path": "/..a/b../.well-known"}),
	} {
		t.Run(name+" [R37]", func(t *testing.T) {
			t.Parallel()
			checked, failures := unmade(t).Check(written)
			require.Empty(t, failures)
			assert.Equal(t, written, checked)
		})
	}
	for _, c := range []struct {
		name       string
		written    property.Map
		at, reason string
	}{
		{"a request of a text", asking("/healthz"), "waitFor.http", `such as { path: "/healthz", port: 8080 }`},
		{"of a Deployment", asking(m{}, of("apps/v1", "Deployment")), "waitFor.http", "Only Service and Pod of v1 answer HTTP requests. For a Deployment, wait for its Service"},
		{"of a Service of others", asking(m{}, of("serving.knative.dev/v1", "Service")), "waitFor.http", "Only Service and Pod of v1"},
		{"of many", many(m{"http": m{}}), "waitFor.http", "Only a Wait with a resourceRef asks for an answer."},
		{"of what is gone", program(m{"http": m{}, "deleted": true}, of("v1", "Service")), "waitFor.deleted", "is gone"},
		{"another method", asking(m{"method": "POST"}), "waitFor.http.method", `There is no "method" in http. There are path, port, scheme, status.`},
		{"a path without a slash", asking(m{"path": "healthz"}), "waitFor.http.path", "a path such as /healthz"},
		{"a URL", asking(m{"path": "http://web/healthz"}), "waitFor.http.path", "without server"},
		{"a way out of the Service", asking(m{"path": "/../../../../secrets"}), "waitFor.http.path", `parts that are "." or ".."`},
		{"an escaped way out of the Service", asking(m{"path": "/a/%2e%2E/%2e%2e/secrets"}), "waitFor.http.path", `parts that are "." or ".."`},
		{"a way out behind an escaped slash", asking(m{"path": "/a%2F..%2F.."}), "waitFor.http.path", `parts that are "." or ".."`},
		{"a path with a fragment", asking(m{"path": "/a#b"}), "waitFor.http.path", "fragment"},
		{"a path with a space", asking(m{"path": "/a b"}), "waitFor.http.path", "a path such as"},
		{"a path with a broken escape", asking(m{"path": "/a%zz"}), "waitFor.http.path", "a path such as"},
		{"a port that is none", asking(m{"port": 70000}), "waitFor.http.port", "a number from 1 to 65535"},
		{"a part of a port", asking(m{"port": "80.5"}), "waitFor.http.port", "a number from 1 to 65535"},
		{"a name that no port has", asking(m{"port": "web/../x"}), "waitFor.http.port", "the name of a port"},
		{"another scheme", asking(m{"scheme": "ftp"}), "waitFor.http.scheme", "The value must be one of http, https."},
		{"a status that is no list", asking(m{"status": 200}), "waitFor.http.status", "a list of HTTP statuses, such as [200, 401]"},
		{"no status", asking(m{"status": []any{}}), "waitFor.http.status", "a list of HTTP statuses"},
		{"a status that is none", asking(m{"status": []any{200, 20}}), "waitFor.http.status", "from 200 to 599"},
		{"a status of a text", asking(m{"status": []any{"2xx"}}), "waitFor.http.status", "from 200 to 599"},
	} {
		t.Run(c.name+" is refused [R37]", func(t *testing.T) {
			t.Parallel()
			_, failures := unmade(t).Check(c.written)
			require.NotEmpty(t, failures)
			assert.Equal(t, c.at, failures[0].Property)
			assert.Contains(t, failures[0].Reason, c.reason)
		})
	}
	t.Run("a secret is not shown [R36]", func(t *testing.T) {
		t.Parallel()
		_, failures := unmade(t).Check(asking(m{"path": verbs.Secret("/../hush"), "port": verbs.Secret("hush hush")}))
		require.Len(t, failures, 2)
		for _, failed := range failures {
			assert.NotContains(t, failed.Reason, "hush")
		}
	})
}

package wait_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

// unmade is a Wait that does not exist yet, of a provider that has no cluster.
func unmade(t *testing.T) *verbs.Resource {
	t.Helper()
	server := verbs.NewServer(t)
	server.Stop()
	t.Cleanup(func() { assert.Empty(t, server.Asked(), "a Check asks nothing") })
	return verbs.New(t, "Wait", process(server))
}

func TestCheckOfAWaitKeepsWhatIsWritten(t *testing.T) {
	t.Parallel()
	for name, written := range map[string]property.Map{
		"as it is":                      program(forColor, m{"triggers": []any{"1", 2, true}}),
		"secret criteria":               program(m{"fieldValue": m{"data.color": verbs.Secret("blue")}}),
		"unknown criteria":              program(verbs.Unknown),
		"an unknown object":             program(forColor, m{"resourceRef": verbs.Unknown}),
		"unknown triggers":              program(forColor, m{"triggers": verbs.Unknown}),
		"a secret, unknown connection":  program(forColor, m{"clusterConnection": verbs.Unknown.WithSecret(true)}),
		"a reference with its revision": program(forColor, m{"resourceRef": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "uid": "1", "revision": "2"}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checked, failures := unmade(t).Check(written)
			require.Empty(t, failures)
			assert.Equal(t, written, checked)
		})
	}
	t.Run("a connection is secret as a whole", func(t *testing.T) {
		t.Parallel()
		checked, failures := unmade(t).Check(program(forColor, m{"clusterConnection": m{"host": "https://127.0.0.1:1"}}))
		require.Empty(t, failures)
		assert.True(t, checked.Get("clusterConnection").Secret())
	})
}

func TestCheckRefusesAWaitThatIsWrongWithoutARequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		written    property.Map
		at, reason string
	}{
		{"nothing to wait for", program(m{}), "waitFor", ""},
		{"criteria that there are none of", program(m{"feild": "data.color"}), "waitFor.feild", ""},
		{"a path that is none", program(m{"field": "data["}), "waitFor.field", ""},
		{"a timeout that is none", program(m{"field": "data.color", "timeout": "soon"}), "waitFor.timeout", ""},
		{"an end and a field", program(m{"field": "data.color", "deleted": true}), "waitFor.deleted", ""},
		{"no object", program(forColor, m{"resourceRef": nil}), "resourceRef", ""},
		{"an object without a name", program(forColor, m{"resourceRef": m{"apiVersion": "v1", "kind": "ConfigMap"}}), "resourceRef.name", ""},
		{"another way to fail", program(forColor, m{"onFailure": "ignore"}), "onFailure", "The value must be one of fail, warn."},
		{"triggers that are no list", program(forColor, m{"triggers": "1"}), "triggers", "The value must be a list."},
		{"an input that there is none of", program(forColor, m{"timeout": "1m"}), "timeout", `There is no input "timeout".`},
		{"a token without a host", program(forColor, m{"clusterConnection": m{"token": "x"}}), "clusterConnection.token", "needs host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, failures := unmade(t).Check(c.written)
			require.NotEmpty(t, failures)
			assert.Equal(t, c.at, failures[0].Property)
			assert.Contains(t, failures[0].Reason, c.reason)
		})
	}
}

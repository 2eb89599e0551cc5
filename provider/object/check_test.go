package object_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

// unmade is a resource that nobody has made, of a provider that has no cluster.
func unmade(t *testing.T) *verbs.Resource {
	t.Helper()
	server := verbs.NewServer(t)
	server.Stop()
	t.Cleanup(func() { assert.Empty(t, server.Asked(), "a Check asks nothing") })
	return verbs.New(t, "KubeObject", process(server))
}

func TestCheckBringsInputsIntoOneForm(t *testing.T) {
	t.Parallel()
	secret := func(member string, v any) m {
		return m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "web"}, member: v}
	}
	for _, c := range []struct {
		name    string
		written property.Map
		checked property.Map
		said    []string
	}{
		{"a manifest stays as it is", program(configMap()), program(configMap()), nil},
		{"text becomes the manifest", verbs.Properties(m{"yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {color: blue, size: small}\n"}),
			program(configMap()), nil},
		{"secret text becomes a secret manifest", verbs.Properties(m{"yaml": verbs.Secret("{apiVersion: v1, kind: ConfigMap, metadata: {name: web}}")}),
			program(verbs.Secret(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "web"}})), nil},
		{"a manifest that is secret stays so, and it is said why a preview will show nothing", program(verbs.Secret(configMap())), program(verbs.Secret(configMap())),
			[]string{"INFO The whole manifest of ConfigMap web is secret"}},
		{"unknown text becomes an unknown manifest", verbs.Properties(m{"yaml": verbs.Unknown}), program(verbs.Unknown), nil},
		{"secret text that is unknown stays secret", verbs.Properties(m{"yaml": verbs.Unknown.WithSecret(true)}), program(verbs.Unknown.WithSecret(true)), nil},
		{"an unknown value stays unknown", program(with(verbs.Unknown, "data", "color")), program(with(verbs.Unknown, "data", "color")), nil},
		{"a secret value stays secret", program(with(verbs.Secret("blue"), "data", "color")), program(with(verbs.Secret("blue"), "data", "color")), nil},
		{"a secret list stays secret", program(with(verbs.Secret([]any{"a"}), "metadata", "finalizers")), program(with(verbs.Secret([]any{"a"}), "metadata", "finalizers")), nil},
		{"the data of a Secret are secret whatever the program says", program(secret("data", m{"key": "aHVudGVyMg=="})),
			program(secret("data", verbs.Secret(m{"key": "aHVudGVyMg=="}))), nil},
		{"and so is its stringData", program(secret("stringData", m{"key": "hunter2"})), program(secret("stringData", verbs.Secret(m{"key": "hunter2"}))), nil},
		{"and an unknown value in it", program(secret("stringData", m{"key": verbs.Unknown})), program(secret("stringData", verbs.Secret(m{"key": verbs.Unknown}))), nil},
		{"what the API server alone writes is left out",
			program(with(m{"phase": "Active"}, "status")), program(configMap()), []string{"WARN manifest: status ignored, because only the API server and controllers write it."}},
		{"a connection is secret as a whole", program(configMap(), m{"clusterConnection": m{"host": "https://127.0.0.1:1", "token": "hunter2"}}),
			program(configMap(), m{"clusterConnection": verbs.Secret(m{"host": "https://127.0.0.1:1", "token": verbs.Secret("hunter2")})}), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			web := unmade(t)
			checked, failures := web.Check(c.written)
			require.Empty(t, failures)
			assert.Equal(t, c.checked, checked)
			require.Len(t, web.Said(), len(c.said))
			for i, said := range c.said {
				assert.Contains(t, web.Said()[i], said)
			}
			again, failures := web.Check(checked)
			require.Empty(t, failures)
			assert.Equal(t, checked, again, "a Check of what was checked changes nothing")
		})
	}
}

func TestCheckRefusesWhatIsWrongWithoutARequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		written property.Map
		at      string
		reason  string
	}{
		{"no manifest at all", verbs.Properties(m{}), "manifest", "Give the object as manifest, or as text in yaml."},
		{"a manifest and text", program(configMap(), m{"yaml": "{}"}), "yaml", "Give either manifest or yaml, not both."},
		{"a manifest that is text", program("kind: ConfigMap"), "manifest", "For text use yaml."},
		{"text that is an object", verbs.Properties(m{"yaml": configMap()}), "yaml", "For an object use manifest."},
		{"a manifest without a name", program(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"labels": m{}}}), "manifest.metadata.name", "name"},
		{"a manifest without a kind", program(m{"apiVersion": "v1", "metadata": m{"name": "web"}}), "manifest.kind", "kind"},
		{"an input that there is none of", program(configMap(), m{"conflictsPolicy": "fail"}), "conflictsPolicy", `There is no input "conflictsPolicy".`},
		{"a conflictPolicy that there is none of", program(configMap(), m{"conflictPolicy": "Fail"}), "conflictPolicy", "The value must be one of"},
		{"an onImmutable that there is none of", program(configMap(), m{"onImmutable": "recreate"}), "onImmutable", "The value must be one of"},
		{"a deletionPropagation that there is none of", program(configMap(), m{"deletionPropagation": "orphan"}), "deletionPropagation", "The value must be one of"},
		{"adopt that is a word", program(configMap(), m{"adopt": "yes"}), "adopt", "The value must be true or false."},
		{"forceDestroy that is a word", program(configMap(), m{"forceDestroy": "true"}), "forceDestroy", "The value must be true or false."},
		{"a path to ignore that is no path", program(configMap(), m{"ignoreFields": []any{"data["}}), "ignoreFields[0]", ""},
		{"a path to ignore that is a number", program(configMap(), m{"ignoreFields": []any{"data.color", 1}}), "ignoreFields[1]", "The path must be a string"},
		{"paths to ignore that are no list", program(configMap(), m{"ignoreFields": "data.color"}), "ignoreFields", "The value must be a list of paths."},
		{"a key with dots that is taken for steps", program(with("x", "metadata", "annotations", "example.com/owner"), m{"ignoreFields": []any{"metadata.annotations.example.com/owner"}}),
			"ignoreFields[0]", "A key with dots is written in brackets"},
		{"managers to take over from that are no list", program(configMap(), m{"takeOverFrom": "helm"}), "takeOverFrom", ""},
		{"deleteInstances of what has none", program(configMap(), m{"deleteInstances": true}), "deleteInstances", ""},
		{"a token without a host", program(configMap(), m{"clusterConnection": m{"token": "x"}}), "clusterConnection.token", "needs host"},
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

func TestCheckQuotesNoSecretText(t *testing.T) {
	t.Parallel()
	_, failures := unmade(t).Check(verbs.Properties(m{"yaml": verbs.Secret("password: hunter2: [")}))
	require.Len(t, failures, 1)
	assert.NotContains(t, failures[0].Reason, "hunter2")
	assert.Contains(t, failures[0].Reason, "because it is secret")
}

func TestWhatIsUnknownIsNoMistake(t *testing.T) {
	t.Parallel()
	for _, input := range []string{
		"manifest", "conflictPolicy", "onImmutable", "deletionPropagation", "adopt", "forceDestroy", "ignoreFields", "takeOverFrom", "clusterConnection",
	} {
		t.Run(input, func(t *testing.T) {
			t.Parallel()
			checked, failures := unmade(t).Check(program(configMap(), m{input: verbs.Unknown}))
			assert.Empty(t, failures)
			assert.True(t, checked.Get(input).IsComputed())
		})
	}
}

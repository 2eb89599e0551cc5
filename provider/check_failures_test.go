package provider

import (
	"context"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheEngineIsLedToPrintPlainValuesOnly(t *testing.T) {
	object := property.New(map[string]property.Value{"key": property.New("hunter2")})
	for _, c := range []struct {
		name, path string
		value      property.Value
		printed    bool
	}{
		{"a word", "deletionPropagation", property.New("Later"), true},
		{"a number", "deletionPropagation", property.New(5.0), true},
		{"an input that is missing", "takeOwnership", property.Value{}, false},
		{"a path into an input", "target.name", object, false},
		{"an item of a list", "ignoreFields[0]", property.New([]property.Value{property.New(1.0)}), false},
		{"a word that is secret", "deletionPropagation", property.New("hunter2").WithSecret(true), false},
		{"an object", "target", object, false},
		{"an object that there is no input for", "stringData", object, false},
		{"a list", "triggers", property.New([]property.Value{object}), false},
		{"a list with a secret inside", "ignoreFields", property.New([]property.Value{property.New("x").WithSecret(true)}), false},
		{"a text of several lines that there is no input for", "yml", property.New("kind: Secret\nstringData: {a: hunter2}"), false},
		{"a token", "token", property.New("hunter2"), false},
		{"a connection", "clusterConnection", property.New("hunter2"), false},
		{"a manifest", "manifest", property.New("hunter2"), false},
		{"a text with a manifest", "yaml", property.New("hunter2"), false},
		{"a patch", "patch", object, false},
		{"a JSON patch", "jsonPatch", property.New("hunter2"), false},
		{"a merge patch", "mergePatch", object, false},
		{"a path into a manifest, of which there would be nothing to print", "manifest.data.a", object, false},
		{"a path into a JSON patch", "jsonPatch[0].op", property.New("hunter2"), false},
		{"a manifest that is missing", "manifest", property.Value{}, false},
		{"an input with the beginning of one", "patches", property.New("x"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inputs := property.Map{}
			if !c.value.IsNull() {
				inputs = inputs.Set(strings.FieldsFunc(c.path, func(r rune) bool { return r == '.' || r == '[' })[0], c.value)
			}
			resp, err := redactFailures(func(context.Context, p.CheckRequest) (p.CheckResponse, error) {
				return p.CheckResponse{Failures: []p.CheckFailure{{Property: c.path, Reason: "It is bad."}}}, nil
			})(t.Context(), p.CheckRequest{Inputs: inputs})
			require.NoError(t, err)
			want := p.CheckFailure{Property: c.path, Reason: "It is bad."}
			if !c.printed {
				want = p.CheckFailure{Reason: c.path + ": It is bad."}
			}
			assert.Equal(t, []p.CheckFailure{want}, resp.Failures)
		})
	}
}

func TestFailuresOfTypedResourcesPrintNoValue(t *testing.T) { // [K7]
	built, err := New(NewConfiguration("test"))
	require.NoError(t, err)
	text := property.New("hunter2")
	metadata := property.New(map[string]property.Value{"name": property.New("it")})
	options := func(name string, v property.Value) property.Value {
		return property.New(map[string]property.Value{name: v})
	}
	for name, c := range map[string]struct {
		key   string
		value property.Value
		path  string
	}{
		"metadata that is a text":           {"metadata", text, "metadata: "},
		"a kind that the type does not say": {"kind", text, "kind: "},
		"options that are a text":           {"k8sconnect", text, "k8sconnect: "},
		"an option that there is not":       {"k8sconnect", options("adpt", text), "k8sconnect.adpt: "},
		"an option that is a text":          {"k8sconnect", options("adopt", text), "k8sconnect.adopt: "},
		"a manifest among the options":      {"k8sconnect", options("yaml", text), "k8sconnect.yaml: "},
		"a connection":                      {"k8sconnect", options("clusterConnection", text), "k8sconnect.clusterConnection: "},
	} {
		t.Run(name, func(t *testing.T) {
			inputs := property.NewMap(map[string]property.Value{"metadata": metadata, "stringData": text}).Set(c.key, c.value)
			resp, err := built.Check(t.Context(), p.CheckRequest{Urn: "urn:pulumi:s::p::k8sconnect:core/v1:Secret::it", Inputs: inputs})
			require.NoError(t, err)
			require.NotEmpty(t, resp.Failures)
			found := false
			for _, failure := range resp.Failures {
				assert.Empty(t, failure.Property, "the engine prints its value")
				assert.NotContains(t, failure.Reason, "hunter2")
				found = found || strings.HasPrefix(failure.Reason, c.path)
			}
			assert.True(t, found, "%v", resp.Failures)
			if name == "a connection" {
				assert.Contains(t, resp.Failures[0].Reason, "[InvalidConfiguration]")
			}
		})
	}
}

func TestFailuresOfTypedResourcesNameWhatTheClassHas(t *testing.T) { // [K15]
	t.Parallel()
	built, err := New(NewConfiguration("1.2.3"))
	require.NoError(t, err)
	text, list := property.New("x"), property.New([]property.Value{property.New(property.Null)})
	asset, err := resource.NewTextAsset("x")
	require.NoError(t, err)
	object := func(name string, v property.Value) property.Value {
		return property.New(map[string]property.Value{name: v})
	}
	names := func(texts ...string) property.Value {
		var all []property.Value
		for _, text := range texts {
			all = append(all, property.New(text))
		}
		return property.New(all)
	}
	for _, c := range []struct {
		name string
		with map[string]property.Value
		want []string
	}{
		{"nothing", nil, []string{"metadata: metadata is missing"}},
		{"no name", map[string]property.Value{"metadata": object("namespace", text)}, []string{"metadata.name: metadata.name is missing"}},
		{"a null in a list", map[string]property.Value{"data": object("a", list)}, []string{"data.a[0]: the list item is null"}},
		{"a key that Pulumi cannot read", map[string]property.Value{"data": object("a\\", list)}, []string{`data["a\"][0]: the list item is null`}},
		{"an asset", map[string]property.Value{"data": object("a", property.New(asset))}, []string{"data.a: an asset cannot be"}},
		{"options that there are not", map[string]property.Value{"k8sconnect": property.New(map[string]property.Value{"manifest": text, "what": text})}, []string{
			`k8sconnect.manifest: There is no option "manifest": the fields of the object are at the top`,
			`k8sconnect.what: There is no option "what". The options are adopt, clusterConnection, `,
		}},
		{"a manager in two options", map[string]property.Value{"k8sconnect": property.New(map[string]property.Value{"ignoreManagers": names("helm"), "takeOverFrom": names("helm")})}, []string{
			"k8sconnect.ignoreManagers[0]: k8sconnect.takeOverFrom names the same field manager.",
		}},
		{"a connection", map[string]property.Value{"k8sconnect": object("clusterConnection", object("hots", text))}, []string{
			"k8sconnect.clusterConnection.hots: is not a property of a connection; did you mean host?",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inputs := property.NewMap(c.with)
			if _, given := c.with["metadata"]; !given && c.with != nil {
				inputs = inputs.Set("metadata", object("name", property.New("it")))
			}
			resp, err := built.Check(t.Context(), p.CheckRequest{Urn: "urn:pulumi:dev::shop::k8sconnect:core/v1:ConfigMap::it", Inputs: inputs})
			require.NoError(t, err)
			require.Len(t, resp.Failures, len(c.want), "%v", resp.Failures)
			for i, failed := range resp.Failures {
				assert.Empty(t, failed.Property, "the engine would print its value")
				assert.True(t, strings.HasPrefix(failed.Reason, c.want[i]), "%s", failed.Reason)
			}
		})
	}
}

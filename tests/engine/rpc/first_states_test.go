package rpc_test

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What the first version of the provider kept of a Deployment, a Secret, a ConfigMap with ignored fields, one that has
// drifted, a Patch of each kind and a Wait, each with the program that it came from. NAMESPACE stands for the namespace.
//
//go:embed testdata/first-states.json
var firstStates string

// firstState is one resource in that file.
type firstState struct {
	ID                       string
	URN                      string
	Inputs, Outputs, Program json.RawMessage
}

func (s firstState) properties(t *testing.T, text json.RawMessage) resource.PropertyMap {
	t.Helper()
	var v structpb.Struct
	require.NoError(t, protojson.Unmarshal(text, &v))
	properties, err := plugin.UnmarshalProperties(&v, plugin.MarshalOptions{KeepSecrets: true, KeepUnknowns: true})
	require.NoError(t, err)
	return properties
}

func TestAStateOfTheFirstVersionGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var recorded map[string]firstState
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(firstStates, "NAMESPACE", w.namespace)), &recorded))
	config := inline(newUser(t))
	config["namespace"] = w.namespace

	// What the first version had written, under the same field managers.
	manager := func(name string) string {
		manager, _ := at(t, recorded[name].properties(t, recorded[name].Outputs), "__fieldManager").(string)
		require.NotEmpty(t, manager)
		return manager
	}
	configMap := func(name string, data m) m {
		return m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": name}, "data": data}
	}
	w.apply(manager("deployment"), w.deployment(t, "web"))
	w.apply(manager("secret"), m{"apiVersion": "v1", "kind": "Secret", "metadata": m{"name": "secret"},
		"data": m{"password": base64.StdEncoding.EncodeToString([]byte(hush))}})
	w.apply(manager("ignored"), configMap("ignored", m{"a": "1", "b": "2"}))
	w.apply(manager("drifted"), configMap("drifted", m{"a": "1"}))
	w.patch("ConfigMap", "drifted", data("a", "drift"))
	bodies := map[string]struct {
		kind types.PatchType
		body string
	}{
		"patch":      {types.ApplyPatchType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"patch"},"data":{"a":"9"}}`},
		"mergepatch": {types.MergePatchType, `{"data":{"a":"9"}}`}, "jsonpatch": {types.JSONPatchType, `[{"op":"add","path":"/data/a","value":"9"}]`},
	}
	force := true
	for name, patch := range bodies {
		w.apply("owner", configMap(name, m{"a": "1", "b": "2"}))
		options := metav1.PatchOptions{FieldManager: manager(name)}
		if patch.kind == types.ApplyPatchType {
			options.Force = &force
		}
		_, err := w.objects("ConfigMap").Patch(t.Context(), name, patch.kind, []byte(patch.body), options)
		require.NoError(t, err)
	}

	for name, record := range recorded {
		t.Run(name, func(t *testing.T) {
			kind, object := "ConfigMap", name
			switch name {
			case "deployment":
				kind, object = "Deployment", "web"
			case "secret":
				kind = "Secret"
			case "wait":
				object = "ignored"
			}
			uid, _ := w.value(kind, object, "metadata", "uid").(string)
			in := record.properties(t, record.Program)
			s := &session{t: t, process: start(t, config), urn: resource.URN(record.URN)}
			s.stored = stored{resource.ID(record.ID), record.properties(t, record.Inputs), record.properties(t, record.Outputs), nil, true}
			for _, ref := range []string{"resourceRef", "__uid"} {
				switch known := s.outputs[resource.PropertyKey(ref)]; {
				case known.IsObject():
					known.ObjectValue()["uid"] = resource.NewProperty(uid)
				case known.IsString():
					s.outputs[resource.PropertyKey(ref)] = resource.NewProperty(uid)
				}
			}

			did, _, err := s.preview(in)
			require.NoError(t, err)
			if name == "drifted" {
				require.Equal(t, "update", did, "drift is still seen")
				s.mustUp("update", in).mustUp("same", in)
				assert.Equal(t, "1", w.value("ConfigMap", "drifted", "data", "a"))
				return
			}
			require.Equal(t, "same", did)
			s.mustUp("same", in)
			var after resource.PropertyMap
			switch name {
			case "deployment":
				after = with(t, in, "manifest.spec.replicas", 3)
			case "secret":
				after = with(t, in, "manifest.metadata.labels", m{"app": "db"})
			case "ignored":
				after = with(t, in, "manifest.data.a", "5")
			case "wait":
				after = with(t, in, "waitFor.field", "data.b")
			default:
				target, _ := at(t, in, "target").(m)
				kind := map[string]string{"patch": "patch", "mergepatch": "mergePatch", "jsonpatch": "jsonPatch"}[name]
				after = patching(m{"apiVersion": target["apiVersion"], "kind": target["kind"], "metadata": m{"name": target["name"]}},
					setting(kind, data("a", "10")))
			}
			s.mustUp("update", after).mustUp("same", after)
			require.Empty(t, s.where(hush), "a secret is readable")
			assert.Equal(t, uid, w.value(kind, object, "metadata", "uid"), "in place")
			if object != "ignored" {
				require.NoError(t, s.destroy())
			}
		})
	}
	assert.Equal(t, m{"a": "10", "b": "2"}, w.value("ConfigMap", "jsonpatch", "data"), "a Patch hands its values back")
	assert.Equal(t, m{"a": "10", "b": "2"}, w.value("ConfigMap", "mergepatch", "data"))
	assert.False(t, w.exists("Deployment", "web"))
}

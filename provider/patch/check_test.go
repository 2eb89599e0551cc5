package patch_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

// unmade is a Patch that nobody has made, of a provider that has no cluster.
func unmade(t *testing.T) *verbs.Resource {
	t.Helper()
	server := verbs.NewServer(t)
	server.Stop()
	t.Cleanup(func() { assert.Empty(t, server.Asked(), "a Check asks nothing") })
	return verbs.New(t, "Patch", process(server))
}

func TestCheckBringsPatchesIntoOneForm(t *testing.T) {
	t.Parallel()
	secret := m{"target": m{"apiVersion": "v1", "kind": "Secret", "name": "web"}}
	reference := func(uid, revision any) property.Map {
		return program("patch", paints["patch"], m{"target": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "uid": uid, "revision": revision}})
	}
	for _, c := range []struct {
		name             string
		written, checked property.Map
	}{
		{"a patch stays as it is", program("patch", paints["patch"]), program("patch", paints["patch"])},
		{"operations stay as they are", program("jsonPatch", paints["jsonPatch"]), program("jsonPatch", paints["jsonPatch"])},
		{"text becomes the patch", program("mergePatch", "data: {color: null}"), program("mergePatch", m{"data": m{"color": nil}})},
		{"text becomes operations", program("jsonPatch", `[{"op":"replace","path":"/data/color","value":"red"}]`), program("jsonPatch", paints["jsonPatch"])},
		{"secret text becomes a secret patch", program("patch", verbs.Secret("data: {color: red}")), program("patch", verbs.Secret(paints["patch"]))},
		{"a secret value stays secret", program("patch", m{"data": m{"color": verbs.Secret("red")}}), program("patch", m{"data": m{"color": verbs.Secret("red")}})},
		{"an unknown value stays unknown", program("patch", m{"data": m{"color": verbs.Unknown}}), program("patch", m{"data": m{"color": verbs.Unknown}})},
		{"an unknown patch stays unknown", program("patch", verbs.Unknown.WithSecret(true)), program("patch", verbs.Unknown.WithSecret(true))},
		{"which object it is, the target says", program("patch", m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "web"}, "data": m{"color": "red"}}), program("patch", paints["patch"])},
		{"what is set in a Secret is secret whatever the program says", program("patch", m{"data": m{"key": "aHVudGVyMg=="}}, secret),
			program("patch", m{"data": verbs.Secret(m{"key": "aHVudGVyMg=="})}, secret)},
		{"and the stringData of a Secret is its data", program("patch", m{"stringData": m{"key": "hunter2"}}, secret),
			program("patch", m{"data": verbs.Secret(m{"key": "aHVudGVyMg=="})}, secret)},
		{"and so is what an operation sets in it", program("jsonPatch", []any{m{"op": "add", "path": "/data/key", "value": "aHVudGVyMg=="}}, secret),
			program("jsonPatch", []any{m{"op": "add", "path": "/data/key", "value": verbs.Secret("aHVudGVyMg==")}}, secret)},
		{"the resourceRef of another resource is a target", reference("1", "2"), program("patch", paints["patch"])},
		{"also when its uid and revision are not known yet", reference(verbs.Unknown, verbs.Unknown), program("patch", paints["patch"])},
		{"a connection is secret as a whole", program("patch", paints["patch"], m{"clusterConnection": m{"host": "https://127.0.0.1:1"}}),
			program("patch", paints["patch"], m{"clusterConnection": verbs.Secret(m{"host": "https://127.0.0.1:1"})})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checked, failures := unmade(t).Check(c.written)
			require.Empty(t, failures)
			assert.Equal(t, c.checked, checked)
			again, failures := unmade(t).Check(checked)
			require.Empty(t, failures)
			assert.Equal(t, checked, again, "a Check of what was checked changes nothing")
		})
	}
}

func TestCheckRefusesAPatchThatIsWrongWithoutARequest(t *testing.T) {
	t.Parallel()
	paint := func(more m) property.Map { return program("patch", paints["patch"], more) }
	for _, c := range []struct {
		name       string
		written    property.Map
		at, reason string
	}{
		{"no patch at all", verbs.Properties(m{"target": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web"}, "takeOwnership": true}), "patch", "Give the patch as patch, jsonPatch or mergePatch."},
		{"two patches", paint(m{"mergePatch": m{"data": m{}}}), "mergePatch", "Give exactly one of patch, jsonPatch and mergePatch"},
		{"a patch that sets nothing", program("patch", m{"apiVersion": "v1", "kind": "ConfigMap"}), "patch", "There is no field to set in it."},
		{"a patch that is a number", program("patch", 1), "patch", "The value must be an object"},
		{"operations that are no list", program("jsonPatch", m{"op": "add"}), "jsonPatch", ""},
		{"an operation that there is none of", program("jsonPatch", []any{m{"op": "set", "path": "/data/color", "value": "red"}}), "jsonPatch[0].op", ""},
		{"a path that is none", program("jsonPatch", []any{m{"op": "add", "path": "data.color", "value": "red"}}), "jsonPatch[0].path", ""},
		{"no leave to take fields", paint(m{"takeOwnership": false}), "takeOwnership", "The value must be true."},
		{"no target", paint(m{"target": nil}), "target", "Name the object to patch"},
		{"a target without a name", paint(m{"target": m{"apiVersion": "v1", "kind": "ConfigMap"}}), "target.name", ""},
		{"a target with a misspelt member", paint(m{"target": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namspace": "shop"}}), "target.namspace", `There is no "namspace" in a reference. There are apiVersion, kind, namespace, name, uid, revision.`},
		{"a uid that is no text", paint(m{"target": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "uid": 1}}), "target.uid", "The value must be a text."},
		{"an onDestroy that there is none of", paint(m{"onDestroy": "delete"}), "onDestroy", "The value must be one of"},
		{"an input that there is none of", paint(m{"force": true}), "force", `There is no input "force".`},
		{"a manager to take over from that is no KubeObject", paint(m{"takeOverFrom": []any{"helm"}}), "takeOverFrom[0]", "Name field managers of KubeObjects"},
		{"a path to wait for that is none", paint(m{"waitFor": m{"field": "data["}}), "waitFor.field", ""},
		{"a token without a host", paint(m{"clusterConnection": m{"token": "x"}}), "clusterConnection.token", "needs host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, failures := unmade(t).Check(c.written)
			require.NotEmpty(t, failures)
			assert.Equal(t, c.at, failures[0].Property)
			assert.Contains(t, failures[0].Reason, c.reason)
		})
	}
	t.Run("and quotes no secret text", func(t *testing.T) {
		t.Parallel()
		_, failures := unmade(t).Check(program("patch", verbs.Secret("password: hunter2: [")))
		require.Len(t, failures, 1)
		assert.NotContains(t, failures[0].Reason, "hunter2")
	})
}

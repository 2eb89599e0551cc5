package patch

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// tree reads YAML.
func tree(t *testing.T, text string) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal([]byte(text), &v))
	return v
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	return tree(t, text).(map[string]any)
}

// fields reads paths as they are shown.
func fields(t *testing.T, paths ...string) *fieldpath.Set {
	t.Helper()
	set := fieldpath.NewSet()
	for _, text := range paths {
		path, err := ownership.ParsePath(text)
		require.NoError(t, err)
		set.Insert(path)
	}
	return set
}

func operationsOf(t *testing.T, paths ...string) []fieldpath.Path {
	t.Helper()
	var result []fieldpath.Path
	for _, text := range paths {
		path, err := ownership.ParsePath(text)
		if err != nil {
			path = nil
		}
		result = append(result, path)
	}
	return result
}

// TestEcho shows the output that has the name of the patch: the patch with live values instead of the wanted ones.
func TestEcho(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   inputs
		s    state
		want string
	}{
		"a merge patch has the live values": {
			inputs{kind: keyMergePatch, document: object(t, "data: {a: wanted, list: [1]}")},
			state{State: tracked.State{Live: object(t, "data: {a: live, list: [1, 2]}")}},
			"data: {a: live, list: [1, 2]}",
		},
		"what a merge patch takes away is null while it is gone": {
			inputs{kind: keyMergePatch, document: object(t, "data: {a: null}")}, state{State: tracked.State{Live: map[string]any{}}}, "data: {a: null}",
		},
		"what a merge patch takes away has its value when it is back": {
			inputs{kind: keyMergePatch, document: object(t, "data: {a: null}")}, state{State: tracked.State{Live: object(t, "data: {a: back}")}},
			"data: {a: back}",
		},
		"a JSON patch has live values where they are watched": {
			inputs{kind: keyJSONPatch, document: tree(t, "[{op: test, path: /data/a, value: x}, {op: add, path: /data/a, value: wanted}, {op: remove, path: /data/b}]")},
			state{State: tracked.State{Live: object(t, "data: {a: live}")}, touched: patchedFields{operations: operationsOf(t, "", "data.a", "")}},
			"[{op: test, path: /data/a, value: x}, {op: add, path: /data/a, value: live}, {op: remove, path: /data/b}]",
		},
		"of a JSON patch that is unconfirmed nothing is known but what is written": {
			inputs{kind: keyJSONPatch, document: tree(t, "[{op: add, path: /data/a, value: wanted}]")}, state{State: tracked.State{Live: map[string]any{}}},
			"[{op: add, path: /data/a, value: wanted}]",
		},
		"an apply has what is live of its fields": {
			inputs{kind: keyPatch, document: object(t, "spec: {replicas: 3}")}, state{State: tracked.State{Live: object(t, "spec: {replicas: 5}")}},
			"spec: {replicas: 5}",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			echo, err := c.s.livePatch(c.in)
			require.NoError(t, err)
			plain, _, err := values.FromProperty(echo)
			require.NoError(t, err)
			want, _, err := values.FromProperty(mustProperty(t, tree(t, c.want)))
			require.NoError(t, err)
			assert.Equal(t, want, plain)
		})
	}
}

func mustProperty(t *testing.T, plain any) property.Value {
	t.Helper()
	v, err := values.ToProperty(plain, values.Marks{})
	require.NoError(t, err)
	return v
}

// TestPlaces shows where the diff reports a change to the engine: in the output and the input with the patch's name.
func TestPlaces(t *testing.T) {
	t.Parallel()
	env := "spec: {template: {spec: {containers: [{name: a, env: [{name: X, value: '1'}, {name: V, value: '2'}]}]}}}"
	cases := map[string]struct {
		in     inputs
		s      state
		change string
		place  string
		kind   string
	}{
		"a field of an apply is where it stands in both": {
			inputs{kind: keyPatch, document: object(t, env)}, state{State: tracked.State{Live: object(t, env)}},
			"spec.template.spec.containers[name=a].env[name=V].value",
			"patch.spec.template.spec.containers[0].env[1].value", "update",
		},
		"an item that stands elsewhere is shown with its list": {
			inputs{kind: keyPatch, document: object(t, "env: [{name: V, value: '3'}]")},
			state{State: tracked.State{Live: object(t, "env: [{name: X, value: '1'}, {name: V, value: '2'}]")}},
			"env[name=V].value", "patch.env", "update",
		},
		"a field that only the patch has is added": {
			inputs{kind: keyPatch, document: object(t, "data: {a: '1'}")}, state{State: tracked.State{Live: map[string]any{}}},
			"data.a", "patch.data.a", "add",
		},
		"a field that the patch no longer has is deleted from it": {
			inputs{kind: keyPatch, document: object(t, "data: {a: '1'}")}, state{State: tracked.State{Live: object(t, "data: {a: '1', b: '2'}")}},
			"data.b", "patch.data.b", "delete",
		},
		"a key with a dot is quoted": {
			inputs{kind: keyMergePatch, document: object(t, "metadata: {annotations: {a.b/c: x}}")},
			state{State: tracked.State{Live: object(t, "metadata: {annotations: {a.b/c: y}}")}},
			`metadata.annotations["a.b/c"]`, `mergePatch.metadata.annotations["a.b/c"]`, "update",
		},
		"a field of a JSON patch is the value of the last operation that sets it": {
			inputs{kind: keyJSONPatch, document: tree(t, "[]")},
			state{touched: patchedFields{operations: operationsOf(t, "data.a", "", "data.a")}},
			"data.a", "jsonPatch[2].value", "update",
		},
		"a field inside a value of a JSON patch is inside the operation": {
			inputs{kind: keyJSONPatch, document: tree(t, "[]")},
			state{touched: patchedFields{operations: operationsOf(t, "metadata.annotations")}},
			`metadata.annotations["a.b/c"]`, `jsonPatch[0].value["a.b/c"]`, "update",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, err := ownership.ParsePath(c.change)
			require.NoError(t, err)
			place, kind := c.s.place(ownership.Change{Path: path}, c.in)
			assert.Equal(t, c.place, place)
			assert.Equal(t, c.kind, string(kind))
		})
	}
}

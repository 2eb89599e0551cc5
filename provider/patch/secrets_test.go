package patch

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// TestSecretsOfOperations shows which fields are secret because of a JSON patch, and whether their names are.
func TestSecretsOfOperations(t *testing.T) {
	t.Parallel()
	const env = "spec.containers[name=web].env"
	for name, c := range map[string]struct {
		patch, secret string
		set, once     []string
		places        []string // not known where there are none
		operations    []string
		want          []string
		names         bool
	}{
		"a value that is set": {
			patch: "[{op: add, path: /data/a, value: x}, {op: add, path: /data/b, value: y}]", secret: "[0].value",
			set: []string{"data.a", "data.b"}, places: []string{"data.a", "data.b"}, want: []string{"data.a"},
		},
		"a member of a value: all of the place": {
			patch: "[{op: add, path: /data, value: {a: x, b: y}}]", secret: "[0].value.a",
			set: []string{"data.a", "data.b"}, places: []string{"data"}, want: []string{"data"},
		},
		"a map as a whole, with its names": {
			patch: "[{op: add, path: /data, value: {a: x}}]", secret: "[0].value",
			set: []string{"data.a"}, places: []string{"data"}, want: []string{"data"}, names: true,
		},
		"a map of which a later operation has set a part": {
			patch: "[{op: add, path: /data, value: {a: x}}, {op: add, path: /data/b, value: y}]", secret: "[0].value.a",
			set: []string{"data.a", "data.b"}, places: []string{"data", "data.b"}, operations: []string{"", "data.b"}, want: []string{"data"},
		},
		"an item that is added once": {
			patch: "[{op: add, path: /spec/containers/0/env/-, value: {name: A, value: x}}]", secret: "[0].value.value",
			once: []string{env + "[name=A]"}, places: []string{env + "[name=A]"}, want: []string{env + "[name=A]"},
		},
		"an item that a secret names": {
			patch: "[{op: add, path: /spec/containers/0/env/-, value: {name: A, value: x}}]", secret: "[0].value.name",
			once: []string{env + "[name=A]"}, places: []string{env + "[name=A]"}, want: []string{env + "[name=A]"}, names: true,
		},
		"an item of a set": {
			patch: "[{op: add, path: /metadata/finalizers/-, value: x}]", secret: "[0].value",
			once: []string{`metadata.finalizers[="x"]`}, places: []string{`metadata.finalizers[="x"]`}, want: []string{`metadata.finalizers[="x"]`}, names: true,
		},
		"an item by its position: the list": {
			patch: "[{op: add, path: /args/-, value: x}, {op: replace, path: /args/0, value: y}]", secret: "[0].value",
			set: []string{"args[0]"}, once: []string{"args[2]"}, places: []string{"args[2]", "args[0]"}, want: []string{"args"},
		},
		"a place below a list that is set as a whole": {
			patch: "[{op: add, path: /args, value: [a]}, {op: add, path: /args/-, value: x}]", secret: "[1].value",
			set: []string{"args"}, places: []string{"args", "args[1]"}, want: []string{"args"},
		},
		"what is copied and moved": {
			patch:  "[{op: add, path: /data/a, value: x}, {op: copy, from: /data/a, path: /data/b}, {op: copy, from: /data/z, path: /data/c}]",
			secret: "[0].value", set: []string{"data.a"}, once: []string{"data.b", "data.c"}, places: []string{"data.a", "data.b", "data.c"},
			want: []string{"data.a", "data.b"},
		},
		"a secret place": {
			patch: "[{op: add, path: /data/a, value: x}]", secret: "[0].path", set: []string{"data.a"}, places: []string{"data.a"},
			want: []string{"data"}, names: true,
		},
		"the whole patch": {
			patch: "[{op: add, path: /args/-, value: x}]", secret: "", once: []string{"args[0]"}, places: []string{"args[0]"},
			want: []string{"args"}, names: true,
		},
		"not what is only tested": {
			patch: "[{op: test, path: /data/a, value: x}, {op: add, path: /data/a, value: y}]", secret: "[0].value", set: []string{"data.a"},
			places: []string{"", "data.a"},
		},
		"in a state that does not know the places, all that was done once": {
			patch: "[{op: add, path: /args/-, value: x}, {op: add, path: /data/a, value: y}]", secret: "[0].value", set: []string{"data.a"},
			once: []string{"args[0]", "data.b"}, operations: []string{"", "data.a"}, want: []string{"args[0]", "data.b"}, names: true,
		},
	} {
		t.Run(name+" [D4]", func(t *testing.T) {
			t.Parallel()
			in := inputs{kind: keyJSONPatch, document: tree(t, c.patch)}
			path, err := values.ParsePath(c.secret)
			require.NoError(t, err)
			in.secrets.Add(path)
			secret, names := in.secretOperations(patchedFields{
				set: fields(t, c.set...), removed: fields(t), nonIdempotent: fields(t, c.once...),
				places: operationsOf(t, c.places...), operations: operationsOf(t, c.operations...),
			})
			var got []string
			for _, path := range leaves(secret) {
				got = append(got, ownership.Format(path))
			}
			slices.Sort(got)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.names, names)
		})
	}
}

func TestAListWithASecretIsSecretInTheEcho(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in     inputs
		secret string
		want   []string
	}{
		"of a merge patch": {
			inputs{kind: keyMergePatch, document: object(t, "spec: {args: [a, b], deep: {list: [{v: x, w: y}], c: z}}")}, "spec.args[1]", []string{"spec.args"},
		},
		"of a merge patch, with all that is in its items": {
			inputs{kind: keyMergePatch, document: object(t, "spec: {args: [a, b], list: [{v: x, w: [y]}]}")}, "spec.list[0].w[0]", []string{"spec.list"},
		},
		"of an operation": {
			inputs{kind: keyJSONPatch, document: tree(t, "[{op: add, path: /args, value: [a, b]}, {op: add, path: /data/a, value: x}]")},
			"[0].value[1]", []string{"[0].value"},
		},
		"not a map": {inputs{kind: keyMergePatch, document: object(t, "data: {a: x, b: y}")}, "data.a", []string{"data.a"}},
	} {
		t.Run(name+" [D4]", func(t *testing.T) {
			t.Parallel()
			path, err := values.ParsePath(c.secret)
			require.NoError(t, err)
			c.in.secrets.Add(path)
			marks := c.in.liveSecrets(nothing())
			for _, want := range c.want {
				path, err := values.ParsePath(want)
				require.NoError(t, err)
				assert.True(t, marks.IsSecret(path), want)
			}
			clear, err := values.ParsePath(map[string]string{keyMergePatch: "data.b", keyJSONPatch: "[1].value"}[c.in.kind])
			require.NoError(t, err)
			assert.False(t, marks.IsSecret(clear))
		})
	}
}

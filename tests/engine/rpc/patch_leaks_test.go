package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keptHidden carries a patch with a secret out and looks for the secret in all that is kept, shown and logged: of a
// preview, a create, a read, an unchanged up, a release and its event.
func keptHidden(t *testing.T, s *session, in resource.PropertyMap) {
	t.Helper()
	assert.NotContains(t, clear(s.previewed("create", in)), hush, "preview")
	s.mustUp("create", in)
	requireHidden(t, s)
	for range 2 {
		s.mustRead()
		requireHidden(t, s)
	}
	s.mustUp("same", in)
	requireHidden(t, s)
}

func releasedHidden(t *testing.T, w world, s *session) {
	t.Helper()
	require.NoError(t, s.destroy())
	for _, event := range w.events("PatchReleased") {
		assert.NotContains(t, asJSON(event.Object), hush)
	}
	assert.NotContains(t, s.process.log.all(), hush)
}

func TestSecretsInListsOfAPatch(t *testing.T) {
	t.Parallel()
	const container = "/spec/template/spec/containers/0"
	variable := func(value any) m { return m{"name": "HTTP_PROXY", "value": value} }
	whole := func(operations ...any) m { return m{"jsonPatch": secret(operations)} }
	each := func(operations ...any) m { return m{"jsonPatch": operations} }
	for name, patch := range map[string]m{
		"a variable":                        each(operation("add", container+"/env/-", variable(secret(hush)))),
		"a variable, the whole value":       each(operation("add", container+"/env/-", secret(variable(hush)))),
		"a variable, the whole operation":   each(secret(operation("add", container+"/env/-", variable(hush)))),
		"a variable, the whole patch":       whole(operation("add", container+"/env/-", variable(hush))),
		"a variable before the others":      each(operation("add", container+"/env/0", variable(secret(hush)))),
		"an argument":                       each(operation("add", container+"/args/-", secret(hush))),
		"an argument, the whole patch":      whole(operation("add", container+"/args/-", hush)),
		"an argument in a list of our own":  each(operation("add", container+"/command", []any{"run"}), operation("add", container+"/command/-", secret(hush))),
		"a copy of a variable":              each(operation("replace", container+"/env/0/value", secret(hush)), operation("copy", container+"/env/1/value", container+"/env/0/value")),
		"a value that was moved":            each(operation("add", "/metadata/annotations", m{"x": secret(hush)}), operation("move", "/metadata/annotations/y", "/metadata/annotations/x")),
		"a map of which a part is replaced": each(operation("add", "/metadata/annotations", m{"x": secret(hush), "y": "1"}), operation("replace", "/metadata/annotations/y", "2")),
	} {
		t.Run("a secret that a JSON patch puts there once is secret in every output: "+name+" [D4]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("owner", withArgs(w.deployment(t, "it"), "--user=x"))
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			keptHidden(t, s, patching(w.deployment(t, "it"), patch))
			// The owner puts something in front.
			w.jsonPatch("Deployment", "it", operation("add", container+"/args/0", "--new"), operation("add", container+"/env/0", m{"name": "NEW", "value": "1"}))
			s.mustRead()
			requireHidden(t, s)
			releasedHidden(t, w, s)
		})
	}
	args := []any{"--user=x", secret("--password=" + hush)}
	for name, patch := range map[string]m{
		"patch":      {"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "args": args}}}}}}},
		"mergePatch": {"mergePatch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "image": "nginx:1", "args": args}}}}}}},
		"jsonPatch":  each(operation("add", container+"/args", args)),
		"jsonPatch, two items": each(operation("replace", container+"/args/0", "--user=x"),
			operation("replace", container+"/args/1", secret("--password="+hush))),
	} {
		t.Run("a list with one secret item is secret, wherever the item stands by now: "+name+" [D4]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("owner", withArgs(w.deployment(t, "it"), "-a", "-b"))
			in := patching(w.deployment(t, "it"), patch)
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			keptHidden(t, s, in)
			w.jsonPatch("Deployment", "it", operation("add", container+"/args/0", "--new"))
			assert.NotEmpty(t, drifted(s, in))
			requireHidden(t, s)
			w.jsonPatch("Deployment", "it", operation("remove", container+"/args/0"), operation("remove", container+"/args/0"))
			assert.NotEmpty(t, drifted(s, in))
			requireHidden(t, s)
			releasedHidden(t, w, s)
		})
	}
}

func TestSecretNamesOfAPatch(t *testing.T) {
	t.Parallel()
	const finalizer = "example.com/" + hush
	for name, patch := range map[string]m{
		"an item of a set":               {"jsonPatch": []any{operation("add", "/metadata/finalizers/-", secret(finalizer))}},
		"an item of a set, replaced":     {"jsonPatch": []any{operation("replace", "/metadata/finalizers/0", secret(finalizer))}},
		"a member of a map":              {"jsonPatch": []any{operation("add", "/metadata/annotations", secret(m{hush: "1"}))}},
		"a member of a map inside":       {"jsonPatch": []any{operation("add", "/metadata/annotations", m{"x": "1"}), operation("add", "/data", secret(m{hush: "1"}))}},
		"the place, of a patch as text":  {"jsonPatch": secret("[{op: add, path: /data/" + hush + ", value: x}]")},
		"a place that is removed":        {"jsonPatch": []any{operation("add", "/data/x", "1"), m{"op": "remove", "path": secret("/data/" + hush)}}},
		"an item of a set, by merge":     {"patch": m{"metadata": m{"finalizers": []any{secret(finalizer)}}}},
		"a member of a map, by merge":    {"mergePatch": m{"data": secret(m{hush: "1"})}},
		"an item with a key, by its key": {"jsonPatch": []any{operation("add", "/spec/items/-", m{"name": secret(hush), "v": "1"})}},
	} {
		t.Run("a name that comes from a secret is secret too, in outputs, messages and the event: "+name+" [D4]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			defineBox(t)
			kind, target := "ConfigMap", w.configMap("it", m{"a": "1"})
			if name == "a place that is removed" {
				target = w.configMap("it", m{"a": "1", hush: "2"})
			}
			if name == "an item with a key, by its key" {
				kind, target = "Box", w.box("it", m{"items": []any{m{"name": "p", "v": "1"}}})
			}
			target["metadata"].(m)["finalizers"] = []any{"example.com/a"}
			w.apply("owner", target)
			t.Cleanup(func() {
				world{lasting{t}, w.client, w.namespace}.patch(kind, "it", m{"metadata": m{"finalizers": nil}})
			})
			in := patching(target, patch)
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			keptHidden(t, s, in)
			// Another Patch that wants the same is told whose it is, not what.
			other := another(t, w, s)
			_, _, err := other.preview(in)
			if err != nil {
				assert.NotContains(t, err.Error(), hush)
			}
			releasedHidden(t, w, s)
		})
	}
}

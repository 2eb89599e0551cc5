package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPatch(t *testing.T) {
	t.Parallel()
	eachKind(t, "create, update, destroy [P1]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		p := start(t, inline(newUser(t)))
		s := patched(t, w, p, "it")
		first, second := patching(w.configMap("it", nil), setting(kind, data("a", "9"))), patching(w.configMap("it", nil), setting(kind, data("a", "10")))

		outputs := s.previewed("create", first)
		assert.Equal(t, "9", at(t, outputs, "managedFields.data.a"))
		assert.Equal(t, "1", w.value("ConfigMap", "it", "data", "a"))

		s.mustUp("create", first)
		requirePatched(t, s)
		live := w.get("ConfigMap", "it")
		assert.Equal(t, m{"a": "9", "b": "2"}, w.value("ConfigMap", "it", "data"))
		assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/it", string(s.id))
		assert.Equal(t, data("a", "9"), at(t, s.outputs, "managedFields"), "these fields and no others")
		assert.Equal(t, m{"data.a": patchManager(s.urn)}, at(t, s.outputs, "fieldOwnership"))
		assert.Equal(t, m{"data.a": "eks"}, at(t, s.outputs, "previousOwners"))
		assert.Equal(t, plain(first[resource.PropertyKey(kind)]), plain(s.outputs[resource.PropertyKey(kind)]))
		for key, want := range map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "namespace": w.namespace, "name": "it", "uid": string(live.GetUID()),
		} {
			assert.Equal(t, want, at(t, s.outputs, "resourceRef."+key), key)
		}
		assert.NotEmpty(t, at(t, s.outputs, "resourceRef.revision"))
		assert.Nil(t, at(t, s.outputs, "clusterConnection"))
		for _, other := range patchKinds {
			assert.Equal(t, other == kind, s.outputs.HasValue(resource.PropertyKey(other)), other)
		}
		assert.Contains(t, w.ownedBy(s, "ConfigMap", "it"), "f:a")

		revision := at(t, s.outputs, "resourceRef.revision")
		s.in(start(t, inline(newUser(t))))
		assert.Equal(t, map[string]string{shownAt(kind, "data.a"): "update"}, s.mustDiff(second))
		outputs = s.previewed("update", second)
		assert.Equal(t, "10", at(t, outputs, "managedFields.data.a"))
		assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
		s.mustUp("update", second)
		requirePatched(t, s)
		assert.Equal(t, "10", at(t, s.outputs, "managedFields.data.a"))
		assert.Equal(t, m{"data.a": "eks"}, at(t, s.outputs, "previousOwners"), "who had it before, still")
		assert.NotEqual(t, revision, at(t, s.outputs, "resourceRef.revision"), "a Wait on it runs again")
		assert.Equal(t, live.GetUID(), w.get("ConfigMap", "it").GetUID())

		require.NoError(t, s.destroy())
		assert.Equal(t, m{"a": "10", "b": "2"}, w.value("ConfigMap", "it", "data"))
		assert.Empty(t, s.warned())
	})
	eachKind(t, "a second up has nothing to do and says nothing [P18]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, g.connection()), "it").mustUp("create", in)
		before, kept := w.version("ConfigMap", "it"), s.outputs
		for range 2 {
			s.in(start(t, g.connection()))
			g.takeSeen()
			assert.Empty(t, s.mustDiff(in))
			assert.Empty(t, g.takeSeen(), "an unchanged diff asks nobody")
			s.previewed("same", in)
			s.mustUp("same", in)
			assert.Empty(t, s.warned())
			assert.Equal(t, []string{"discovery v1", "GET", "GET"}, g.takeSeen(), "one read each")
		}
		assert.Equal(t, before, w.version("ConfigMap", "it"))
		assert.Equal(t, plain(resource.NewProperty(kept)), plain(resource.NewProperty(s.outputs)))
	})
	t.Run("the kind of the patch is changed in place [P1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		did := "create"
		for i, kind := range []string{"patch", "jsonPatch", "mergePatch", "patch", "mergePatch", "jsonPatch", "patch"} {
			value := string(rune('A' + i))
			in := patching(w.configMap("it", nil), setting(kind, data("a", value)))
			id := s.id
			s.mustUp(did, in).mustUp("same", in)
			if did == "update" {
				assert.Equal(t, id, s.id)
			}
			did = "update"
			assert.Equal(t, value, w.value("ConfigMap", "it", "data", "a"))
			assert.Contains(t, w.ownedBy(s, "ConfigMap", "it"), "f:a", "one entry, of the new kind")
			assert.Equal(t, m{"data.a": patchManager(s.urn)}, at(t, s.outputs, "fieldOwnership"))
			assert.Equal(t, m{"data.a": "eks"}, at(t, s.outputs, "previousOwners"))
			for _, other := range patchKinds {
				assert.Equal(t, other == kind, s.outputs.HasValue(resource.PropertyKey(other)), other)
			}
		}
	})
	t.Run("the kind of the patch is changed in place, and the value stays the same [P1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		did := "create"
		for _, kind := range []string{"patch", "jsonPatch", "mergePatch", "patch", "mergePatch", "jsonPatch", "patch"} {
			in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
			s.mustUp(did, in).mustUp("same", in)
			did = "update"
			assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
			w.ownedBy(s, "ConfigMap", "it")
			w.patch("ConfigMap", "it", data("a", "drift"))
			assert.Equal(t, map[string]string{shownAt(kind, "data.a"): "update"}, drifted(s, in))
			s.mustUp("update", in)
		}
	})
	eachKind(t, "text and value are one, and formatting is no difference [P19]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		texts := map[string][]string{
			"patch":      {"data: {a: '9', c: '7'}", "# changed\ndata:\n    c: \"7\"\n    a: \"9\"\n", `{"data":{"c":"7","a":"9"}}`, "---\ndata:\n  a: '9'\n  c: '7'\n"},
			"mergePatch": {"data: {a: '9', c: '7'}", "# changed\ndata:\n    c: \"7\"\n    a: \"9\"\n", `{"data":{"c":"7","a":"9"}}`},
			"jsonPatch": {
				"[{op: add, path: /data/a, value: '9'}, {op: add, path: /data/c, value: '7'}]",
				"# changed\n- op: add\n  value: \"9\"\n  path: /data/a\n- {path: /data/c, value: '7', op: add}\n",
				`[{"path":"/data/a","op":"add","value":"9"},{"op":"add","path":"/data/c","value":"7"}]`,
			},
		}[kind]
		s, did := patched(t, w, start(t, inline(newUser(t))), "it"), "create"
		for _, text := range texts {
			s.mustUp(did, patching(w.configMap("it", nil), m{kind: text}))
			did = "same"
		}
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "c", "7")))
		assert.Empty(t, s.mustDiff(in))
		s.mustUp("same", in)
		assert.Equal(t, m{"a": "9", "b": "2", "c": "7"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "preview, diff and refresh never write [P21]", func(t *testing.T, kind string) {
		w, user := newWorld(t), newUser(t)
		w.apply("eks", w.configMap("it", nil))
		in, after := patching(w.configMap("it", nil), setting(kind, data("a", "9"))), patching(w.configMap("it", nil), setting(kind, data("b", "10")))
		s := patched(t, w, start(t, inline(user)), "it")
		harmless := func(act func()) {
			t.Helper()
			take, before := requests(t, user), w.version("ConfigMap", "it")
			act()
			for _, request := range take() {
				assert.Contains(t, []string{"GET", "PATCH dry-run", "discovery v1"}, request)
			}
			assert.Equal(t, before, w.version("ConfigMap", "it"))
		}
		harmless(func() { s.previewed("create", in) })
		s.mustUp("create", in)
		harmless(func() {
			s.previewed("same", in)
			s.previewed("update", after)
			s.mustDiff(after)
			s.mustRead().mustDiff(in)
		})
		w.patch("ConfigMap", "it", data("a", "drift"))
		harmless(func() {
			s.previewed("update", in)
			s.mustRead()
			s.previewed("update", after)
			s.previewed("update", in)
		})
		w.delete("ConfigMap", "it")
		require.NoError(t, s.read())
		assert.False(t, w.exists("ConfigMap", "it"))
	})
	eachKind(t, "a connection of its own is used by every verb, and is in no output", func(t *testing.T, kind string) {
		w, user := newWorld(t), newUser(t)
		w.apply("eks", w.configMap("it", nil))
		own := func(value string) resource.PropertyMap {
			return patching(w.configMap("it", nil), setting(kind, data("a", value)), m{"clusterConnection": inline(user)})
		}
		s := patched(t, w, start(t, m{"host": closedHost(t), "token": "t", "insecure": true}), "it")
		s.previewed("create", own("9"))
		s.mustUp("create", own("9")).mustUp("same", own("9")).mustUp("update", own("10"))
		hasNo := clear(s.outputs)
		assert.NotContains(t, hasNo, user.Host)
		assert.NotContains(t, hasNo, "clientKey")
		user = newUser(t)
		s.mustUp("same", own("10"))
		require.NoError(t, s.destroy())
	})
	t.Run("an import is refused with the reason", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		err := patched(t, w, start(t, inline(newUser(t))), "it").importID("v1/ConfigMap/" + w.namespace + "/it")
		require.ErrorContains(t, err, "Patch")
		assert.ErrorContains(t, err, "import")
	})
}

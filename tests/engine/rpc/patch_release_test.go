package rpc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestAFieldThatIsDroppedFromAPatch(t *testing.T) {
	t.Parallel()
	eachKind(t, "keeps its value and is nobody's of ours [P24]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		both := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10", "new", "11")))
		one := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", both)
		assert.NotEmpty(t, s.mustDiff(one))
		outputs := s.previewed("update", one)
		assert.Equal(t, data("a", "9"), at(t, outputs, "managedFields"))
		assert.Equal(t, m{"a": "9", "b": "10", "new": "11"}, w.value("ConfigMap", "it", "data"))
		s.mustUp("update", one).mustUp("same", one)
		assert.Equal(t, m{"a": "9", "b": "10", "new": "11"}, w.value("ConfigMap", "it", "data"), "released, not deleted")
		owned := w.ownedBy(s, "ConfigMap", "it")
		assert.Contains(t, owned, "f:a")
		assert.NotContains(t, owned, "f:b")
		assert.NotContains(t, owned, "f:new")
		assert.Equal(t, data("a", "9"), at(t, s.outputs, "managedFields"))
		assert.Equal(t, m{"data.a": patchManager(s.urn)}, at(t, s.outputs, "fieldOwnership"))
		assert.Equal(t, m{"data.a": "eks"}, at(t, s.outputs, "previousOwners"))
		w.patch("ConfigMap", "it", data("new", "theirs"))
		assert.Empty(t, drifted(s, one))
		require.NoError(t, w.applies("eks", w.configMap("it", m{"a": "9", "b": "theirs again"})), "what was dropped is free")
		s.mustUp("same", one)
	})
	eachKind(t, "is dropped while another one comes, and while all change [P24]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		other := patching(w.configMap("it", nil), setting(kind, data("b", "10")))
		s.mustUp("update", other).mustUp("same", other)
		assert.Equal(t, m{"a": "9", "b": "10"}, w.value("ConfigMap", "it", "data"))
		owned := w.ownedBy(s, "ConfigMap", "it")
		assert.NotContains(t, owned, "f:a")
		assert.Contains(t, owned, "f:b")
		assert.Equal(t, m{"data.b": "eks"}, at(t, s.outputs, "previousOwners"))
		require.NoError(t, w.applies("eks", w.configMap("it", m{"a": "theirs", "b": "10"})))
	})
	eachKind(t, "is dropped with a change of the kind of patch [P24]", func(t *testing.T, kind string) {
		for _, next := range patchKinds {
			w := newWorld(t)
			w.apply("eks", w.configMap("it", nil))
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			s.mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10"))))
			one := patching(w.configMap("it", nil), setting(next, data("b", "11")))
			s.mustUp("update", one).mustUp("same", one)
			assert.Equal(t, m{"a": "9", "b": "11"}, w.value("ConfigMap", "it", "data"), next)
			owned := w.ownedBy(s, "ConfigMap", "it")
			assert.NotContains(t, owned, "f:a", next)
			assert.Contains(t, owned, "f:b", next)
			require.NoError(t, s.destroy())
		}
	})
	t.Run("may be one that the object must have [P24] [P29]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		container := func(fields m) m {
			fields["name"] = "web"
			return m{"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{fields}}}}}}
		}
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.mustUp("create", patching(w.deployment(t, "it"), container(m{"image": "nginx:9", "imagePullPolicy": "Always"})))
		less := patching(w.deployment(t, "it"), container(m{"imagePullPolicy": "Always"}))
		s.mustUp("update", less).mustUp("same", less)
		assert.Equal(t, "nginx:9", containerOf(t, w, "it")["image"])
		assert.NotContains(t, w.ownedBy(s, "Deployment", "it"), "f:image\"")
		// A whole container, which nobody else has.
		sidecar := m{"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "side", "image": "s:1"}, m{"name": "web", "imagePullPolicy": "Always"}}}}}}}
		s.mustUp("update", patching(w.deployment(t, "it"), sidecar))
		s.mustUp("update", less).mustUp("same", less)
		assert.Len(t, w.value("Deployment", "it", "spec", "template", "spec", "containers"), 2, "it stays, whole")
	})
}

func TestAPatchThatIsDestroyed(t *testing.T) {
	t.Parallel()
	eachKind(t, "leaves its values, and who was there before applies again without a conflict [P25]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "new", "10")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		require.Error(t, w.applies("eks", w.configMap("it", nil)), "while the Patch is there, it is a conflict")
		require.NoError(t, s.destroy())
		assert.Equal(t, m{"a": "9", "b": "2", "new": "10"}, w.value("ConfigMap", "it", "data"))
		require.NoError(t, w.applies("eks", w.configMap("it", nil)))
		assert.Equal(t, m{"a": "1", "b": "2", "new": "10"}, w.value("ConfigMap", "it", "data"))
		s.mustUp("create", in)
		require.NoError(t, s.destroy())
	})
	eachKind(t, "says so in an Event on the target [P25]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", secret(hush)))))
		require.Empty(t, w.events("PatchReleased"))
		require.NoError(t, s.destroy())
		events := w.events("PatchReleased")
		require.Len(t, events, 1)
		event := events[0].Object
		about, _ := event["involvedObject"].(m)
		assert.Equal(t, m{"apiVersion": "v1", "kind": "ConfigMap", "name": "it", "namespace": w.namespace, "uid": string(w.get("ConfigMap", "it").GetUID())},
			only(about, "apiVersion", "kind", "name", "namespace", "uid"))
		assert.Equal(t, "Normal", event["type"])
		assert.NotEmpty(t, event["message"])
		requireHidden(t, s)
	})
	eachKind(t, "by one who may not write Events is destroyed [P25]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		user := w.limited("patcher", []string{"get", "patch"}, "", "configmaps")
		s := patched(t, w, start(t, inline(user)), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		require.NoError(t, s.destroy())
		assert.Empty(t, w.ownedBy(s, "ConfigMap", "it"))
		assert.Empty(t, w.events("PatchReleased"))
		assert.Empty(t, s.process.log.warnings())
	})
	eachKind(t, "as the only manager leaves the object to the one before, without a conflict [P26]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", m{"a": "1"}))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		managers := w.get("ConfigMap", "it").GetManagedFields()
		for _, manager := range managers {
			if manager.Manager != patchManager(s.urn) {
				assert.NotContains(t, manager.FieldsV1.GetRawString(), "f:a")
			}
		}
		require.NoError(t, s.destroy())
		assert.Equal(t, m{"a": "9"}, w.value("ConfigMap", "it", "data"))
		require.NoError(t, w.applies("eks", w.configMap("it", m{"a": "1"})), "no conflict with before-first-apply")
		assert.Equal(t, m{"a": "1"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "on an object that was nobody's [P26]", func(t *testing.T, kind string) {
		w := newWorld(t)
		bare := w.create(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "it", "namespace": w.namespace}})
		require.Empty(t, bare.GetManagedFields())
		in := map[string]m{
			"patch": {"patch": data("a", "9")}, "mergePatch": {"mergePatch": data("a", "9")},
			"jsonPatch": {"jsonPatch": []any{operation("add", "/data", m{"a": "9"})}},
		}[kind]
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), in)).
			mustUp("same", patching(w.configMap("it", nil), in))
		require.NoError(t, s.destroy())
		assert.Equal(t, m{"a": "9"}, w.value("ConfigMap", "it", "data"))
		if kind == "patch" {
			// Of an object without any entry the API server notes no other changes.
			require.NoError(t, w.applies("eks", w.configMap("it", m{"a": "1"})))
		}
	})
	eachKind(t, "hands back what the object must have [P29]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.deployment(t, "it"))
		in := map[string]m{
			"patch":      {"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "image": "nginx:9"}}}}}}},
			"mergePatch": {"mergePatch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "image": "nginx:9"}}}}}}},
			"jsonPatch":  {"jsonPatch": []any{operation("replace", "/spec/template/spec/containers/0/image", "nginx:9")}},
		}[kind]
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.deployment(t, "it"), in))
		require.NoError(t, s.destroy())
		assert.Equal(t, "nginx:9", containerOf(t, w, "it")["image"])
		require.NoError(t, w.applies("eks", w.deployment(t, "it")))
	})
	eachKind(t, "after a drift leaves the values of whoever has changed them [P25]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10"))))
		w.patch("ConfigMap", "it", data("a", "drift"))
		require.NoError(t, s.destroy())
		assert.Equal(t, m{"a": "drift", "b": "10"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "of a very long name is destroyed, and is not taken for another one", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		p := start(t, inline(newUser(t)))
		long := strings.Repeat("long-", 40)
		s := patched(t, w, p, long+"1").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		s2 := patched(t, w, p, long+"2").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("b", "10"))))
		assert.Contains(t, w.ownedBy(s, "ConfigMap", "it"), "f:a")
		require.NoError(t, s.destroy())
		assert.Contains(t, w.ownedBy(s2, "ConfigMap", "it"), "f:b")
	})
	eachKind(t, "and made again by --replace stays what is new [P25]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		s.in(start(t, inline(newUser(t))))
		old := *s
		s.stored = stored{}
		require.NoError(t, s.create(in), "the engine creates the new one first")
		require.NoError(t, old.delete(), "and then deletes the old one, in the same process")
		assert.Contains(t, w.ownedBy(s, "ConfigMap", "it"), "f:a")
		s.mustUp("same", in)
		s.in(start(t, inline(newUser(t)))).mustUp("same", in)
		require.Error(t, w.applies("eks", w.configMap("it", nil)))
		require.NoError(t, s.destroy())
	})
	eachKind(t, "and made again by --replace with another patch hands back what the new one does not have [P25]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10"))))
		s.in(start(t, inline(newUser(t))))
		old := *s
		s.stored = stored{}
		one := patching(w.configMap("it", nil), setting(kind, data("a", "9")))
		require.NoError(t, s.create(one))
		require.NoError(t, old.delete())
		assert.Equal(t, m{"a": "9", "b": "10"}, w.value("ConfigMap", "it", "data"))
		assert.Contains(t, w.ownedBy(s, "ConfigMap", "it"), "f:a")
		s.mustUp("same", one)
		require.NoError(t, s.destroy())
		require.NoError(t, w.applies("eks", w.configMap("it", nil)))
	})
}

// events are those of a reason in the namespace.
func (w world) events(reason string) []unstructured.Unstructured {
	w.t.Helper()
	all, err := w.objects("Event").List(w.t.Context(), listAll)
	require.NoError(w.t, err)
	var events []unstructured.Unstructured
	for _, event := range all.Items {
		if event.Object["reason"] == reason {
			events = append(events, event)
		}
	}
	return events
}

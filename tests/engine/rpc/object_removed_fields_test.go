package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

func takingOver(managers ...any) map[string]any { return map[string]any{"takeOverFrom": managers} }

// previews is what a preview says: what it does, its diff, and all messages.
func (s *session) previews(in resource.PropertyMap) (did string, diff map[string]string, said string) {
	s.t.Helper()
	other := *s
	other.process = s.process.again(s.t)
	w := other.operate(engine.Preview, in)
	require.NoError(s.t, w.cause())
	return w.did(), kinds(s.t, *w.diff), other.process.log.all()
}

// envOfHelm is a Deployment that helm has applied, with a variable that has its value from a field.
func (w world) envOfHelm(t testing.TB) map[string]any {
	t.Helper()
	made := w.deployment(t, "web")
	container := made["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
	container["env"] = []any{map[string]any{"name": "NS", "valueFrom": map[string]any{"fieldRef": map[string]any{"fieldPath": "metadata.namespace"}}}}
	w.apply("helm", made)
	return made
}

func withoutEnv(t testing.TB, w world) map[string]any {
	t.Helper()
	made := w.deployment(t, "web")
	container := made["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
	delete(container, "env")
	return made
}

// TestWhatLeavesTheManifestAndStays is about fields that other managers own, too.
func TestWhatLeavesTheManifestAndStays(t *testing.T) {
	t.Parallel()
	t.Run("is not shown as going, is named with its owners, and goes once it is taken over [D32] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", map[string]any{"a": "1", "b": "2"}))
		all := w.configMap("web", map[string]any{"a": "1", "b": "2", "ours": "3"})
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(all, adopting))
		in := program(w.configMap("web", map[string]any{"a": "1"}))
		did, diff, said := s.previews(in)
		assert.Equal(t, "update", did)
		assert.Equal(t, map[string]string{"manifest.data.ours": "delete"}, diff)
		assert.Contains(t, said, "  data.b (helm)")
		assert.Contains(t, said, `takeOverFrom: ["helm"]`)
		assert.NotContains(t, said, "data.ours")
		s.in(s.process.again(t)).mustUp("update", in)
		assert.Contains(t, s.warned(), `takeOverFrom: ["helm"]`, "an up says it, too")
		assert.Len(t, s.process.log.warnings(), 1, "once")
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
		s.in(s.process.again(t)).mustUp("same", in)
		assert.Empty(t, s.warned(), "an unchanged preview has nothing to say")

		in = program(w.configMap("web", map[string]any{"a": "1"}), takingOver("helm"))
		did, diff, said = s.previews(in)
		assert.Equal(t, "update", did)
		assert.Equal(t, map[string]string{"takeOverFrom": "update"}, diff)
		assert.Contains(t, said, "takes over from helm: data.a, data.b")
		assert.Contains(t, said, "removes fields that left the manifest earlier and that no other manager owns any more: data.b")
		assert.Equal(t, "2", w.value("ConfigMap", "web", "data", "b"))
		s.in(s.process.again(t)).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "1"}, w.value("ConfigMap", "web", "data"))
		assert.Equal(t, []string{s.managerIn()}, managersOf(w.get("ConfigMap", "web")))
	})
	t.Run("alone, it is an update that gives up the ownership [D32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", nil), adopting))
		in := program(w.configMap("web", map[string]any{"a": "1"}))
		did, diff, said := s.previews(in)
		assert.Equal(t, "update", did)
		assert.Equal(t, map[string]string{"__appliedFields": "update"}, diff)
		assert.Contains(t, said, "  data.b (helm)")
		s.mustUp("update", in).mustUp("same", in)
		assert.NotContains(t, w.ours(t, s, "ConfigMap", "web"), "f:b")
		w.apply("helm", w.configMap("web", map[string]any{"a": "1", "b": "changed"}))
		s.mustUp("same", in)
	})
	t.Run("of an item, the whole item stays, and the preview says so [D32] [D48]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := w.envOfHelm(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(made, adopting))
		before := containerOf(t, w, "web")["env"]
		in := program(withoutEnv(t, w))
		_, diff, said := s.previews(in)
		assert.Equal(t, map[string]string{"__appliedFields": "update"}, diff)
		assert.Contains(t, said, "  spec.template.spec.containers[name=web].env[name=NS]")
		assert.Contains(t, said, `takeOverFrom: ["helm"]`)
		assert.NotContains(t, said, "are not this resource's")
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, before, containerOf(t, w, "web")["env"])

		in = program(withoutEnv(t, w), takingOver("helm"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Nil(t, containerOf(t, w, "web")["env"], "the item is gone, and not a piece of it is left")
	})
	t.Run("a later update does not say that it goes, and does not forget it: what is advised removes it [D105]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := w.envOfHelm(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(made, adopting))
		before := containerOf(t, w, "web")["env"]
		without := program(withoutEnv(t, w))
		s.mustUp("update", without)
		for _, seconds := range []int{3, 4} {
			in := with(t, without, "manifest.spec.minReadySeconds", seconds)
			_, diff, said := s.previews(in)
			assert.Equal(t, map[int]map[string]string{
				3: {"manifest.spec.minReadySeconds": "add"}, 4: {"manifest.spec.minReadySeconds": "update"},
			}[seconds], diff)
			assert.NotContains(t, said, "env[name=NS]", "nothing happens to it")
			s.in(s.process.again(t)).mustUp("update", in).mustUp("same", in)
			assert.Empty(t, s.process.log.all())
			assert.Equal(t, before, containerOf(t, w, "web")["env"])
		}
		in := with(t, program(withoutEnv(t, w), takingOver("helm")), "manifest.spec.minReadySeconds", 4)
		_, _, said := s.previews(in)
		assert.Contains(t, said, "removes fields that left the manifest earlier and that no other manager owns any more: "+
			"spec.template.spec.containers[name=web].env[name=NS].valueFrom.fieldRef")
		s.mustUp("update", in).mustUp("same", in)
		assert.Nil(t, containerOf(t, w, "web")["env"])
	})
	t.Run("and that nobody owns any more is said to stay, once [D105]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", nil), adopting))
		s.mustUp("update", program(w.configMap("web", map[string]any{"a": "1"})))
		var ours []any
		for _, entry := range w.value("ConfigMap", "web", "metadata", "managedFields").([]any) {
			if entry.(map[string]any)["manager"] != "helm" {
				ours = append(ours, entry)
			}
		}
		w.jsonPatch("ConfigMap", "web", map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": ours})
		for _, again := range []bool{false, true} {
			in := program(w.configMap("web", map[string]any{"a": "2", "c": map[bool]string{false: "3", true: "4"}[again]}))
			s.in(s.process.again(t)).mustUp("update", in)
			assert.NotContains(t, s.process.log.all(), "removes")
			assert.Equal(t, !again, strings.Contains(s.process.log.all(), "stay on the object without an owner: data.b"), s.process.log.all())
			assert.Equal(t, "2", w.value("ConfigMap", "web", "data", "b"))
			s.mustUp("same", in)
		}
		// As it is advised.
		s.mustUp("update", program(w.configMap("web", map[string]any{"a": "2", "b": "2"})))
		s.mustUp("update", program(w.configMap("web", map[string]any{"a": "2"})))
		assert.Equal(t, map[string]any{"a": "2"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("and was taken over once is to be named again [D105]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", nil), adopting, takingOver("helm")))
		w.apply("helm", w.configMap("web", nil))
		in, unnamed := program(w.configMap("web", map[string]any{"a": "1"}), takingOver("helm")), program(w.configMap("web", map[string]any{"a": "1"}))
		s.in(s.process.again(t)).mustUp("update", in)
		assert.Contains(t, s.warned(), "data.b (helm)")
		assert.Contains(t, s.warned(), `once without "helm" in takeOverFrom, and once with it`)
		s.mustUp("same", unnamed).mustUp("update", in)
		assert.Equal(t, map[string]any{"a": "1"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("does not include a map whose former owner has none of its keys any more [D116]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		_, err := w.objects("ConfigMap").Create(t.Context(), unstructuredOf(w.configMap("web", nil)), metav1.CreateOptions{FieldManager: "kubectl-create"})
		require.NoError(t, err)
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		in := program(w.configMap("web", map[string]any{"a": "x", "b": "y"}))
		_, _, said := s.previews(in)
		assert.NotContains(t, said, "stay on the object")
		s.in(s.process.again(t)).mustUp("update", in)
		assert.NotContains(t, s.process.log.all(), "stay on the object")
		s.mustUp("same", in)
	})
	t.Run("set again, it is no longer left behind [D32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", nil), adopting))
		s.mustUp("update", program(w.configMap("web", map[string]any{"a": "1"})))
		assert.NotNil(t, at(t, s.outputs, "__leftBehind"))
		s.mustUp("update", program(w.configMap("web", nil)))
		assert.Nil(t, at(t, s.outputs, "__leftBehind"))
		in := program(w.configMap("web", nil), takingOver("helm"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("does not show the names of fields that are secret [D32] [D4]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		object := func() map[string]any { return w.configMap("web", map[string]any{"a": "1"}) }
		theirs := object()
		theirs["metadata"].(map[string]any)["annotations"] = map[string]any{"example.com/" + hush: "1"}
		w.apply("helm", theirs)
		hidden := object()
		hidden["metadata"].(map[string]any)["annotations"] = secret(map[string]any{"example.com/" + hush: "1"})
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(hidden, adopting))
		s.mustUp("update", program(object()))
		assert.Contains(t, s.process.log.all(), "[secret]")
		requireHidden(t, s)
		s.mustUp("update", program(object(), takingOver("helm")))
		requireHidden(t, s)
		assert.Nil(t, w.value("ConfigMap", "web", "metadata", "annotations"))
	})
}

// TestAnImportTakesOverWhatKubectlApplied is about the first update after an import.
func TestAnImportTakesOverWhatKubectlApplied(t *testing.T) {
	t.Parallel()
	annotated := func(w world, more ...string) map[string]any {
		manifest := w.configMap("web", nil)
		annotations := map[string]any{}
		for _, name := range more {
			annotations[name] = "1"
		}
		if len(more) > 0 {
			manifest["metadata"].(map[string]any)["annotations"] = annotations
		}
		return manifest
	}
	t.Run("client-side: what leaves the manifest leaves the object [D32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		text, err := json.Marshal(annotated(w, "acme.io/x"))
		require.NoError(t, err)
		made := annotated(w, "acme.io/x")
		made["metadata"].(map[string]any)["annotations"].(map[string]any)["kubectl.kubernetes.io/last-applied-configuration"] = string(text)
		_, err = w.objects("ConfigMap").Create(t.Context(), unstructuredOf(made), metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"})
		require.NoError(t, err)
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		in := program(annotated(w))
		did, diff, said := s.previews(in)
		assert.Equal(t, "update", did)
		assert.Equal(t, map[string]string{"manifest.metadata.annotations": "delete"}, diff)
		assert.NotContains(t, said, "takeOverFrom")
		s.mustUp("update", in).mustUp("same", in)
		assert.Nil(t, w.value("ConfigMap", "web", "metadata", "annotations"))
		assert.Equal(t, []string{s.managerIn()}, managersOf(w.get("ConfigMap", "web")))
	})
	t.Run("client-side: what is ignored stays [D32] [D2]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.kubectlCreate(w.configMap("web", map[string]any{"a": "1", "b": "2", "theirs": "3"}))
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		in := program(w.configMap("web", map[string]any{"a": "9", "b": "changed"}), ignoring("data.b", "data.theirs"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "9", "b": "2", "theirs": "3"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("server-side: the import says who is left behind, and what leaves and stays is not shown as going [D32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("kubectl", annotated(w, "acme.io/x"))
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		assert.Contains(t, s.process.log.all(), `kubectl applied this object and keeps owning its fields`)
		assert.Contains(t, s.process.log.all(), `takeOverFrom: ["kubectl"]`)
		in := program(annotated(w))
		did, diff, said := s.previews(in)
		assert.Equal(t, "update", did)
		assert.Equal(t, map[string]string{"__appliedFields": "update"}, diff)
		assert.Contains(t, said, `  metadata.annotations["acme.io/x"] (kubectl)`)
		s.mustUp("update", in).mustUp("same", in)
		in = program(annotated(w), takingOver("kubectl"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Nil(t, w.value("ConfigMap", "web", "metadata", "annotations"))
	})
}

// TestManagersThatAreLeftBehind is about what an adoption and takeOverFrom say.
func TestManagersThatAreLeftBehind(t *testing.T) {
	t.Parallel()
	t.Run("an adoption names who has applied the object, and what of theirs the manifest does not set [D32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("kubectl", w.configMap("web", nil))
		in := program(w.configMap("web", map[string]any{"a": "1"}), adopting)
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, _, err := s.preview(in)
		require.NoError(t, err)
		said := s.process.log.all()
		assert.Contains(t, said, "kubectl applied this object and keeps owning its fields")
		assert.Contains(t, said, "data.b")
		assert.Contains(t, said, `takeOverFrom: ["kubectl"]`)
		assert.NotContains(t, said, "data.a")
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("an adoption that takes over says what moves and what stays theirs [D32] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("kubectl", w.configMap("web", nil))
		in := program(w.configMap("web", map[string]any{"a": "1"}), adopting, takingOver("kubectl"))
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Contains(t, s.process.log.all(), "takes over from kubectl: data.a\n")
		assert.Contains(t, s.warned(), "they stay on the object:\n  data.b (kubectl)\n")
		assert.NotContains(t, s.process.log.all(), "applied this object and keeps owning its fields")
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "web", "data"))
		assert.Contains(t, w.owned("ConfigMap", "web", "kubectl"), "f:b")
		assert.NotContains(t, w.owned("ConfigMap", "web", "kubectl"), "f:a")
	})
	t.Run("what is in a map that the program sets empty stays theirs [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := w.configMap("web", nil)
		made["metadata"].(map[string]any)["labels"] = map[string]any{"theirs": "1"}
		w.apply("helm", made)
		nothing := w.configMap("web", nil)
		delete(nothing, "data")
		in := program(nothing, adopting, takingOver("helm"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"theirs": "1"}, w.value("ConfigMap", "web", "metadata", "labels"))
		s.mustUp("same", program(nothing, adopting)).mustUp("update", in)
		assert.Equal(t, map[string]any{"theirs": "1"}, w.value("ConfigMap", "web", "metadata", "labels"))
	})
	t.Run("a manager that was taken over and comes back is a warning, and is taken over again when it is named again [D32] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.configMap("web", nil))
		in, without := program(w.configMap("web", nil), adopting, takingOver("helm")), program(w.configMap("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		assert.Empty(t, w.owned("ConfigMap", "web", "helm"))
		s.in(s.process.again(t)).mustUp("same", in)
		assert.Empty(t, s.warned())
		w.apply("helm", w.configMap("web", nil))
		s.in(s.process.again(t)).mustUp("same", in)
		assert.Contains(t, s.warned(), "helm was taken over and owns fields of this resource again: data.a, data.b")
		s.in(s.process.again(t)).mustUp("same", without)
		s.in(s.process.again(t)).mustUp("same", without)
		assert.Empty(t, s.warned(), "the program does not name it any more")
		s.mustUp("update", in).mustUp("same", in)
		assert.Empty(t, w.owned("ConfigMap", "web", "helm"))
		assert.Equal(t, []string{s.managerIn()}, managersOf(w.get("ConfigMap", "web")))
	})
	t.Run("what a named manager owns by way of scale is taken over, too [D32] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.deployment(t, "web"))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		_, err := w.objects("Deployment").Patch(t.Context(), "web", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`),
			metav1.PatchOptions{FieldManager: "kubectl"}, "scale")
		require.NoError(t, err)
		scaled := func() (found bool) {
			for _, entry := range w.get("Deployment", "web").GetManagedFields() {
				found = found || entry.Manager == "kubectl" && entry.Subresource == "scale"
			}
			return found
		}
		require.True(t, scaled())
		// The program says what is there, so both own it.
		same := with(t, in, "manifest.spec.replicas", 5)
		s.mustUp("update", same).mustUp("same", same)
		require.True(t, scaled())
		taking := with(t, program(w.deployment(t, "web"), takingOver("kubectl")), "manifest.spec.replicas", 5)
		s.mustUp("update", taking).mustUp("same", taking)
		assert.False(t, scaled())
		assert.EqualValues(t, 5, w.value("Deployment", "web", "spec", "replicas"))
	})
	t.Run("what was left to nobody is ours when the program sets it again, and does not linger [O82] [D31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		former := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		s := start(t, inline(newUser(t))).bakery(t, "web")
		s.mustUp("create", program(w.configMap("web", map[string]any{"a": "1"}), takingOver(former.managerIn())))
		assert.Contains(t, w.owned("ConfigMap", "web", "k8sconnect.released"), "f:b")
		both := program(w.configMap("web", nil), takingOver(former.managerIn()))
		s.mustUp("update", both).mustUp("same", both)
		assert.Equal(t, []string{s.managerIn()}, managersOf(w.get("ConfigMap", "web")))
		s.mustUp("update", program(w.configMap("web", map[string]any{"a": "1"}), takingOver(former.managerIn())))
		assert.Equal(t, map[string]any{"a": "1"}, w.value("ConfigMap", "web", "data"))
	})
}

// A definition gives a list keys that was atomic. The API server leaves the items that nobody owns by its key, also for
// `kubectl apply --server-side`.
func TestAnItemThatLeavesAListThatHasGotKeysIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group()
	schema := func(list string) string {
		return `{type: object, properties: {items: {type: array, ` + list + `, items: {type: object, required: [name], properties: {name: {type: string}, v: {type: string}}}}}}`
	}
	w.define(definitionOf(t, group, "Keyed", schema("x-kubernetes-list-type: atomic")))
	w.served(group, "Keyed")
	kind := customKind(group, "Keyed")
	in := func(items string) resource.PropertyMap {
		return program(custom(t, group, "Keyed", w.namespace, `{items: `+items+`}`))
	}
	s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in(`[{name: a, v: "1"}, {name: b, v: "1"}, {name: c, v: "1"}]`))

	keyed := definitionOf(t, group, "Keyed", schema("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]"))
	body, err := json.Marshal(keyed)
	require.NoError(t, err)
	_, err = w.client.Resource(definitions).Patch(t.Context(), kind.Resource+"."+group, types.MergePatchType, body, metav1.PatchOptions{})
	require.NoError(t, err)
	eventually(t, func() bool {
		probe := &unstructured.Unstructured{Object: custom(t, group, "Keyed", w.namespace, `{items: [{name: z}]}`)}
		tried, err := w.client.Resource(kind).Namespace(w.namespace).Apply(t.Context(), "it", probe,
			metav1.ApplyOptions{FieldManager: "probe", DryRun: []string{metav1.DryRunAll}, Force: true})
		if err != nil {
			return false
		}
		items, _, _ := unstructured.NestedSlice(tried.Object, "spec", "items")
		return len(items) == 4
	}, "the definition is in use")

	fewer := in(`[{name: a, v: "1"}, {name: b, v: "2"}]`)
	s.in(s.process.again(t)).mustUp("update", fewer)
	assert.Contains(t, s.process.log.all(), "these fields left the manifest and stay on the object without an owner: spec.items[name=c]")
	s.in(s.process.again(t)).mustUp("same", fewer)
	s.in(s.process.again(t)).mustUp("update", in(`[{name: a, v: "1"}, {name: b, v: "2"}, {name: c, v: "1"}]`))
	s.in(s.process.again(t)).mustUp("update", fewer)
	live, err := w.client.Resource(kind).Namespace(w.namespace).Get(t.Context(), "it", metav1.GetOptions{})
	require.NoError(t, err)
	items, _, _ := unstructured.NestedSlice(live.Object, "spec", "items")
	assert.Len(t, items, 2, "as the message advises")
}

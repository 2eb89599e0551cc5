package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// removes makes a Patch take away what it has added.
var removes = m{"onDestroy": "remove"}

// removing adds a Patch to the stack of which values may go with it.
func removing(t testing.TB, w world, p *process) *session {
	t.Helper()
	s := patched(t, w, p, "it")
	s.destroying = nil
	return s
}

// destroyed destroys the Patch and returns what the user was warned of. Nothing on the object is owned by it then.
func destroyed(t testing.TB, w world, s *session, kind string) []string {
	t.Helper()
	s.in(start(t, inline(newUser(t))))
	require.NoError(t, s.destroy())
	entries := w.get(kind, "it").GetManagedFields()
	require.NotEmpty(t, entries, "without any entry all ownership is forgotten")
	for _, entry := range entries {
		assert.NotEqual(t, patchManager(s.urn), entry.Manager)
	}
	return s.process.log.warnings()
}

// inPod is a patch of the template of a workload.
func inPod(spec map[string]any) map[string]any {
	return m{"patch": m{"spec": m{"template": m{"spec": spec}}}}
}

func containerNames(w world) []any {
	var names []any
	for _, container := range w.value("Deployment", "it", "spec", "template", "spec", "containers").([]any) {
		names = append(names, container.(m)["name"])
	}
	return names
}

func TestAPatchThatRemovesWhatItHasAdded(t *testing.T) {
	t.Parallel()
	const container = "/spec/template/spec/containers/0"
	eachKind(t, "what was added goes, what had an owner before keeps its value and is released [P31]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("eks", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "2", "new", "10")), removes)
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in).mustUp("same", in)
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, m{"a": "9", "b": "2"}, w.value("ConfigMap", "it", "data"))
		assert.Contains(t, s.process.log.all(), "data.a: it was owned by eks before")
		require.NoError(t, w.applies("eks", w.configMap("it", nil)), "released")
		assert.Equal(t, m{"a": "1", "b": "2"}, w.value("ConfigMap", "it", "data"))
		events := w.events("PatchReleased")
		require.Len(t, events, 1)
		assert.Contains(t, events[0].Object["message"], "and removed: data.new")
	})
	eachKind(t, "by default nothing goes, and the destroy says what stays and whose it is [D45] [P25]", func(t *testing.T, kind string) {
		for _, more := range []m{{}, {"onDestroy": "leave"}} {
			w := newWorld(t)
			w.apply("eks", w.configMap("it", nil))
			in := patching(w.configMap("it", nil), setting(kind, data("a", "1", "new", "10")), more)
			s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
			require.NoError(t, s.destroy())
			assert.Empty(t, s.process.log.warnings())
			said := s.process.log.all()
			assert.Contains(t, said, "ConfigMap "+w.namespace+"/it: the values of this Patch stay in the object, and it no longer owns them.")
			assert.Contains(t, said, "Nobody owns: data.new")
			assert.Contains(t, said, "Others own: data.a (eks)")
		}
	})
	for name, patch := range map[string]m{
		"a sidecar, by patch":          inPod(m{"containers": []any{m{"name": "side", "image": "side:1"}}}),
		"a sidecar, by jsonPatch":      {"jsonPatch": []any{operation("add", "/spec/template/spec/containers/-", m{"name": "side", "image": "side:1"})}},
		"a variable, by patch":         inPod(m{"containers": []any{m{"name": "web", "env": []any{m{"name": "X", "value": "1"}}}}}),
		"a variable, by jsonPatch":     {"jsonPatch": []any{operation("add", container+"/env/-", m{"name": "X", "value": "1"})}},
		"an argument":                  {"jsonPatch": []any{operation("add", container+"/args/-", "--b")}},
		"an argument in front":         {"jsonPatch": []any{operation("add", container+"/args/0", "--b")}},
		"two arguments":                {"jsonPatch": []any{operation("add", container+"/args/-", "-o"), operation("add", container+"/args/0", "-o")}},
		"an init container":            inPod(m{"initContainers": []any{m{"name": "init", "image": "init:1"}}}),
		"tolerations":                  inPod(m{"tolerations": []any{m{"key": "x", "operator": "Exists"}}}),
		"a probe":                      inPod(m{"containers": []any{m{"name": "web", "livenessProbe": m{"httpGet": m{"path": "/", "port": 80}}}}}),
		"an annotation, by mergePatch": {"mergePatch": m{"spec": m{"template": m{"metadata": m{"annotations": m{"x": "1"}}}}}},
		"annotations and a label":      {"patch": m{"metadata": m{"annotations": m{"x": "1"}, "labels": m{"y": "2"}}}},
	} {
		t.Run("the object is as it was before: "+name+" [P31]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
			before := w.get("Deployment", "it")
			in := patching(w.deployment(t, "it"), patch, removes)
			s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in).mustUp("same", in)
			require.NotEqual(t, before.GetResourceVersion(), w.version("Deployment", "it"))
			assert.Empty(t, destroyed(t, w, s, "Deployment"))
			after := w.get("Deployment", "it")
			assert.Equal(t, before.Object["spec"], after.Object["spec"])
			assert.Equal(t, before.GetLabels(), after.GetLabels())
			assert.Empty(t, after.GetAnnotations())
			require.NoError(t, w.applies("owner", withArgs(w.deployment(t, "it"), "--other")), "its owner has all of it")
		})
	}
	t.Run("what others took or changed since stays, with a warning that says why [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		in := patching(w.deployment(t, "it"), removes, m{"patch": m{
			"metadata": m{"labels": m{"changed": "1", "shared": "1", "ours": "1"}, "annotations": m{"ours": "1"}},
			"spec":     m{"template": m{"spec": m{"containers": []any{m{"name": "side", "image": "side:1"}, m{"name": "alone", "image": "alone:1"}}}}},
		}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.patch("Deployment", "it", m{"metadata": m{"labels": m{"changed": "2"}}})
		w.apply("sharing", m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m{
			"name": "it", "namespace": w.namespace, "labels": m{"shared": "1"}, "annotations": m{"theirs": "1"},
		}})
		w.apply("injector", m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m{"name": "it", "namespace": w.namespace}, "spec": m{
			"template": m{"spec": m{"containers": []any{m{"name": "side", "env": []any{m{"name": "INJECTED", "value": "1"}}}}}},
		}})
		warnings := destroyed(t, w, s, "Deployment")
		require.Len(t, warnings, 1)
		for _, line := range []string{
			"Deployment " + w.namespace + "/it: these values stay in the object, although onDestroy is \"remove\"",
			"metadata.labels.changed: it, or a part of it, is owned by intern",
			"metadata.labels.shared: it, or a part of it, is owned by sharing",
			"spec.template.spec.containers[name=side]: it, or a part of it, is owned by injector",
		} {
			assert.Contains(t, warnings[0], line)
		}
		assert.NotContains(t, warnings[0], "ours")
		assert.NotContains(t, warnings[0], "alone")
		live := w.get("Deployment", "it")
		assert.Equal(t, map[string]string{"changed": "2", "shared": "1"}, live.GetLabels())
		assert.Equal(t, map[string]string{"theirs": "1"}, live.GetAnnotations())
		assert.ElementsMatch(t, []any{"web", "side"}, containerNames(w))
	})
	t.Run("a value of nobody stays, also in what this Patch has made [P31] [D48]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", nil))
		annotation := func(name string) m { return m{"patch": m{"metadata": m{"annotations": m{name: "1"}}}} }
		s := removing(t, w, start(t, inline(newUser(t))))
		s.mustUp("create", patching(w.configMap("it", nil), annotation("ours"), removes))
		other := another(t, w, s)
		other.mustUp("create", patching(w.configMap("it", nil), annotation("left")))
		require.NoError(t, other.destroy())
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, map[string]string{"left": "1"}, w.get("ConfigMap", "it").GetAnnotations())
	})
	t.Run("what the patch no longer names stays, and what it has changed goes [P31] [P24]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", nil))
		annotations := func(values m) resource.PropertyMap {
			return patching(w.configMap("it", nil), m{"patch": m{"metadata": m{"annotations": values}}}, removes)
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", annotations(m{"a": "1", "b": "1"}))
		s.mustUp("update", annotations(m{"b": "2"})).mustUp("update", annotations(m{"b": "2", "c": "3"}))
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, map[string]string{"a": "1"}, w.get("ConfigMap", "it").GetAnnotations())
	})
	t.Run("a Patch that moves to another object removes as the program says that moves it [D102] [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", nil))
		w.apply("owner", w.configMap("other", nil))
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", patching(w.configMap("it", nil), setting("patch", data("new", "1"))))
		s.in(s.process.again(t)).mustUp("replace", patching(w.configMap("other", nil), setting("patch", data("new", "1")), removes))
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "it", "data"))
		assert.Equal(t, "1", w.value("ConfigMap", "other", "data", "new"))
		require.NoError(t, s.destroy())
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "other", "data"))
	})
	t.Run("what was taken by force from who had it meanwhile stays [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting("patch", data("new", "1")), removes)
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.apply("late", w.configMap("it", m{"new": "theirs"}))
		s.mustUp("update", in)
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, "1", w.value("ConfigMap", "it", "data", "new"))
		assert.Contains(t, s.process.log.all(), "data.new: it was owned by late before")
	})
	t.Run("an item that the owner dropped and that came back goes, and one that cannot be told from another stays [P31] [P32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		in := patching(w.deployment(t, "it"), removes, m{"jsonPatch": []any{operation("add", container+"/args/-", "--b")}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a", "--c"))
		s.mustUp("update", in)
		assert.Equal(t, []any{"--a", "--c", "--b"}, containerOf(t, w, "it")["args"])
		assert.Empty(t, destroyed(t, w, s, "Deployment"))
		assert.Equal(t, []any{"--a", "--c"}, containerOf(t, w, "it")["args"])

		w.apply("owner", withArgs(w.deployment(t, "it"), "--a", "--b"))
		s.mustUp("create", in)
		warnings := destroyed(t, w, s, "Deployment")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "args: several of its items are equal to the one that this Patch has added")
		assert.Equal(t, []any{"--a", "--b", "--b"}, containerOf(t, w, "it")["args"])

		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		s.mustUp("create", in)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--b"))
		warnings = destroyed(t, w, s, "Deployment")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "args: it, or a part of it, is owned by owner")
		assert.Equal(t, []any{"--b"}, containerOf(t, w, "it")["args"])
	})
	t.Run("a value that the API server does not let go stays, and the destroy succeeds [P31] [P29]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), removes, m{"patch": m{"immutable": true, "metadata": m{"labels": m{"x": "1"}}}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		warnings := destroyed(t, w, s, "ConfigMap")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "immutable: the API server refuses the object without it")
		assert.Equal(t, true, w.value("ConfigMap", "it", "immutable"))
		assert.Equal(t, map[string]string{"x": "1"}, w.get("ConfigMap", "it").GetLabels())
	})
	t.Run("an admission that does not let a value go is no dead end, and one that is down is [P31]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.apply("owner", w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting("patch", data("new", "1")), removes)
		s := removing(t, w, start(t, g.connection())).mustUp("create", in)
		g.always(isApply, refuse(500, metav1.StatusReasonInternalError, `Internal error occurred: failed calling webhook "x": connection refused`))
		require.Error(t, s.destroy())
		require.NotEmpty(t, s.id)
		g.heal()
		g.next(isApply, refuse(403, metav1.StatusReasonForbidden, `admission webhook "keep" denied the request: it stays`))
		require.NoError(t, s.destroy())
		warnings := s.process.log.warnings()
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "data.new: the API server refuses the object without it")
		assert.Contains(t, warnings[0], "it stays")
		assert.Equal(t, "1", w.value("ConfigMap", "it", "data", "new"))
		require.NoError(t, w.applies("owner", w.configMap("it", m{"new": "theirs"})), "released")
	})
	t.Run("what a patch has moved or copied: the value of others stays, the copy goes [P31] [D48]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := patching(w.configMap("it", nil), removes, m{"jsonPatch": []any{
			operation("move", "/data/moved", "/data/a"), operation("copy", "/data/copied", "/data/b"), operation("add", "/metadata/labels", m{}),
			operation("move", "/metadata/labels/x", "/data/moved"), operation("add", "/data/new", "1"),
		}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		require.Len(t, destroyed(t, w, s, "ConfigMap"), 1)
		assert.Equal(t, m{"b": "2"}, w.value("ConfigMap", "it", "data"))
		assert.Equal(t, map[string]string{"x": "1"}, w.get("ConfigMap", "it").GetLabels())
	})
	t.Run("what an older state does not know to be added stays, and is named [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		in := patching(w.deployment(t, "it"), removes, m{"jsonPatch": []any{
			operation("add", container+"/args/-", "--b"), operation("add", "/metadata/labels", m{"x": "1"}),
		}})
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
		s.outputs = s.outputs.Copy()
		delete(s.outputs, "__addedItems")
		delete(s.outputs, "__createdFields")
		warnings := destroyed(t, w, s, "Deployment")
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], "metadata.labels.x: it is not known to be an addition of this Patch")
		assert.Equal(t, []any{"--a", "--b"}, containerOf(t, w, "it")["args"])
		assert.Equal(t, map[string]string{"x": "1"}, w.get("Deployment", "it").GetLabels())
	})
	t.Run("a change of onDestroy alone is an update that writes nothing, and counts [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", nil))
		with := func(more m) resource.PropertyMap {
			return patching(w.configMap("it", nil), setting("patch", data("new", "1")), more)
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", with(m{}))
		before := w.version("ConfigMap", "it")
		assert.Equal(t, map[string]string{"onDestroy": "add"}, s.mustDiff(with(removes)))
		s.previewed("update", with(removes))
		s.mustUp("update", with(removes)).mustUp("same", with(removes))
		s.mustUp("update", with(m{"onDestroy": "leave"})).mustUp("update", with(removes))
		assert.Equal(t, before, w.version("ConfigMap", "it"))
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, m{"a": "1", "b": "2"}, w.value("ConfigMap", "it", "data"))
	})
	t.Run("another target: what was added to the former one goes [P31] [P6]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		for _, name := range []string{"it", "next"} {
			w.apply("owner", w.configMap(name, nil))
		}
		on := func(name string) resource.PropertyMap {
			return patching(w.configMap(name, nil), setting("mergePatch", data("new", "1")), removes)
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", on("it")).mustUp("replace", on("next"))
		assert.Equal(t, m{"a": "1", "b": "2"}, w.value("ConfigMap", "it", "data"))
		assert.Equal(t, "1", w.value("ConfigMap", "next", "data", "new"))
		require.NoError(t, s.destroy())
		assert.Equal(t, m{"a": "1", "b": "2"}, w.value("ConfigMap", "next", "data"))
	})
	t.Run("what a patch has added whose reply was lost goes, too [P31]", func(t *testing.T) {
		t.Parallel()
		for _, patch := range []m{
			{"jsonPatch": []any{operation("add", container+"/args/-", "--b"), operation("add", "/metadata/labels", m{"x": "1"})}},
			{"mergePatch": m{"metadata": m{"labels": m{"x": "1"}}}},
		} {
			w, g := newWorld(t), newGateway(t)
			w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
			in := patching(w.deployment(t, "it"), removes, patch)
			s := removing(t, w, start(t, g.connection()))
			g.next(isApply, loseReply)
			requirePatchPending(t, s, s.create(in))
			s.in(start(t, inline(newUser(t)))).mustUp("update", in).mustUp("same", in)
			assert.Empty(t, destroyed(t, w, s, "Deployment"))
			assert.Equal(t, []any{"--a"}, containerOf(t, w, "it")["args"])
			assert.Empty(t, w.get("Deployment", "it").GetLabels())
		}
	})
	t.Run("what it has changed since, with a reply that was lost, goes [P31]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.apply("owner", w.configMap("it", nil))
		labels := func(x string) resource.PropertyMap {
			return patching(w.configMap("it", nil), removes, m{"mergePatch": m{"metadata": m{"labels": m{"x": x}}}})
		}
		s := removing(t, w, start(t, g.connection())).mustUp("create", labels("1"))
		g.next(isPatching, loseReply)
		_, err := s.up(labels("2"))
		requirePatchPending(t, s, err)
		s.in(start(t, inline(newUser(t)))).mustUp("update", labels("2"))
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Empty(t, w.get("ConfigMap", "it").GetLabels())
	})
	t.Run("an item that others have changed, and the program changes as well, goes [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.deployment(t, "it"))
		sidecar := func(image string) resource.PropertyMap {
			return patching(w.deployment(t, "it"), removes, inPod(m{"containers": []any{m{"name": "sidecar", "image": image}}}))
		}
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", sidecar("one"))
		w.jsonPatch("Deployment", "it", operation("replace", "/spec/template/spec/containers/1/image", "theirs"))
		s.in(s.process.again(t)).mustUp("update", sidecar("two"))
		assert.Empty(t, destroyed(t, w, s, "Deployment"))
		assert.NotContains(t, containerNames(w), "sidecar")
	})
	t.Run("others write the list at the same moment: their item stays, ours goes [P31]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a", "b"}, "items": []any{m{"name": "p"}, m{"name": "q"}}}))
		in := patching(w.box("it", nil), removes, m{"jsonPatch": []any{operation("add", "/spec/items/-", m{"name": "ours"})}})
		s := removing(t, w, start(t, g.connection())).mustUp("create", in)
		for _, body := range []string{`[{"op": "remove", "path": "/spec/items/0"}]`, `[{"op": "add", "path": "/spec/items/0", "value": {"name": "new"}}]`} {
			g.next(isApply, func(rw http.ResponseWriter, _ *http.Request, forward func() *httptest.ResponseRecorder) {
				_, err := w.objects("Box").Patch(t.Context(), "it", types.JSONPatchType, []byte(body), metav1.PatchOptions{FieldManager: "intern"})
				assert.NoError(t, err)
				reply := forward()
				assert.GreaterOrEqual(t, reply.Code, 400)
				rw.Header().Set("Content-Type", "application/json")
				rw.WriteHeader(reply.Code)
				_, _ = rw.Write(reply.Body.Bytes())
			})
		}
		require.NoError(t, s.destroy())
		assert.Empty(t, s.process.log.warnings())
		var names []any
		for _, item := range w.value("Box", "it", "spec", "items").([]any) {
			names = append(names, item.(m)["name"])
		}
		assert.Equal(t, []any{"new", "q"}, names)
	})
	t.Run("a secret that goes, and a secret name that stays, are not shown [P31] [D4]", func(t *testing.T) {
		t.Parallel()
		for _, added := range []m{
			operation("add", container+"/args/-", secret("--password="+hush)),
			operation("add", "/metadata/annotations", secret(m{hush: "1"})),
		} {
			w := newWorld(t)
			w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
			in := patching(w.deployment(t, "it"), removes, m{"jsonPatch": []any{added}})
			s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", in)
			requireHidden(t, s)
			if strings.HasSuffix(added["path"].(string), "annotations") {
				w.patch("Deployment", "it", m{"metadata": m{"annotations": m{hush: "theirs"}}})
				assert.Len(t, destroyed(t, w, s, "Deployment"), 1)
			} else {
				assert.Empty(t, destroyed(t, w, s, "Deployment"))
			}
			for _, event := range w.events("PatchReleased") {
				assert.NotContains(t, asJSON(event.Object), hush)
			}
			assert.NotContains(t, s.process.log.all(), hush)
		}
	})
	t.Run("anything else than its values is refused by the check [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		for _, wrong := range []any{"delete", "Remove", "", true, 1} {
			s := removing(t, w, start(t, inline(newUser(t))))
			_, err := s.check(patching(w.configMap("it", nil), setting("patch", data("a", "1")), m{"onDestroy": wrong}), false)
			require.ErrorContains(t, err, "The value must be one of leave, remove, restore.", "%v", wrong)
		}
	})
}

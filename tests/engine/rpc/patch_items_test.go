package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestItemsThatAJSONPatchAdds is about what an operation add has put into a list, and the owner of the list drops.
func TestItemsThatAJSONPatchAdds(t *testing.T) {
	t.Parallel()
	const container = "/spec/template/spec/containers/0"
	tested := operation("test", container+"/name", "web")
	flag := operation("add", container+"/args/-", "--b")
	second := map[string]string{"jsonPatch[1]": "add"}
	// carriedOut is a Patch that was carried out on the workload of another manager.
	carriedOut := func(t *testing.T, operations ...any) (world, *session, resource.PropertyMap) {
		w := newWorld(t)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		in := patching(w.deployment(t, "it"), m{"jsonPatch": operations})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		return w, s, in
	}
	args := func(t *testing.T, w world) any { return containerOf(t, w, "it")["args"] }

	t.Run("an argument that the owner's next apply drops is drift, shown with its operation and put right once [D39] [P32]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, tested, flag)
		for _, theirs := range [][]any{{"--a"}, {"--a", "--c"}, {"--new"}} {
			w.apply("owner", withArgs(w.deployment(t, "it"), theirs...))
			before := w.version("Deployment", "it")
			for range 2 {
				assert.Equal(t, second, drifted(s, in))
				s.previewed("update", in)
				assert.Nil(t, at(t, s.outputs, "jsonPatch[1].value"), "the output has what is there")
			}
			assert.Equal(t, before, w.version("Deployment", "it"), "neither a refresh nor a preview writes")
			s.in(start(t, inline(newUser(t)))).mustUp("update", in)
			assert.Equal(t, append(append([]any{}, theirs...), "--b"), args(t, w))
			after := w.version("Deployment", "it")
			s.mustUp("same", in).mustUp("same", in)
			assert.Empty(t, drifted(s, in))
			s.previewed("same", in)
			assert.Equal(t, plain(in["jsonPatch"]), plain(s.outputs["jsonPatch"]))
			assert.Equal(t, after, w.version("Deployment", "it"), "once")
		}
		require.NoError(t, s.destroy())
		assert.Equal(t, []any{"--new", "--b"}, args(t, w))
	})
	t.Run("the preview says from whom the list is taken again [D39] [P23]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, tested, flag)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a", "--c"))
		s.in(start(t, inline(newUser(t))))
		s.previewed("update", in)
		warnings := s.process.log.warnings()
		require.Len(t, warnings, 1)
		assert.Contains(t, warnings[0], `will take from owner: spec.template.spec.containers[name=web].args[2]: nothing -> "--b"`)
	})
	t.Run("an item that is there is no drift, wherever it stands [D39] [P32]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, tested, flag)
		for _, theirs := range [][]any{{"--b"}, {"--b", "--a"}, {"--new", "--b", "--a"}} {
			w.apply("owner", withArgs(w.deployment(t, "it"), theirs...))
			assert.Empty(t, drifted(s, in))
			s.mustUp("same", in)
			assert.Equal(t, theirs, args(t, w))
		}
	})
	t.Run("a test that no longer holds keeps the item out, and the drift is said [D39] [P32] [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("test", container+"/args/0", "--a"), flag)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--new"))
		stays(t, w, s, in, "Deployment", "it", second, "Deployment "+w.namespace+"/it", "jsonPatch[0]: test "+container+"/args/0", "change jsonPatch")
		assert.Equal(t, []any{"--new"}, args(t, w))
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a", "--new"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"--a", "--new", "--b"}, args(t, w))
		require.NoError(t, s.destroy())
	})
	t.Run("of items that may belong together none comes back without the other [D39] [P32]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("add", container+"/args/-", "-o"), operation("add", container+"/args/-", "file"))
		w.apply("owner", withArgs(w.deployment(t, "it"), "-o", "theirs"))
		stays(t, w, s, in, "Deployment", "it", second, "jsonPatch[1]: add "+container+"/args/-", "only some of them are there")
		w.apply("owner", withArgs(w.deployment(t, "it"), "theirs"))
		assert.Equal(t, map[string]string{"jsonPatch[0]": "add", "jsonPatch[1]": "add"}, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"theirs", "-o", "file"}, args(t, w))
		require.NoError(t, s.destroy())
	})
	for name, c := range map[string]struct {
		add  m
		list []string
		item func(v any) any
		want any
	}{
		"a variable": {
			operation("add", container+"/env/-", m{"name": "HTTP_PROXY", "value": "p"}), nil, nil, m{"name": "HTTP_PROXY", "value": "p"},
		},
		"a sidecar": {
			operation("add", "/spec/template/spec/containers/-", m{"name": "side", "image": "side:1"}), nil,
			func(v any) any { return only(v.(m), "name", "image") }, m{"name": "side", "image": "side:1"},
		},
		"a toleration": {
			operation("add", "/spec/template/spec/tolerations/-", m{"key": "ours", "operator": "Exists", "effect": "NoSchedule"}), nil, nil,
			m{"key": "ours", "operator": "Exists", "effect": "NoSchedule"},
		},
	} {
		t.Run("so it is with "+name+" [D39] [P32]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			theirs := withArgs(w.deployment(t, "it"), "--a")
			pod := theirs["spec"].(m)["template"].(m)["spec"].(m)
			pod["tolerations"] = []any{m{"key": "theirs", "operator": "Exists"}}
			w.apply("owner", theirs)
			in := patching(theirs, m{"jsonPatch": []any{c.add}})
			s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
			has := func() int {
				pod := w.value("Deployment", "it", "spec", "template", "spec").(m)
				n := 0
				for _, list := range []any{pod["tolerations"], pod["containers"], containerOf(t, w, "it")["env"]} {
					items, _ := list.([]any)
					for _, item := range items {
						if c.item != nil {
							item = c.item(item)
						}
						if assert.ObjectsAreEqual(c.want, item) {
							n++
						}
					}
				}
				return n
			}
			assert.Equal(t, 1, has())
			w.replaced("owner", theirs)
			assert.Zero(t, has())
			assert.Equal(t, map[string]string{"jsonPatch[0]": "add"}, drifted(s, in))
			s.previewed("update", in)
			s.mustUp("update", in).mustUp("same", in)
			assert.Equal(t, 1, has())
			require.NoError(t, s.destroy())
			assert.Equal(t, 1, has())
		})
	}
	t.Run("a reply that is lost when an item is put back does not bring two [D39] [P32] [P13]", func(t *testing.T) {
		t.Parallel()
		for what, fault := range unheard {
			w, g := newWorld(t), newGateway(t)
			defineBox(t)
			w.create(w.box("it", m{"list": []any{"a"}}))
			in := patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b")}})
			s := patched(t, w, start(t, g.connection()), "it").mustUp("create", in)
			w.patch("Box", "it", m{"spec": m{"list": []any{"c"}}})
			g.next(isApply, fault.do)
			_, err := s.up(in)
			require.Error(t, err)
			_, err = s.in(start(t, g.connection())).up(in)
			require.NoError(t, err, what)
			s.mustUp("same", in)
			assert.Equal(t, []any{"c", "b"}, w.value("Box", "it", "spec", "list"), what)
		}
	})
	t.Run("a secret item is nowhere to be read, there or gone [D39] [D4]", func(t *testing.T) {
		t.Parallel()
		for _, added := range []m{
			operation("add", container+"/args/-", secret("--password="+hush)),
			operation("add", container+"/env/-", m{"name": "PASSWORD", "value": secret(hush)}),
		} {
			w := newWorld(t)
			theirs := withArgs(w.deployment(t, "it"), "--a")
			w.apply("owner", theirs)
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			in := patching(theirs, m{"jsonPatch": []any{tested, added}})
			keptHidden(t, s, in)
			w.replaced("owner", theirs)
			assert.Equal(t, second, drifted(s, in))
			requireHidden(t, s)
			assert.NotContains(t, clear(s.previewed("update", in)), hush)
			s.mustUp("update", in).mustUp("same", in)
			requireHidden(t, s)
			releasedHidden(t, w, s)
		}
	})
	t.Run("a state that remembers nothing is as before, until the patch is written again [D39]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, tested, flag, operation("replace", "/spec/replicas", 3))
		s.outputs = s.outputs.Copy()
		delete(s.outputs, "__addedItems")
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		assert.Equal(t, map[string]string{"jsonPatch[2].value": "update"}, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"--a"}, args(t, w))
		assert.EqualValues(t, 3, w.value("Deployment", "it", "spec", "replicas"))
		again := patching(w.deployment(t, "it"), m{"jsonPatch": []any{tested, flag, operation("replace", "/spec/replicas", 4)}})
		s.mustUp("update", again).mustUp("same", again)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		assert.Equal(t, map[string]string{"jsonPatch[1]": "add", "jsonPatch[2].value": "update"}, drifted(s, again))
		s.mustUp("update", again).mustUp("same", again)
		assert.Equal(t, []any{"--a", "--b"}, args(t, w))
	})
	t.Run("a value that stands behind an added item comes back together with it [D39] [D7]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		in := patching(w.deployment(t, "it"), m{"jsonPatch": []any{
			operation("add", container+"/args/0", "--b"), operation("replace", container+"/args/2", "/etc/y"),
		}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		assert.Equal(t, []any{"--b", "-conf", "/etc/y"}, args(t, w))
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		assert.Contains(t, drifted(s, in), "jsonPatch[0]")
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"--b", "-conf", "/etc/y"}, args(t, w))
	})
	t.Run("after an update whose wait has failed, the state knows the new items and the engine the former patch: nothing is missed [D39]", func(t *testing.T) {
		t.Parallel()
		w, s, _ := carriedOut(t, tested, flag)
		after := patching(w.deployment(t, "it"), m{"jsonPatch": []any{operation("add", container+"/args/-", "--c"), operation("replace", "/spec/replicas", 3)}})
		_, err := s.up(with(t, after, "waitFor", m{"condition": "Never", "timeout": "1s"}))
		require.True(t, isInitError(err), "%v", err)
		s.mustRead()
		assert.NotNil(t, at(t, s.outputs, "__addedItems[0].hash"))
		assert.Nil(t, at(t, s.outputs, "__addedItems[0].gone"))
		_, err = s.up(after)
		require.NoError(t, err)
		s.mustUp("same", after)
		assert.Equal(t, []any{"--a", "--b", "--c"}, args(t, w))
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		assert.Equal(t, map[string]string{"jsonPatch[0]": "add", "jsonPatch[1].value": "update"}, drifted(s, after))
	})
	t.Run("what is in ignoreChanges stays gone [D39]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, tested, flag)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		s.ignore = []string{"jsonPatch[1]"}
		s.mustUp("same", in)
		assert.Equal(t, []any{"--a"}, args(t, w))
	})
}

// replaced writes the spec of an object as a client does that sends all of it: what it does not name is gone.
func (w world) replaced(manager string, object map[string]any) {
	w.t.Helper()
	kind, _ := object["kind"].(string)
	live := w.get(kind, name(object))
	live.Object["spec"] = runtime.DeepCopyJSONValue(plain(resource.NewPropertyValue(object["spec"])))
	_, err := w.objects(kind).Update(w.t.Context(), live, metav1.UpdateOptions{FieldManager: manager})
	require.NoError(w.t, err)
}

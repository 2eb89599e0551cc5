package rpc_test

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// goingOn deletes an object that a finalizer holds. let lets it go.
func (w world) goingOn(kind, name string) (let func()) {
	w.t.Helper()
	w.patch(kind, name, map[string]any{"metadata": map[string]any{"finalizers": []any{"example.com/hold"}}})
	w.delete(kind, name)
	w.t.Cleanup(func() { world{lasting{w.t}, w.client, w.namespace}.letGo(kind, name) })
	return func() { w.letGo(kind, name) }
}

func (w world) letGo(kind, name string) {
	if w.exists(kind, name) {
		w.patch(kind, name, map[string]any{"metadata": map[string]any{"finalizers": nil}})
	}
}

func TestAnObjectThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	made := func(t *testing.T) (world, *gateway, *session, resource.PropertyMap) {
		w, g := newWorld(t), newGateway(t)
		in := program(w.configMap("web", nil))
		return w, g, start(t, g.connection()).resource(t, "web").mustUp("create", in), in
	}
	t.Run("is said to be, once a read, and so an up never calls it unchanged without a word [D11] [D40]", func(t *testing.T) {
		t.Parallel()
		w, g, s, in := made(t)
		let := w.goingOn("ConfigMap", "web")
		for _, run := range []func(){
			func() { s.mustRead() },
			func() { s.mustUp("same", in) },
			func() { _, _, err := s.preview(in); require.NoError(t, err) },
		} {
			s.in(start(t, g.connection()))
			run()
			require.Len(t, s.process.log.warnings(), 1)
			assert.Regexp(t, `ConfigMap .*/web is being deleted since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, held by the finalizer example\.com/hold`, s.warned())
		}
		let()
		s.mustUp("create", in)
	})
	t.Run("is said to be by the look of Diff after a read that failed [D11]", func(t *testing.T) {
		t.Parallel()
		w, g, s, in := made(t)
		w.goingOn("ConfigMap", "web")
		g.always(isGet, refuse(401, metav1.StatusReasonUnauthorized, "no"))
		s.in(start(t, g.connection())).mustRead()
		g.heal()
		assert.Empty(t, s.in(start(t, g.connection())).mustDiff(in))
		assert.Contains(t, s.warned(), "is being deleted since")
	})
	t.Run("is updated all the same, since that may let it go [D11]", func(t *testing.T) {
		t.Parallel()
		w, _, s, in := made(t)
		w.goingOn("ConfigMap", "web")
		s.mustUp("update", with(t, in, "manifest.data.a", "9"))
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))
		assert.Contains(t, s.warned(), "is being deleted since")
	})
	for what, prepare := range map[string]func(t *testing.T, w world, s *session, in resource.PropertyMap) resource.PropertyMap{
		"is not adopted": func(_ *testing.T, w world, _ *session, _ resource.PropertyMap) resource.PropertyMap {
			w.create(w.configMap("web", nil))
			return program(w.configMap("web", nil), adopting)
		},
		"is not taken for something to adopt": func(_ *testing.T, w world, _ *session, in resource.PropertyMap) resource.PropertyMap {
			w.create(w.configMap("web", nil))
			return in
		},
		"is not taken up as our earlier attempt": func(t *testing.T, _ world, s *session, in resource.PropertyMap) resource.PropertyMap {
			s.mustUp("create", in)
			s.stored = stored{}
			s.in(start(t, inline(newUser(t)))) // another process, as after one that was killed
			return in
		},
		"is not taken up in place of one of ours that is gone": func(t *testing.T, w world, s *session, in resource.PropertyMap) resource.PropertyMap {
			s.mustUp("create", in)
			w.delete("ConfigMap", "web")
			w.create(w.configMap("web", nil))
			return with(t, in, "manifest.data.a", "9")
		},
	} {
		t.Run(what+": an error that says what to do next [D11]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := start(t, inline(newUser(t))).resource(t, "web")
			in := prepare(t, w, s, program(w.configMap("web", nil)))
			let := w.goingOn("ConfigMap", "web")
			before := w.get("ConfigMap", "web").GetResourceVersion()
			_, _, err := s.preview(in)
			require.ErrorContains(t, err, "is being deleted since")
			_, err = s.up(in)
			require.ErrorContains(t, err, "is being deleted since")
			assert.ErrorContains(t, err, "example.com/hold")
			assert.ErrorContains(t, err, "run `pulumi up` again when the object is gone")
			assert.Equal(t, before, w.get("ConfigMap", "web").GetResourceVersion(), "it was not touched")
			let()
			_, err = s.up(in)
			require.NoError(t, err)
		})
	}
	t.Run("with a patch of ours on it is said to be as well [D11]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := patching(w.configMap("it", nil), setting("patch", data("a", "9")))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		w.goingOn("ConfigMap", "it")
		s.in(start(t, inline(newUser(t)))).mustUp("same", in)
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), "is being deleted since")
	})
	for form, patch := range map[string]map[string]any{
		"patch": setting("patch", data("a", "9")), "mergePatch": setting("mergePatch", data("a", "9")), "jsonPatch": setting("jsonPatch", data("a", "9")),
	} {
		t.Run("is not patched, by a new Patch nor by a changed one, in the form "+form+" [D11]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.configMap("it", nil))
			w.create(w.configMap("ours", nil))
			earlier := patched(t, w, start(t, inline(newUser(t))), "earlier").mustUp("create", patching(w.configMap("ours", nil), setting("patch", data("a", "8"))))
			for name, try := range map[string]func() error{
				"it": func() error {
					in := patching(w.configMap("it", nil), patch)
					s := patched(t, w, start(t, inline(newUser(t))), "it")
					if _, _, err := s.preview(in); err == nil {
						t.Error("the preview succeeds")
					}
					return s.create(in)
				},
				"ours": func() error { _, err := earlier.up(patching(w.configMap("ours", nil), patch)); return err },
			} {
				w.goingOn("ConfigMap", name)
				before := w.get("ConfigMap", name).GetResourceVersion()
				err := try()
				require.ErrorContains(t, err, "is being deleted since", name)
				assert.ErrorContains(t, err, "run `pulumi up` again when the object is gone", name)
				assert.Equal(t, before, w.get("ConfigMap", name).GetResourceVersion(), "it was not touched")
			}
		})
	}
	t.Run("is patched where the patch is about what holds it [D11]", func(t *testing.T) {
		t.Parallel()
		for form, patch := range map[string]map[string]any{
			"mergePatch": {"mergePatch": m{"metadata": m{"finalizers": nil}}},
			"jsonPatch":  {"jsonPatch": []any{m{"op": "remove", "path": "/metadata/finalizers/0"}}},
		} {
			w := newWorld(t)
			w.create(w.configMap("it", nil))
			w.goingOn("ConfigMap", "it")
			s := patched(t, w, start(t, inline(newUser(t))), "it")
			err := s.create(patching(w.configMap("it", nil), patch))
			require.NotContains(t, fmt.Sprint(err), "being deleted", form)
			assert.False(t, w.exists("ConfigMap", "it"), form)
			s.stored = stored{}
		}
	})
}

package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A replacement that creates before it deletes asks for the new object while the old one stands. Under one name
// they are one object, and the engine deletes it next.
func TestReplacementUnderOneName(t *testing.T) {
	t.Parallel()
	// made is a resource of an earlier run, and the resource that is to replace it in this one.
	made := func(t *testing.T, seen bool) (w world, old, replacement *session, in resource.PropertyMap) {
		w = newWorld(t)
		in = program(w.configMap("web", nil))
		old = start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		old.in(start(t, inline(newUser(t))))
		if seen {
			old.mustRead()
		}
		return w, old, old.process.resource(t, "web"), in
	}
	version := func(w world) string { return w.get("ConfigMap", "web").GetResourceVersion() }
	seen := map[string]func(*testing.T, *session, resource.PropertyMap){
		"a read": func(_ *testing.T, old *session, _ resource.PropertyMap) { old.mustRead() },
		"a diff": func(_ *testing.T, old *session, in resource.PropertyMap) { old.mustDiff(in) },
	}
	for what, see := range seen {
		t.Run("after "+what+", create is refused and the object is not touched", func(t *testing.T) {
			w, old, replacement, in := made(t, false)
			see(t, old, in)
			before := version(w)
			programs := []resource.PropertyMap{in, with(t, in, "manifest.data.a", "9")}
			if what == "a read" { // the engine does not read what it has deleted already, or retained
				programs = append(programs, with(t, in, "adopt", true))
			}
			for _, program := range programs {
				err := replacement.create(program)
				require.ErrorContains(t, err, "the old object still exists and has the same name")
				require.ErrorContains(t, err, "If retainOnDelete keeps the old object")
				assert.ErrorContains(t, err, "deleteBeforeReplace")
				assert.Equal(t, stored{}, replacement.stored)
			}
			assert.Equal(t, before, version(w))
			old.mustUp("same", in)
		})
	}
	t.Run("its preview succeeds and writes nothing", func(t *testing.T) {
		w, _, replacement, in := made(t, true)
		before := version(w)
		did, outputs, err := replacement.preview(with(t, in, "manifest.data.a", "9"))
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Equal(t, "9", at(t, outputs, "manifest.data.a"))
		assert.Equal(t, "web", at(t, outputs, "manifest.metadata.name"))
		assert.Equal(t, "web", at(t, outputs, "resourceRef.name"))
		assert.Equal(t, before, version(w))
		all, err := w.objects("ConfigMap").List(t.Context(), listAll)
		require.NoError(t, err)
		assert.Len(t, all.Items, 1)
	})
	t.Run("deleted first, it works", func(t *testing.T) {
		w, old, replacement, in := made(t, true)
		uid := at(t, old.outputs, "resourceRef.uid")
		require.NoError(t, old.remove())
		require.NoError(t, replacement.create(in))
		assert.NotEqual(t, uid, at(t, replacement.outputs, "resourceRef.uid"))
		assert.True(t, w.exists("ConfigMap", "web"))
		replacement.mustUp("same", in)
	})
	t.Run("never seen, the object is taken up, and the old state does not delete it", func(t *testing.T) {
		w, old, replacement, in := made(t, false)
		before := version(w)
		require.NoError(t, replacement.create(in))
		assert.Equal(t, at(t, old.outputs, "resourceRef.uid"), at(t, replacement.outputs, "resourceRef.uid"))
		assert.Equal(t, before, version(w))
		require.NoError(t, old.remove())
		require.True(t, w.exists("ConfigMap", "web"), "it is the new resource's object by now")
		require.Len(t, replacement.process.log.warnings(), 1)
		assert.Contains(t, replacement.process.log.warnings()[0], "is kept")
		replacement.mustUp("same", in)
		require.NoError(t, replacement.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("never seen, and the process dies before the deletion: the next one does not delete it either", func(t *testing.T) {
		w, old, replacement, in := made(t, false)
		require.NoError(t, replacement.create(in))
		next := start(t, inline(newUser(t)))
		// The engine compares the program with the newest state before it deletes what is left over.
		replacement.in(next).mustUp("same", in)
		require.NoError(t, old.in(next).remove())
		require.True(t, w.exists("ConfigMap", "web"), "the state of the replacement knows it")
		require.NoError(t, replacement.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("never seen, with other content it is updated, and the old state does not delete it [O88]", func(t *testing.T) {
		w, old, replacement, in := made(t, false)
		require.NoError(t, replacement.create(with(t, in, "manifest.data.a", "9")))
		assert.Contains(t, replacement.warned(), "created it (")
		assert.Equal(t, at(t, old.outputs, "resourceRef.uid"), at(t, replacement.outputs, "resourceRef.uid"))
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))
		require.NoError(t, old.remove())
		require.True(t, w.exists("ConfigMap", "web"), "it is the new resource's object by now")
		require.NoError(t, replacement.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("an update is no replacement: the object that it knows is not in its own way", func(t *testing.T) {
		w, old, _, in := made(t, true)
		old.mustUp("update", with(t, in, "manifest.data.a", "9"))
		assert.Equal(t, "9", w.value("ConfigMap", "web", "data", "a"))
		assert.Empty(t, old.process.log.warnings())
	})
}

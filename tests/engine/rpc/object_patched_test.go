package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnObjectThatIsPatched is about what becomes of an object with fields of a Patch that comes under a KubeObject.
func TestAnObjectThatIsPatched(t *testing.T) {
	t.Parallel()
	const patch = "k8sconnect-patch-bakery.dev.tweak-0a1b2c3d"
	patched := func(w world) {
		w.create(w.configMap("web", map[string]any{"a": "1", "b": "2"}))
		w.apply(patch, w.configMap("web", map[string]any{"a": "9"}))
	}
	in := func(w world) map[string]any {
		return w.configMap("web", map[string]any{"a": "1"})
	}
	t.Run("it is refused and untouched, adopted or imported, until the Patch has handed back its fields [D64]", func(t *testing.T) {
		t.Parallel()
		for how, adopted := range map[string]bool{"adopted": true, "imported": false} {
			w := newWorld(t)
			patched(w)
			s := start(t, inline(newUser(t))).resource(t, "web")
			want, did := program(in(w)), "update"
			if adopted {
				want, did = program(in(w), adopting), "create"
			} else {
				require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
				assert.Contains(t, s.warned(), `the Patch "tweak" of bakery/dev`)
			}
			before := w.get("ConfigMap", "web")
			_, _, previewed := s.preview(want)
			_, updated := s.up(want)
			for _, err := range []error{previewed, updated} {
				require.ErrorContains(t, err, `managed by the Patch "tweak" of bakery/dev`, how)
				require.ErrorContains(t, err, "Remove the Patch", how)
			}
			assert.Equal(t, before, w.get("ConfigMap", "web"), how)
			w.jsonPatch("ConfigMap", "web", released(t, w, patch)...)
			s.in(s.process.again(t)).mustUp(did, want).mustUp("same", want)
			assert.Equal(t, "1", w.value("ConfigMap", "web", "data", "a"), how)
		}
	})
	t.Run("it is refused while a preview does not know all values [D64]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		patched(w)
		_, _, err := start(t, inline(newUser(t))).resource(t, "web").preview(with(t, program(in(w), adopting), "manifest.data.a", unknown()))
		require.ErrorContains(t, err, `managed by the Patch "tweak" of bakery/dev`)
	})
}

// released is what a Patch does when it is removed.
func released(t testing.TB, w world, manager string) []map[string]any {
	t.Helper()
	entries, ok := w.value("ConfigMap", "web", "metadata", "managedFields").([]any)
	require.True(t, ok)
	var left []any
	for _, entry := range entries {
		if entry.(map[string]any)["manager"] != manager {
			left = append(left, entry)
		}
	}
	return []map[string]any{{"op": "replace", "path": "/metadata/managedFields", "value": left}}
}

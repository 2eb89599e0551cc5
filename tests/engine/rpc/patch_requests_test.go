package rpc_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatAPatchAsksFor counts the requests of every verb, exactly.
func TestWhatAPatchAsksFor(t *testing.T) {
	t.Parallel()
	type counted struct{ create, beside, preview, update, drift, dropped, destroy []string }
	for kind, want := range map[string]counted{
		"patch": {
			create: []string{"GET", "apply by force"}, beside: []string{"GET", "apply by force, dry-run", "apply by force"}, preview: []string{"GET", "apply by force, dry-run"}, update: []string{"GET", "apply by force, dry-run", "apply by force"},
			drift: []string{"GET", "apply by force"}, dropped: []string{"GET", "apply by force, dry-run", "json patch", "apply by force"}, destroy: []string{"GET", "json patch", "POST"},
		},
		"jsonPatch": {
			create: []string{"GET", "json patch"}, beside: []string{"GET", "json patch"}, preview: []string{"GET", "json patch, dry-run"}, update: []string{"GET", "json patch"},
			drift: []string{"GET", "json patch"}, dropped: []string{"GET", "json patch", "json patch"}, destroy: []string{"GET", "json patch", "POST"},
		},
		"mergePatch": {
			create: []string{"GET", "merge patch"}, beside: []string{"GET", "merge patch"}, preview: []string{"GET", "merge patch, dry-run"}, update: []string{"GET", "merge patch"},
			drift: []string{"GET", "merge patch"}, dropped: []string{"GET", "json patch", "merge patch"}, destroy: []string{"GET", "json patch", "POST"},
		},
	} {
		t.Run(kind+" [P18] [P21]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			w.apply("eks", w.configMap("it", nil))
			in := patching(w.configMap("it", nil), setting(kind, data("a", "9", "b", "10")))
			after := patching(w.configMap("it", nil), setting(kind, data("a", "11", "b", "10")))
			less := patching(w.configMap("it", nil), setting(kind, data("a", "12")))
			s := patched(t, w, start(t, g.connection()), "it")
			take := g.watchRequests()

			s.previewed("create", in)
			assert.Equal(t, want.preview, take(), "preview of a create")
			s.mustUp("create", in)
			assert.Equal(t, want.create, take(), "create")
			beside := patched(t, w, s.process, "beside").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("c", "1"))))
			assert.Equal(t, want.beside, take(), "create beside another Patch")
			require.NoError(t, beside.destroy())
			take()
			assert.Empty(t, s.mustDiff(in))
			assert.Empty(t, take(), "an unchanged diff")
			s.mustRead()
			assert.Equal(t, []string{"GET"}, take(), "read")

			s.refresh = false
			s.mustUp("same", in)
			assert.Empty(t, take(), "an unchanged up")
			s.mustUp("update", after)
			assert.Equal(t, append(slices.Clone(want.preview), want.update...), take(), "a diff of a change, and the update")
			s.refresh = true

			w.patch("ConfigMap", "it", data("a", "drift"))
			s.mustRead()
			take()
			s.refresh = false
			s.mustUp("update", after)
			assert.Equal(t, want.drift, take(), "drift")
			s.refresh = false
			s.mustUp("update", less)
			assert.Equal(t, append(slices.Clone(want.preview), want.dropped...), take(), "a field is dropped")
			require.NoError(t, s.remove())
			assert.Equal(t, want.destroy, take(), "delete")
		})
	}
}

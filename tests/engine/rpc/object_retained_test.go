package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnObjectThatOutlivesItsResourceIsFoundAgain is about what the hooks of a release leave.
func TestAnObjectThatOutlivesItsResourceIsFoundAgain(t *testing.T) { // [H6] [D9]
	t.Parallel()
	retained := map[string]any{"__retained": true}
	old := inline(newUser(t))
	old["resumeWithin"] = "0s"

	t.Run("by a resource of the same name, with the content of now, and without a word", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		start(t, old).resource(t, "web").mustUp("create", program(w.configMap("web", map[string]any{"a": "1", "b": "2"}), retained))
		before := w.get("ConfigMap", "web")
		changed := program(w.configMap("web", map[string]any{"a": "3"}), retained)
		p := start(t, old)
		s := p.resource(t, "web")
		_, outputs, err := s.preview(changed)
		require.NoError(t, err)
		assert.Equal(t, "3", at(t, outputs, "manifest.data.a"))
		assert.Equal(t, before.GetResourceVersion(), w.get("ConfigMap", "web").GetResourceVersion(), "a preview writes nothing")
		s.mustUp("create", changed)
		assert.Equal(t, map[string]any{"a": "3"}, w.value("ConfigMap", "web", "data"))
		assert.Equal(t, before.GetUID(), w.get("ConfigMap", "web").GetUID())
		assert.Empty(t, p.log.warnings())
		s.mustUp("same", changed)
	})
	t.Run("not by one of another name, and not one of others", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		p := start(t, old)
		p.resource(t, "web").mustUp("create", program(w.configMap("web", nil), retained))
		w.create(w.configMap("theirs", nil))
		for name, reason := range map[string]string{"web": "managed by the KubeObject", "theirs": "already exists"} {
			before := w.get("ConfigMap", name)
			require.ErrorContains(t, p.resource(t, "other").create(program(w.configMap(name, nil), retained)), reason)
			assert.Equal(t, before, w.get("ConfigMap", name))
		}
	})
	t.Run("a resource whose object goes with it does not find it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		start(t, old).resource(t, "web").mustUp("create", program(w.configMap("web", nil), retained))
		before := w.get("ConfigMap", "web")
		require.ErrorContains(t, start(t, old).resource(t, "web").create(program(w.configMap("web", nil))), "already exists")
		assert.Equal(t, before, w.get("ConfigMap", "web"))
	})
}

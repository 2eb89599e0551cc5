package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a Diff learns holds for the Delete that follows, although the engine deletes the state of an aliased resource under its
// former URN.

func TestARenamedResourceIsDeletedAsTheProgramSays(t *testing.T) {
	t.Parallel()
	t.Run("with its propagation policy [D102]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		manifest := w.deployment(t, "kept")
		s := start(t, g.connection()).resource(t, "kept").mustUp("create", program(manifest))
		sent := g.watchDeletions()
		background := program(manifest, m{"deletionPropagation": "Background"})
		background = with(t, with(t, background, "manifest.spec.selector.matchLabels.app", "other"), "manifest.spec.template.metadata.labels.app", "other")
		s.moved(urnOf("after"))
		s.mustUp("replace", background)
		require.Len(t, sent(), 1)
		assert.Contains(t, sent()[0], `"propagationPolicy":"Background"`, "and not in the foreground, as in the last run")
	})
	t.Run("a Patch that moves to another object removes what it has added [D102] [P31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", nil))
		w.apply("owner", w.configMap("other", nil))
		s := removing(t, w, start(t, inline(newUser(t)))).mustUp("create", patching(w.configMap("it", nil), setting("patch", data("new", "1"))))
		s.moved(urnOfType(patchType, "after"))
		s.mustUp("replace", patching(w.configMap("other", nil), setting("patch", data("new", "1")), removes))
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, w.value("ConfigMap", "it", "data"))
		require.NoError(t, s.destroy())
	})
}

func TestARenamedResourceInAnotherClusterIsLeftAlone(t *testing.T) { // [D8]
	t.Parallel()
	c := newTwo(t)
	for name, connections := range map[string][2]m{
		"by its own connection":        {{"clusterConnection": inline(c.one.user)}, {"clusterConnection": inline(c.two.user)}},
		"by that of the whole program": {{}, {}},
	} {
		object := map[string]string{"by its own connection": "own", "by that of the whole program": "shared"}[name]
		t.Run(name, func(t *testing.T) {
			s := c.to(c.one).resource(t, object).mustUp("create", program(c.one.configMap(object, nil), connections[0]))
			s.moved(urnOf("after-" + object)).in(c.to(c.two))
			s.mustUp("replace", program(c.one.configMap(object, nil), connections[1]))
			assert.True(t, c.one.exists("ConfigMap", object), "it is left alone in the former cluster")
			assert.True(t, c.two.exists("ConfigMap", object))
		})
	}
}

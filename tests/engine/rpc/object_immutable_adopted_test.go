package rpc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A default that is left over is in the way of the first apply as well: where the state does not know the object yet.
func TestADefaultThatIsLeftOverIsNotInTheWayOfAFirstApply(t *testing.T) {
	t.Parallel()
	change := leftovers["a Deployment's strategy, from none to Recreate"]
	t.Run("of an object that an interrupted run has made [D1] [O88]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		user := newUser(t)
		start(t, inline(user)).resource(t, "it").mustUp("create", program(w.inNamespace(t, change.from), atOnce))
		before := w.get("Deployment", "it")
		after := program(w.inNamespace(t, change.to), atOnce)
		s := start(t, inline(user)).resource(t, "it")
		did, _, err := s.preview(after)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Equal(t, before, w.get("Deployment", "it"), "a preview writes nothing")
		s.mustUp("create", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
		s.mustUp("same", after)
	})
	t.Run("where the reply to its creation was lost, too [D1]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "it")
		g.next(isRealApply, loseReply)
		_, err := s.up(program(w.inNamespace(t, change.from), atOnce))
		require.Error(t, err)
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce)
		s.mustUp("update", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("of an object that is adopted, whoever made it by an apply [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(after)
		require.NoError(t, err)
		s.mustUp("create", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("of an object of kubectl, which owns the defaults: they become ours with the adoption [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.kubectlCreate(w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(after)
		require.NoError(t, err, "what the update can do, the preview does not refuse")
		assert.Equal(t, before, w.get("Deployment", "it"), "a preview writes nothing")
		s.mustUp("create", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("but is explained where another manager owns it, in the preview and in the update [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, previewed := s.preview(after)
		_, updated := s.up(after)
		for _, err := range []error{previewed, updated} {
			require.ErrorContains(t, err, "spec.strategy.rollingUpdate")
			require.ErrorContains(t, err, "owned by intern")
			assert.Equal(t, 1, strings.Count(err.Error(), "Next: "), err.Error())
		}
		assert.Equal(t, before, w.get("Deployment", "it"))
	})
	t.Run("and goes where the program takes over from its owner, who got it with the object [D1] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.inNamespace(t, change.from))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.to), atOnce, adopting, m{"takeOverFrom": []any{"intern"}})
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, err := s.preview(after)
		require.NoError(t, err)
		assert.Equal(t, before, w.get("Deployment", "it"), "a preview writes nothing")
		s.mustUp("create", after).mustUp("same", after)
		assert.Equal(t, before.GetUID(), w.get("Deployment", "it").GetUID())
		assert.Equal(t, change.want, w.value("Deployment", "it", change.at...))
	})
	t.Run("but a value that its owner has chosen stays, and is explained [D1] [O82]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		chosen := w.inNamespace(t, strings.ReplaceAll(leftovers["a Deployment's strategy, from RollingUpdate to Recreate"].from,
			"{type: RollingUpdate}", "{type: RollingUpdate, rollingUpdate: {maxSurge: 3}}"))
		w.create(chosen)
		_, err := start(t, inline(newUser(t))).resource(t, "it").up(
			program(w.inNamespace(t, change.to), atOnce, adopting, m{"takeOverFrom": []any{"intern"}}))
		require.ErrorContains(t, err, "spec.strategy.rollingUpdate")
		assert.EqualValues(t, 3, w.value("Deployment", "it", "spec", "strategy", "rollingUpdate", "maxSurge"))
	})
	t.Run("and what cannot be changed at all is said, with what to do [D1]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("helm", w.inNamespace(t, strings.ReplaceAll(change.from, "app: web", "app: other")))
		before, after := w.get("Deployment", "it"), program(w.inNamespace(t, change.from), atOnce, adopting)
		s := start(t, inline(newUser(t))).resource(t, "it")
		_, _, previewed := s.preview(after)
		_, updated := s.up(after)
		for _, err := range []error{previewed, updated} {
			require.ErrorContains(t, err, "cannot be changed to what the manifest says")
			require.ErrorContains(t, err, "spec.selector")
			require.ErrorContains(t, err, "delete it by hand")
			assert.Equal(t, 1, strings.Count(err.Error(), "Next: "), err.Error())
		}
		assert.Equal(t, before, w.get("Deployment", "it"))
		w.delete("Deployment", "it")
		s.mustUp("create", after)
	})
}

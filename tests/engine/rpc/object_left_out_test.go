package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAResourceThatLetsItsObjectGo is about what a Chart leaves out that it has had.
func TestAResourceThatLetsItsObjectGo(t *testing.T) { // [D97]
	t.Parallel()
	data := func(value string) map[string]any { return map[string]any{"a": value} }
	leftOut := map[string]any{"__leftOut": true}

	t.Run("leaves it alone until it takes it up again", func(t *testing.T) {
		t.Parallel()
		w, gate := newWorld(t), newGateway(t)
		s := start(t, gate.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", data("1"))))
		before := w.get("ConfigMap", "web").GetUID()
		s.mustUp("same", program(w.configMap("web", data("1")), leftOut))
		w.patch("ConfigMap", "web", m{"data": data("2")})
		gate.takeSeen()
		s.in(s.process.again(t)).mustUp("same", program(w.configMap("web", data("1")), leftOut))
		s.mustRead()
		assert.Empty(t, gate.takeSeen(), "it asks for nothing")
		s.in(s.process.again(t)).mustUp("update", program(w.configMap("web", data("1"))))
		assert.Equal(t, "1", w.value("ConfigMap", "web", "data", "a"))
		assert.Equal(t, before, w.get("ConfigMap", "web").GetUID())
		s.in(s.process.again(t)).mustUp("same", program(w.configMap("web", data("1"))))
	})
	t.Run("and leaves it behind when it goes", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", data("1"))))
		s.mustUp("same", program(w.configMap("web", data("1")), leftOut))
		require.NoError(t, s.remove())
		assert.True(t, w.exists("ConfigMap", "web"))
	})
	t.Run("makes it again if it is gone", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", data("1"))))
		s.mustUp("same", program(w.configMap("web", data("1")), leftOut))
		w.delete("ConfigMap", "web")
		s.in(s.process.again(t)).mustUp("same", program(w.configMap("web", data("1")), leftOut))
		s.in(s.process.again(t)).mustUp("update", program(w.configMap("web", data("1"))))
		assert.True(t, w.exists("ConfigMap", "web"))
	})
	t.Run("does not take one of others that has its place", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.configMap("web", data("1"))))
		s.mustUp("same", program(w.configMap("web", data("1")), leftOut))
		w.delete("ConfigMap", "web")
		theirs := w.create(w.configMap("web", data("2")))
		_, err := s.in(s.process.again(t)).up(program(w.configMap("web", data("1"))))
		require.ErrorContains(t, err, "already exists")
		assert.Equal(t, theirs.GetUID(), w.get("ConfigMap", "web").GetUID())
		assert.Equal(t, "2", w.value("ConfigMap", "web", "data", "a"))
	})
	t.Run("finds it again if the state has forgotten it", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		old := inline(newUser(t))
		old["resumeWithin"] = "0s"
		s := start(t, old).resource(t, "web").mustUp("create", program(w.configMap("web", data("1"))))
		before := w.get("ConfigMap", "web")
		s.stored = stored{}
		s.in(s.process.again(t)).mustUp("create", program(w.configMap("web", nil), leftOut))
		assert.Equal(t, before, w.get("ConfigMap", "web"), "it writes nothing")
		s.in(s.process.again(t)).mustUp("same", program(w.configMap("web", nil), leftOut))
		s.in(s.process.again(t)).mustUp("update", program(w.configMap("web", data("2"))))
		assert.Equal(t, "2", w.value("ConfigMap", "web", "data", "a"))
		assert.Equal(t, before.GetUID(), w.get("ConfigMap", "web").GetUID())
	})
}

package rpc_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestADeletionIsOfWhatWasRead is about objects that change between the read at the beginning of a command and their deletion, which
// may come hours later.
func TestADeletionIsOfWhatWasRead(t *testing.T) {
	t.Parallel()
	// between destroys an object that changes after the read.
	between := func(t *testing.T, change func(w world, connection map[string]any, manager string)) (w world, s *session, requests []string) {
		t.Helper()
		w = newWorld(t)
		g := newGateway(t)
		s = start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		manager := s.managerIn()
		s.in(s.process.again(t))
		var asked func() []string
		s.destroying = func(*session) func(error) {
			change(w, inline(newUser(t)), manager)
			asked = g.watchRequests()
			return func(error) { requests = asked() }
		}
		require.NoError(t, s.destroy())
		return w, s, requests
	}
	t.Run("what another stack has taken over stays [D31]", func(t *testing.T) {
		t.Parallel()
		w, s, _ := between(t, func(w world, connection map[string]any, manager string) {
			start(t, connection).bakery(t, "web").mustUp("create", program(w.configMap("web", nil), takingOver(manager)))
		})
		assert.True(t, w.exists("ConfigMap", "web"))
		assert.Contains(t, s.process.log.all(), "is left alone: it is managed by the KubeObject \"web\" of bakery/dev")
	})
	t.Run("what others want to keep stays [O86]", func(t *testing.T) {
		t.Parallel()
		w, s, _ := between(t, func(w world, _ map[string]any, _ string) {
			w.patch("ConfigMap", "web", m{"metadata": m{"annotations": m{resourcePolicy: "keep"}}})
		})
		assert.True(t, w.exists("ConfigMap", "web"))
		assert.Contains(t, s.warned(), "was not deleted")
	})
	t.Run("what has changed otherwise goes, after another look", func(t *testing.T) {
		t.Parallel()
		w, _, requests := between(t, func(w world, _ map[string]any, _ string) {
			w.patch("ConfigMap", "web", m{"data": m{"theirs": "1"}})
		})
		assert.False(t, w.exists("ConfigMap", "web"))
		assert.Equal(t, []string{"DELETE", "GET", "DELETE"}, requests)
	})
	t.Run("what is as it was goes at once", func(t *testing.T) {
		t.Parallel()
		_, _, requests := between(t, func(world, map[string]any, string) {})
		assert.Equal(t, []string{"DELETE"}, requests)
	})
	t.Run("what others never stop writing goes, too", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		s.in(s.process.again(t))
		n := 0
		g.always(func(r *http.Request) bool {
			if isDelete(r) {
				n++
				w.patch("ConfigMap", "web", m{"data": m{"theirs": strconv.Itoa(n)}})
			}
			return false
		}, nil)
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
}

func TestAnObjectThatAnOldStateDoesNotHaveStaysWithAWord(t *testing.T) {
	t.Parallel()
	w, connection := newWorld(t), inline(newUser(t))
	connection["driftDetection"] = "refresh"
	frozen := func(v string) map[string]any {
		return object(t, `{apiVersion: v1, kind: ConfigMap, immutable: true, metadata: {name: web, namespace: %s}, data: {a: "`+v+`"}}`, w.namespace)
	}
	s := start(t, connection).resource(t, "web").mustUp("create", program(frozen("1")))
	older := s.stored
	s.in(s.process.again(t)).mustUp("replace", program(frozen("2")))
	s.in(s.process.again(t))
	assert.NotContains(t, s.process.log.all(), "stays")
	s.stored = older
	require.NoError(t, s.destroy())
	assert.True(t, w.exists("ConfigMap", "web"))
	assert.Contains(t, s.warned(), "web stays: it is not the object that the state has")
	s.in(s.process.again(t)).mustUp("create", program(frozen("2"), m{"adopt": true}))
	require.NoError(t, s.destroy())
	assert.False(t, w.exists("ConfigMap", "web"))
}

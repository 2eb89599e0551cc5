package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPendingWait(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	t.Run("stays pending over every refresh, and its preview is unknown [W29]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		uid := w.create(w.configMap("it", nil)).GetUID()
		s, in := failedWait(t, start(t, inline(newUser(t))).wait(t, "it"), refTo(w.configMap("it", nil)), m{"field": "data.ready"})
		id, take := s.id, requests(t, user)
		for range 2 {
			s.in(start(t, inline(user)))
			why := looks(t, s)
			assert.Contains(t, why, "data.ready is not set")
			assert.Contains(t, why, "an earlier wait timed out or failed")
			assert.Contains(t, why, "waits again, in place")
			assert.Equal(t, []string{"discovery v1", "GET"}, take())

			s.initErrors = nil // a refresh by an engine that forgets them
			assert.Equal(t, map[string]string{"__pendingWait": "update"}, s.mustDiff(in))
			did, outputs, err := s.preview(in)
			require.NoError(t, err)
			assert.Equal(t, "update", did)
			assert.Equal(t, unknownText, at(t, outputs, "status"))
			assert.Equal(t, []string{"GET"}, take())
		}
		w.patch("ConfigMap", "it", m{"data": m{"ready": "yes"}})
		t.Run("a look that finds it true settles it", func(t *testing.T) {
			other := *s
			did, outputs, err := other.preview(in)
			require.NoError(t, err)
			assert.Equal(t, "same", did, "dependents go ahead")
			assert.Equal(t, "yes", at(t, outputs, "status.data.ready"))
			other.mustUp("same", in)
			requireWaited(t, &other)
			assert.Equal(t, "yes", at(t, other.outputs, "status.data.ready"))
			assert.EqualValues(t, uid, at(t, other.outputs, "__uid"))
			assert.Equal(t, id, other.id)
		})
		t.Run("an update settles it, without a look before", func(t *testing.T) {
			other := *s
			other.refresh = false
			other.mustUp("update", in)
			requireWaited(t, &other)
			assert.Equal(t, id, other.id)
		})
	})
	t.Run("of a condition, which has no status, is settled by a look as well [W29]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "it"))
		s, in := failedWait(t, start(t, inline(newUser(t))).wait(t, "it"), refTo(w.deployment(t, "it")), m{"condition": "Available"})
		assert.Contains(t, looks(t, s), "there is no condition Available yet")
		w.report("Deployment", "it", condition(t, `type: Available, status: "True"`))
		s.mustUp("same", in)
		requireWaited(t, s)
	})
	t.Run("is not settled by another object of the same name", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		object, s := p.resource(t, "it"), p.wait(t, "it")
		object.mustUp("create", program(w.configMap("it", nil)))
		failedWait(t, s, object.outputs["resourceRef"], m{"field": "data.ready"})
		w.delete("ConfigMap", "it")
		assert.Contains(t, looks(t, s), "it does not exist yet")
		w.create(w.configMap("it", m{"ready": "yes"}))
		assert.Contains(t, looks(t, s), "another one has its name now")
	})
	t.Run("after an update: the old inputs stay, and what is pending is seen by the flag", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		ref := refTo(w.configMap("it", nil))
		first, second := waiting(ref, m{"field": "data.a"}), waiting(ref, until("field", "data.ready", noTime))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", first)
		did, err := s.up(second)
		assert.Equal(t, "update", did)
		requireWaitPending(t, s, err)
		assert.Equal(t, "data.a", at(t, s.inputs, "waitFor.field"), "the engine keeps the old ones")

		// What the old inputs ask for holds. That settles those, and not the new ones.
		assert.Empty(t, looks(t, s))
		assert.Equal(t, "1", at(t, s.outputs, "status.data.a"))
		assert.Equal(t, map[string]string{"waitFor.field": "update", "waitFor.timeout": "add"}, s.mustDiff(second))
		did, err = s.up(second)
		assert.Equal(t, "update", did)
		requireWaitPending(t, s, err)
		s.mustUp("same", first)
	})
	t.Run("whose object is out of reach keeps its error [W29]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s, in := failedWait(t, start(t, inline(newUser(t))).wait(t, "it"), refTo(w.configMap("it", nil)), m{"field": "data.ready"})
		s.in(start(t, m{"host": closedHost(t), "token": "t"}))
		assert.Contains(t, looks(t, s), "could not be read")
		did, outputs, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Equal(t, unknownText, at(t, outputs, "status"))
		require.NoError(t, s.destroy())
	})
	t.Run("for a deletion is settled when the object is gone, or another one [W29] [W9]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		ref := refTo(w.configMap("it", nil))
		for _, again := range []bool{false, true} {
			ref["uid"] = string(w.create(w.configMap("it", nil)).GetUID())
			s, in := failedWait(t, start(t, inline(newUser(t))).wait(t, "it"), ref, m{"deleted": true})
			assert.Contains(t, looks(t, s), "nobody has deleted it")
			w.delete("ConfigMap", "it")
			if again {
				w.create(w.configMap("it", nil))
			}
			s.mustUp("same", in)
			requireWaited(t, s)
		}
	})
	t.Run("with what an older version allowed is kept, and the next update says what is wrong", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s, in := failedWait(t, start(t, inline(newUser(t))).wait(t, "it"), refTo(w.configMap("it", nil)), m{"field": "data.ready"})
		for _, waitFor := range []any{m{}, m{"field": "data["}, m{"until": "x"}, nil, "Ready"} {
			s.inputs = waiting(refTo(w.configMap("it", nil)), waitFor)
			assert.Contains(t, looks(t, s), "still waited for")
			assert.Equal(t, "update", first(s.preview(in)))
		}
	})
}

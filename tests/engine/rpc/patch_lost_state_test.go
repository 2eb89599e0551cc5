package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lostRun is a Patch of data.n on an object whose state is older than its object: another run has patched data.m, which
// was not there, and data.taken, which its owner has applied.
func lostRun(t *testing.T, kind string, more m) (w world, s *session, first, lost resource.PropertyMap) {
	t.Helper()
	w = newWorld(t)
	w.apply("owner", w.configMap("it", m{"o": "1", "taken": "before"}))
	first = patching(w.configMap("it", nil), setting(kind, data("n", "1")), more)
	lost = patching(w.configMap("it", nil), setting(kind, data("n", "1", "m", "2", "taken", "hunter2-hunter2")), more)
	s = patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", first)
	older := s.stored
	s.in(s.process.again(t)).mustUp("update", lost)
	s.stored = older
	s.in(s.process.again(t))
	return w, s, first, lost
}

// The engine was killed after an update of a Patch, or could not save its state, or an older deployment was imported.
func TestAPatchWhoseStateIsOlderThanItsObject(t *testing.T) {
	t.Parallel()
	after := m{"n": "1", "m": "2", "taken": "hunter2-hunter2", "o": "1"}
	eachKind(t, "what the lost run has set is drift, hidden and named, and the next up releases it", func(t *testing.T, kind string) {
		w, s, in, _ := lostRun(t, kind, nil)
		diff := drifted(s, in)
		if kind == "patch" {
			assert.Equal(t, map[string]string{"patch.data.m": "delete", "patch.data.taken": "delete"}, diff)
		} else {
			assert.Equal(t, map[string]string{kind: "update"}, diff)
		}
		assert.Empty(t, readableIn(s.outputs, "hunter2-hunter2"), "nothing says whether the lost program had it as a secret")
		before := w.version("ConfigMap", "it")
		did, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		said := func() {
			assert.Contains(t, s.warned(), "ConfigMap "+w.namespace+"/it: a run of this Patch whose state was not saved has set fields that the patch does not name.")
			assert.Contains(t, s.warned(), "data.m, data.taken")
		}
		said()
		assert.Equal(t, before, w.version("ConfigMap", "it"), "a preview writes nothing")
		s.in(s.process.again(t)).mustUp("update", in)
		said()
		assert.Equal(t, after, w.value("ConfigMap", "it", "data"))
		owned := w.ownedBy(s, "ConfigMap", "it")
		assert.Contains(t, owned, "f:n")
		assert.NotContains(t, owned, "f:m")
		assert.NotContains(t, owned, "f:taken")
		require.NoError(t, w.applies("owner", w.configMap("it", m{"o": "1", "taken": "before"})), "released")
		s.in(s.process.again(t)).mustUp("same", in)
		assert.Empty(t, s.process.log.warnings())
	})
	eachKind(t, "a destroy names and releases all of it", func(t *testing.T, kind string) {
		w, s, _, _ := lostRun(t, kind, nil)
		require.NoError(t, s.destroy())
		assert.Contains(t, s.process.log.all(), "Nobody owns: data.m, data.n, data.taken")
		assert.Equal(t, after, w.value("ConfigMap", "it", "data"))
		events := w.events("PatchReleased")
		require.Len(t, events, 1)
		assert.Contains(t, events[0].Object["message"], "data.m, data.n, data.taken")
	})
	eachKind(t, "a destroy that removes says what stays, because nothing records it [P31]", func(t *testing.T, kind string) {
		w, s, _, _ := lostRun(t, kind, removes)
		s.destroying = nil
		warnings := destroyed(t, w, s, "ConfigMap")
		require.Len(t, warnings, 1)
		for _, field := range []string{"data.m", "data.taken"} {
			assert.Contains(t, warnings[0], field+": a run of this Patch has set it whose state was not saved")
		}
		assert.Equal(t, m{"m": "2", "taken": "hunter2-hunter2", "o": "1"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "the program of the lost run takes it up", func(t *testing.T, kind string) {
		w, s, _, lost := lostRun(t, kind, nil)
		s.mustUp("update", lost).mustUp("same", lost)
		assert.NotContains(t, s.warned(), "was not saved")
		assert.Equal(t, after, w.value("ConfigMap", "it", "data"))
		assert.Contains(t, w.ownedBy(s, "ConfigMap", "it"), "f:taken")
	})
	eachKind(t, "another program releases what it does not name", func(t *testing.T, kind string) {
		w, s, _, _ := lostRun(t, kind, nil)
		in := patching(w.configMap("it", nil), setting(kind, data("n", "1", "m", "2")))
		s.previewed("update", in)
		assert.Contains(t, s.warned(), "data.taken")
		s.in(s.process.again(t)).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, after, w.value("ConfigMap", "it", "data"))
		owned := w.ownedBy(s, "ConfigMap", "it")
		assert.NotContains(t, owned, "f:taken")
	})
	eachKind(t, "an update for other drift leaves its values, too", func(t *testing.T, kind string) {
		w, s, in, _ := lostRun(t, kind, nil)
		w.patch("ConfigMap", "it", data("n", "drift"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, after, w.value("ConfigMap", "it", "data"))
		assert.NotContains(t, w.ownedBy(s, "ConfigMap", "it"), "f:m")
	})
	eachKind(t, "a Patch that is renamed meanwhile releases it as well", func(t *testing.T, kind string) {
		w, s, _, _ := lostRun(t, kind, nil)
		s.moved(urnOfType(patchType, "after"))
		in := patching(w.configMap("it", nil), setting(kind, data("n", "1")))
		did, err := s.up(in)
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Contains(t, s.warned(), "data.m, data.taken")
		assert.NotContains(t, w.ownedBy(s, "ConfigMap", "it"), "f:taken")
		assert.Equal(t, after, w.value("ConfigMap", "it", "data"))
		s.in(s.process.again(t)).mustUp("same", in)
	})
	eachKind(t, "a state of an earlier version does not know what else a patch came to own, and that is no drift", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.apply("owner", withArgs(w.deployment(t, "it"), "--a"))
		in := patching(w.deployment(t, "it"), setting(kind, m{"spec": m{"strategy": m{"type": "RollingUpdate"}, "minReadySeconds": 3}}))
		if kind == "jsonPatch" {
			in = patching(w.deployment(t, "it"), m{kind: []any{operation("add", "/spec/template/spec/containers/-", m{"name": "side", "image": "side:1"})}})
		}
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		s.outputs = s.outputs.Copy()
		delete(s.outputs, "__ownedBesides")
		s.in(s.process.again(t)).mustUp("same", in)
		delete(s.outputs, "__writtenAt")
		s.in(s.process.again(t)).mustUp("same", in)
	})
}

package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patchIn adds a Patch to the stack, whatever becomes of its object.
func patchIn(t testing.TB, p *process, name string) *session {
	t.Helper()
	return &session{t: t, process: p, urn: urnOfType(patchType, name)}
}

func TestAPatchInAnotherCluster(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, kind string) (c two, s *session, in func(value string) map[string]any) {
		c = newTwo(t)
		c.one.create(c.one.configMap("web", nil))
		in = func(value string) map[string]any { return setting(kind, data("a", value)) }
		return c, patchIn(t, c.to(c.one), "web").mustUp("create", patching(c.one.configMap("web", nil), in("9"))), in
	}
	for _, kind := range []string{"patch", "jsonPatch", "mergePatch"} {
		t.Run(kind+": a refresh and a destroy keep it, an up patches in the new cluster [D8]", func(t *testing.T) {
			t.Parallel()
			c, s, in := begin(t, kind)
			verify := c.one.untouched(t, "ConfigMap", "web")
			assert.Equal(t, c.one.id, origin(t, s)["id"])
			before := s.outputs
			for _, there := range []string{"no object", "an object"} {
				if there == "an object" {
					c.two.create(c.two.configMap("web", nil))
				}
				s.in(c.to(c.two)).mustRead()
				requireKept(t, before, s)
				c.requireNamed(t, s.warned())
				for what, destroy := range deletions {
					err := destroy(s.in(c.to(c.two)))
					require.ErrorContains(t, err, "forgetClusters", "%s, %s", there, what)
					c.requireNamed(t, err.Error())
				}
			}
			assert.Equal(t, "1", c.two.value("ConfigMap", "web", "data", "a"))
			assert.Equal(t, replacedElsewhere, s.in(c.to(c.two)).mustDiff(patching(c.one.configMap("web", nil), in("9"))))
			s.in(c.to(c.two)).mustUp("replace", patching(c.one.configMap("web", nil), in("9")))
			assert.Equal(t, "9", c.two.value("ConfigMap", "web", "data", "a"))
			verify()
			s.in(c.to(c.two)).mustUp("same", patching(c.one.configMap("web", nil), in("9")))
			require.NoError(t, s.destroy())
			verify()
		})
	}
	t.Run("the former cluster is still there: the release does nothing there [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		c.one.create(c.one.configMap("web", nil))
		c.two.create(c.two.configMap("web", nil))
		in := func(s side) map[string]any { return map[string]any{"clusterConnection": inline(s.user)} }
		s := patchIn(t, start(t, nil), "web").mustUp("create", patching(c.one.configMap("web", nil), data9, in(c.one)))
		verify := c.one.untouched(t, "ConfigMap", "web")
		s.in(start(t, nil)).mustUp("replace", patching(c.one.configMap("web", nil), data9, in(c.two)))
		c.requireNamed(t, s.warned())
		assert.Equal(t, "9", c.two.value("ConfigMap", "web", "data", "a"))
		verify()
	})
	t.Run("without reads before an update the program's Diff finds out, also at the same address [D8]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("web", nil))
		s := patchIn(t, start(t, g.connection()), "web").mustUp("create", patching(w.configMap("web", nil), data9))
		w.delete("ConfigMap", "web")
		g.always(isAskingID, otherID)
		s.in(start(t, g.connection())).refresh = false
		assert.Equal(t, replacedElsewhere, s.mustDiff(patching(w.configMap("web", nil), setting("patch", data("a", "10")))))
		w.create(w.configMap("web", nil))
		assert.Equal(t, replacedElsewhere, s.mustDiff(patching(w.configMap("web", nil), setting("patch", data("a", "10")))))
		assert.Equal(t, "1", w.value("ConfigMap", "web", "data", "a"))
	})
	t.Run("an unconfirmed patch is kept and replaced alike [D8]", func(t *testing.T) {
		t.Parallel()
		c, g := newTwo(t), newGateway(t)
		c.one.create(c.one.configMap("web", nil))
		c.two.create(c.two.configMap("web", nil))
		s := patchIn(t, start(t, g.connection()), "web")
		g.next(isApply, loseReply)
		require.Error(t, s.create(patching(c.one.configMap("web", nil), data9)))
		require.Equal(t, true, at(t, s.outputs, "__pendingPatch"))
		verify, verifyTwo := c.one.untouched(t, "ConfigMap", "web"), c.two.untouched(t, "ConfigMap", "web")
		before := s.outputs
		s.in(c.to(c.two)).mustRead()
		requireMarked(t, before, s)
		for _, destroy := range deletions {
			require.ErrorContains(t, destroy(s), "forgetClusters")
		}
		verifyTwo()
		s.in(c.to(c.two)).mustUp("replace", patching(c.one.configMap("web", nil), data9))
		assert.Equal(t, "9", c.two.value("ConfigMap", "web", "data", "a"))
		verify()
	})
	t.Run("it is forgotten with its cluster, and a state of an older version learns where it is [D8]", func(t *testing.T) {
		t.Parallel()
		c, s, in := begin(t, "patch")
		withoutOrigin(s).mustUp("same", patching(c.one.configMap("web", nil), in("9")))
		assert.Equal(t, c.one.id, origin(t, s)["id"])
		verify := c.one.untouched(t, "ConfigMap", "web")
		for _, destroy := range deletions {
			other := *s
			require.NoError(t, destroy(other.in(c.to(c.two, forgetting(c.one.id)))))
			assert.Contains(t, other.warned(), "is in forgetClusters")
		}
		verify()
		require.NoError(t, s.in(c.to(c.one, forgetting(c.one.id))).destroy())
		assert.Empty(t, c.one.ours(t, s, "ConfigMap", "web"), "one that is there is released")
	})
	t.Run("another address of its cluster is no other cluster, and neither is one that cannot be told [D8]", func(t *testing.T) {
		t.Parallel()
		w, former, renamed := newWorld(t), newGateway(t), newGateway(t)
		w.create(w.configMap("web", nil))
		in := patching(w.configMap("web", nil), data9)
		s := patchIn(t, start(t, former.connection()), "web").mustUp("create", in)
		s.reconfigured(start(t, renamed.connection())).mustUp("same", in)
		s.in(start(t, renamed.connection())).mustUp("same", in)
		assert.Empty(t, s.warned())
		renamed.always(isAskingID, refuse(403, "Forbidden", "no"))
		former.always(isAskingID, refuse(403, "Forbidden", "no"))
		w.delete("ConfigMap", "web")
		before := s.outputs
		s.in(start(t, former.connection())).mustRead()
		requireKept(t, before, s)
		_, err := s.diff(in)
		require.ErrorContains(t, err, "is not known")
		require.ErrorContains(t, s.destroy(), "is not known")
		require.NoError(t, s.in(start(t, renamed.connection())).read())
		assert.Empty(t, s.id, "at the same address it is gone")
	})
}

var data9 = setting("patch", data("a", "9"))

func TestAWaitInAnotherCluster(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (two, *session, map[string]any) {
		c := newTwo(t)
		c.one.create(c.one.configMap("web", nil))
		waitFor := until("field", "data.a", "20s")
		s := c.to(c.one).wait(t, "web").mustUp("create", waiting(refTo(c.one.configMap("web", nil)), waitFor))
		assert.Equal(t, c.one.id, origin(t, s)["id"])
		return c, s, waitFor
	}
	t.Run("a refresh keeps what came out of it, and an up waits again [D8]", func(t *testing.T) {
		t.Parallel()
		c, s, waitFor := begin(t)
		in := waiting(refTo(c.one.configMap("web", nil)), waitFor)
		before := s.outputs
		for _, there := range []string{"no object", "an object"} {
			if there == "an object" {
				c.two.create(c.two.configMap("web", map[string]any{"a": "two"}))
			}
			s.in(c.to(c.two)).mustRead()
			requireKept(t, before, s)
			c.requireNamed(t, s.warned())
		}
		assert.Equal(t, map[string]string{"__cluster": "update"}, s.in(c.to(c.two)).mustDiff(in))
		s.in(c.to(c.two)).mustUp("update", in)
		assert.Equal(t, "two", at(t, s.outputs, "status.data.a"))
		assert.Equal(t, c.two.id, origin(t, s)["id"])
		s.in(c.to(c.two)).mustUp("same", in)
		require.NoError(t, s.in(c.to(c.one)).destroy(), "it leaves nothing behind")
	})
	t.Run("another connection of the program waits again [D8]", func(t *testing.T) {
		t.Parallel()
		c, s, waitFor := begin(t)
		c.two.create(c.two.configMap("web", map[string]any{"a": "two"}))
		in := waiting(refTo(c.one.configMap("web", nil)), waitFor, map[string]any{"clusterConnection": inline(c.two.user)})
		s.mustUp("update", in)
		assert.Equal(t, "two", at(t, s.outputs, "status.data.a"))
		c.requireNamed(t, s.warned())
	})
	t.Run("one for a deletion waits again, too [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := waiting(refTo(c.one.configMap("web", nil)), until("deleted", true, "20s"))
		s := c.to(c.one).wait(t, "web").mustUp("create", in)
		s.in(c.to(c.one)).mustUp("same", in)
		s.in(c.to(c.two)).mustUp("update", in)
		s.in(c.to(c.two)).mustUp("same", in)
	})
	t.Run("a pending one is not taken for done by another object of the name [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		c.two.create(c.two.configMap("web", nil))
		in := waiting(refTo(c.one.configMap("web", nil)), until("field", "data.a", "1s"))
		s := c.to(c.one).wait(t, "web")
		require.Error(t, s.create(in))
		assert.Equal(t, c.one.id, origin(t, s)["id"])
		s.in(c.to(c.two)).mustRead()
		assert.Equal(t, true, at(t, s.outputs, "__pendingWait"))
		s.in(c.to(c.two)).mustUp("update", in)
		assert.Nil(t, at(t, s.outputs, "__pendingWait"))
	})
	t.Run("another address is no reason to wait again, and an older state learns its cluster [D8]", func(t *testing.T) {
		t.Parallel()
		w, former, renamed := newWorld(t), newGateway(t), newGateway(t)
		w.create(w.configMap("web", nil))
		in := waiting(refTo(w.configMap("web", nil)), until("field", "data.a", "20s"))
		s := start(t, former.connection()).wait(t, "web").mustUp("create", in)
		s.reconfigured(start(t, renamed.connection())).mustUp("same", in)
		s.in(start(t, renamed.connection())).mustUp("same", in)
		assert.Empty(t, s.warned())
		want := origin(t, s)
		require.NotEmpty(t, want["id"])
		withoutOrigin(s).mustRead()
		assert.Empty(t, kinds(t, s.refreshed))
		assert.Equal(t, want, origin(t, s))
		w.delete("ConfigMap", "web")
		require.NoError(t, s.read())
		assert.Empty(t, s.id)
	})
	t.Run("it is forgotten with its cluster [D8]", func(t *testing.T) {
		t.Parallel()
		c, s, _ := begin(t)
		require.NoError(t, s.in(c.to(c.two, forgetting(c.one.id))).read())
		assert.Empty(t, s.id)
	})
}

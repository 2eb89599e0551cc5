package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requirePatchWaits proves that a patch was made and its wait timed out.
func requirePatchWaits(t testing.TB, s *session, err error) string {
	t.Helper()
	var failed *plugin.InitError
	require.ErrorAs(t, err, &failed)
	require.Len(t, failed.Reasons, 1)
	require.NotEmpty(t, s.id)
	require.Equal(t, true, at(t, s.outputs, "__pendingWait"))
	require.True(t, s.refresh)
	return failed.Reasons[0]
}

func TestAPatchThatWaits(t *testing.T) {
	t.Parallel()
	waits := func(w world, kind string, value any, waitFor m) resource.PropertyMap {
		return patching(w.configMap("it", nil), setting(kind, data("a", value)), m{"waitFor": waitFor})
	}
	eachKind(t, "for what holds is done [P30]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := waits(w, kind, "9", m{"fieldValue": m{"data.a": "9"}, "timeout": longTime})
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.previewed("create", in)
		s.mustUp("create", in).mustUp("same", in)
		requirePatched(t, s)
	})
	eachKind(t, "for what comes true meanwhile is done [P30]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		in := waits(w, kind, "9", until("field", "data.ready", longTime))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		done := w.begin("it", func() error { return s.create(in) })
		assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
		w.patch("ConfigMap", "it", data("ready", "yes"))
		require.NoError(t, ended(t, done))
		requirePatched(t, s)
		s.mustUp("same", in)
	})
	eachKind(t, "which fails is saved, and the next update only waits [P30]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		err := s.create(waits(w, kind, "9", until("field", "data.ready", noTime)))
		text := requirePatchWaits(t, s, err)
		assert.Contains(t, text, "data.ready")
		assert.Equal(t, data("a", "9"), at(t, s.outputs, "managedFields"), "what was patched is known")
		assert.NotEmpty(t, at(t, s.outputs, "__appliedHash"))
		before, id := w.version("ConfigMap", "it"), s.id

		in := waits(w, kind, "9", until("field", "data.ready", longTime))
		for range 2 {
			s.in(start(t, inline(newUser(t)))).mustRead()
			require.NotEmpty(t, s.initErrors, "the read keeps the flag")
			require.Equal(t, true, at(t, s.outputs, "__pendingWait"))
			s.initErrors = nil // a refresh by an engine that forgets them
			assert.NotEmpty(t, s.mustDiff(in))
			s.previewed("update", in)
			_, err = s.up(waits(w, kind, "9", until("field", "data.ready", noTime)))
			requirePatchWaits(t, s, err)
		}
		assert.Equal(t, before, w.version("ConfigMap", "it"), "the object is not touched")

		t.Run("and is settled by an update that only waits", func(t *testing.T) {
			other := *s
			other.t, other.refresh = t, false
			g := newGateway(t)
			other.in(start(t, g.connection()))
			take := g.watchRequests()
			inputs, err := other.check(in, false)
			require.NoError(t, err)
			done := w.begin("it", func() error { return other.update(inputs) })
			live := w.patch("ConfigMap", "it", data("ready", "yes"))
			require.NoError(t, ended(t, done))
			requirePatched(t, &other)
			assert.Equal(t, id, other.id)
			for _, request := range take() {
				assert.Equal(t, "GET", request)
			}
			assert.Equal(t, live.GetResourceVersion(), w.version("ConfigMap", "it"))
			other.mustUp("same", in)
		})
		t.Run("or by a read that finds it true", func(t *testing.T) {
			other := *s
			other.t = t
			other.in(start(t, inline(newUser(t)))).mustRead()
			requirePatched(t, &other)
			_, err := other.up(in)
			require.NoError(t, err)
			other.mustUp("same", in)
		})
	})
	eachKind(t, "which fails and is changed, is patched again [P30]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		requirePatchWaits(t, s, s.create(waits(w, kind, "9", until("field", "data.ready", noTime))))
		changed := waits(w, kind, "10", m{"fieldValue": m{"data.a": "10"}, "timeout": longTime})
		s.mustUp("update", changed).mustUp("same", changed)
		requirePatched(t, s)
		assert.Equal(t, "10", w.value("ConfigMap", "it", "data", "a"))
	})
	eachKind(t, "which fails, and drifts, is put right and waits [P30] [P16]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		requirePatchWaits(t, s, s.create(waits(w, kind, "9", until("field", "data.ready", noTime))))
		w.patch("ConfigMap", "it", data("a", "drift", "ready", "yes"))
		in := waits(w, kind, "9", until("field", "data.ready", longTime))
		s.mustUp("update", in).mustUp("same", in)
		requirePatched(t, s)
		assert.Equal(t, "9", w.value("ConfigMap", "it", "data", "a"))
	})
	eachKind(t, "which fails at an update keeps what was patched [P30]", func(t *testing.T, kind string) {
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "9"))))
		did, err := s.up(waits(w, kind, "10", until("field", "data.ready", noTime)))
		assert.Equal(t, "update", did)
		requirePatchWaits(t, s, err)
		assert.Equal(t, "10", w.value("ConfigMap", "it", "data", "a"))
		w.patch("ConfigMap", "it", data("ready", "yes"))
		before := w.version("ConfigMap", "it")
		in := waits(w, kind, "10", until("field", "data.ready", longTime))
		_, err = s.up(in)
		require.NoError(t, err)
		s.mustUp("same", in)
		requirePatched(t, s)
		assert.Equal(t, before, w.version("ConfigMap", "it"), "it is not patched again")
	})
	t.Run("which fails does not do again what is done once [P30] [P13]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		defineBox(t)
		w.create(w.box("it", m{"list": []any{"a"}}))
		adds := func(timeout string) resource.PropertyMap {
			return patching(w.box("it", nil), m{"jsonPatch": []any{operation("add", "/spec/list/-", "b")}, "waitFor": until("field", "spec.ready", timeout)})
		}
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		requirePatchWaits(t, s, s.create(adds(noTime)))
		_, err := s.up(adds(noTime))
		requirePatchWaits(t, s, err)
		w.patch("Box", "it", m{"spec": m{"ready": "yes"}})
		_, err = s.up(adds(longTime))
		require.NoError(t, err)
		s.mustUp("same", adds(longTime))
		assert.Equal(t, []any{"a", "b"}, w.value("Box", "it", "spec", "list"))
	})
	t.Run("which fails is destroyed all the same [P30]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		requirePatchWaits(t, s, s.create(waits(w, "patch", "9", until("field", "data.ready", noTime))))
		require.NoError(t, s.destroy())
	})
	t.Run("again when waitFor changes, and does not write [P30]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		s.mustUp("create", waits(w, "patch", "9", until("field", "data.a", longTime)))
		before := w.version("ConfigMap", "it")
		other := waits(w, "patch", "9", until("field", "data.b", longTime))
		s.mustUp("update", other).mustUp("same", other)
		did, err := s.up(waits(w, "patch", "9", until("field", "data.none", noTime)))
		assert.Equal(t, "update", did)
		requirePatchWaits(t, s, err)
		assert.Equal(t, before, w.version("ConfigMap", "it"))
		without := patching(w.configMap("it", nil), setting("patch", data("a", "9")))
		_, err = s.up(without)
		require.NoError(t, err)
		s.mustUp("same", without)
		requirePatched(t, s)
		assert.Equal(t, before, w.version("ConfigMap", "it"))
	})
}

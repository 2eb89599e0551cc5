package rpc_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stays proves that drift is seen and said, and not put right: the refresh is silent, the preview warns, the up fails for
// this resource alone, and nothing is written or saved.
func stays(t testing.TB, w world, s *session, in resource.PropertyMap, kind, name string, diff map[string]string, says ...string) {
	t.Helper()
	before := w.version(kind, name)
	s.in(start(t, inline(newUser(t))))
	assert.Equal(t, diff, drifted(s, in), "the drift is shown")
	assert.Empty(t, s.process.log.warnings(), "a refresh has nothing to say of it")
	kept := s.stored
	outputs := s.previewed("update", in)
	warnings := s.process.log.warnings()
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "`pulumi up` fails for this resource")
	assert.Equal(t, plain(s.outputs["managedFields"]), plain(outputs["managedFields"]), "the preview promises nothing")
	did, err := s.up(in)
	require.Error(t, err)
	assert.Equal(t, "update", did)
	assert.False(t, isInitError(err))
	for _, text := range says {
		assert.Contains(t, warnings[0], text)
		assert.ErrorContains(t, err, text)
	}
	assert.Equal(t, 1, strings.Count(err.Error(), "is not corrected"))
	assert.Equal(t, before, w.version(kind, name), "nothing was written")
	assert.Equal(t, plain(resource.NewProperty(kept.outputs)), plain(resource.NewProperty(s.outputs)))
}

// withArgs is a workload whose first container has these arguments.
func withArgs(workload map[string]any, args ...any) map[string]any {
	workload["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)["args"] = args
	return workload
}

func TestGuardsOfAJSONPatch(t *testing.T) {
	t.Parallel()
	const container = "/spec/template/spec/containers/0"
	conf := operation("replace", container+"/args/1", "/etc/y")
	first := map[string]string{"jsonPatch[0].value": "update"}
	second := map[string]string{"jsonPatch[1].value": "update"}
	// patched is the workload of someone, and a Patch of it that was carried out.
	carriedOut := func(t *testing.T, operations ...any) (world, *session, resource.PropertyMap) {
		w := newWorld(t)
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		in := patching(w.deployment(t, "it"), m{"jsonPatch": operations})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in).mustUp("same", in)
		return w, s, in
	}
	args := func(t *testing.T, w world) any { return containerOf(t, w, "it")["args"] }

	t.Run("a test that no longer holds keeps a value from the wrong position, and says so [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("test", container+"/args/0", "-conf"), conf)
		assert.Equal(t, []any{"-conf", "/etc/y"}, args(t, w))
		w.apply("owner", withArgs(w.deployment(t, "it"), "-log", "-conf", "/etc/x"))
		stays(t, w, s, in, "Deployment", "it", second, "Deployment "+w.namespace+"/it", "jsonPatch[0]: test "+container+"/args/0", "change jsonPatch")
		assert.Equal(t, []any{"-log", "-conf", "/etc/x"}, args(t, w))

		other := patched(t, w, s.process, "other")
		w.create(w.configMap("other", nil))
		other.mustUp("create", patching(w.configMap("other", nil), m{"mergePatch": data("a", "9")}))

		adapted := patching(w.deployment(t, "it"), m{"jsonPatch": []any{
			operation("test", container+"/args/1", "-conf"), operation("replace", container+"/args/2", "/etc/y"),
		}})
		s.previewed("update", adapted)
		s.mustUp("update", adapted).mustUp("same", adapted)
		assert.Equal(t, []any{"-log", "-conf", "/etc/y"}, args(t, w))
		require.NoError(t, s.destroy())
	})
	t.Run("drift that stays keeps nobody from a destroy [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("test", container+"/args/0", "-conf"), conf)
		w.apply("owner", withArgs(w.deployment(t, "it"), "-log", "-conf", "/etc/x"))
		stays(t, w, s, in, "Deployment", "it", second, "args/0")
		s.mustRead()
		require.NoError(t, s.destroy())
		assert.Equal(t, []any{"-log", "-conf", "/etc/x"}, args(t, w))
	})
	t.Run("drift that stays is gone when the owner takes his change back, or it is ignored [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("test", container+"/args/0", "-conf"), conf)
		w.apply("owner", withArgs(w.deployment(t, "it"), "-log", "-conf", "/etc/x"))
		stays(t, w, s, in, "Deployment", "it", second, "args/0")
		s.ignore = []string{"jsonPatch[1].value"}
		s.mustUp("same", in)
		s.ignore = nil
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		s.previewed("update", in)
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"-conf", "/etc/y"}, args(t, w))
	})
	t.Run("without a test, a position counts only while the list holds the same beside it [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, conf)
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		assert.Equal(t, first, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"-conf", "/etc/y"}, args(t, w))
		for _, other := range [][]any{{"-log", "-conf", "/etc/x"}, {"-other", "/etc/x"}, {"-conf", "/etc/x", "-more"}, {"-conf"}, {}} {
			w.apply("owner", withArgs(w.deployment(t, "it"), other...))
			shown := first
			if len(other) < 2 {
				shown = map[string]string{"jsonPatch": "update"} // there is nothing at the place
			}
			stays(t, w, s, in, "Deployment", "it", shown, "jsonPatch[0]: replace "+container+"/args/1", "the list has changed otherwise too")
		}
		require.NoError(t, s.destroy())
	})
	t.Run("a test of another item that holds vouches for the position, however the list has changed behind it [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("test", container+"/args/0", "-conf"), conf)
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x", "-more", "-and-more"))
		assert.Equal(t, second, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"-conf", "/etc/y", "-more", "-and-more"}, args(t, w))
	})
	t.Run("a test of what the patch then changes was about the object before it [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("test", container+"/args/1", "/etc/x"), conf,
			operation("test", "/spec/replicas", 2), operation("add", "/spec/replicas", 5), operation("test", "/spec/replicas", 5))
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		assert.Equal(t, map[string]string{"jsonPatch[1].value": "update", "jsonPatch[3].value": "update"}, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"-conf", "/etc/y"}, args(t, w))
		assert.EqualValues(t, 5, w.value("Deployment", "it", "spec", "replicas"))
	})
	t.Run("a test of an item with a key goes with the item [D7] [P9]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, operation("test", container+"/name", "web"), operation("replace", container+"/image", "nginx:2"))
		w.jsonPatch("Deployment", "it", operation("replace", container+"/image", "nginx:3"),
			operation("add", container, m{"name": "sidecar", "image": "x"}))
		assert.Equal(t, second, drifted(s, in))
		s.mustUp("update", in).mustUp("same", in)
		containers := w.value("Deployment", "it", "spec", "template", "spec", "containers").([]any)
		assert.Equal(t, "x", containers[0].(m)["image"])
		assert.Equal(t, "nginx:2", containers[1].(m)["image"])
	})
	t.Run("where one value cannot be put right, none is [D7]", func(t *testing.T) {
		t.Parallel()
		w, s, in := carriedOut(t, conf, operation("add", "/metadata/annotations", m{"x": "1"}))
		w.patch("Deployment", "it", m{"metadata": m{"annotations": m{"x": "drift"}}})
		w.apply("owner", withArgs(w.deployment(t, "it"), "-log", "-conf", "/etc/x"))
		stays(t, w, s, in, "Deployment", "it", map[string]string{"jsonPatch[0].value": "update", "jsonPatch[1].value.x": "update"}, "jsonPatch[0]")
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, "1", w.value("Deployment", "it", "metadata", "annotations").(m)["x"])
	})
	t.Run("neither the test nor what is there is quoted [D7] [O78]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", m{"a": hush, "b": "2"}))
		in := patching(w.configMap("it", nil), m{"jsonPatch": []any{operation("test", "/data/a", secret(hush)), operation("replace", "/data/b", "9")}})
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", in)
		w.patch("ConfigMap", "it", data("a", "other-"+hush, "b", "drift"))
		stays(t, w, s, in, "ConfigMap", "it", second, "test /data/a")
		_, err := s.up(in)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), hush)
		requireHidden(t, s)
	})
	t.Run("a state from before tests were kept: they are made where they point, and lists are learned by the next read [D7]", func(t *testing.T) {
		t.Parallel()
		forget := func(s *session) {
			s.outputs = s.outputs.Copy()
			for _, key := range []resource.PropertyKey{"__operationPlaces", "__listNeighbours"} {
				delete(s.outputs, key)
			}
		}
		w, s, in := carriedOut(t, operation("test", "/spec/replicas", 2), conf)
		forget(s)
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		stays(t, w, s, in, "Deployment", "it", map[string]string{"jsonPatch[1].value": "update"}, "the list has changed otherwise too")

		w, s, in = carriedOut(t, operation("test", "/spec/replicas", 2), conf)
		forget(s)
		s.mustRead()
		w.apply("owner", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, []any{"-conf", "/etc/y"}, args(t, w))

		forget(s)
		s.mustRead()
		w.patch("Deployment", "it", m{"spec": m{"replicas": 7}})
		w.apply("another", withArgs(w.deployment(t, "it"), "-conf", "/etc/x"))
		w.patch("Deployment", "it", m{"spec": m{"replicas": 7}})
		stays(t, w, s, in, "Deployment", "it", second, "jsonPatch[0]: test /spec/replicas")
	})
}

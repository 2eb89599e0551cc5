package rpc_test

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An update of a Patch releases first, and patches then. What has failed in between is as before when the program goes
// back: what the Patch has added is known to be its own.
func TestAPatchThatFailsAfterItsReleaseKnowsWhatItHasAdded(t *testing.T) {
	t.Parallel()
	for _, then := range []string{"and a destroy", "and the program of before, and a destroy"} {
		eachKind(t, then+" [P31]", func(t *testing.T, kind string) {
			w, g := newWorld(t), newGateway(t)
			w.apply("owner", w.configMap("it", nil))
			first := patching(w.configMap("it", nil), setting(kind, data("n", "1")), removes)
			s := patched(t, w, start(t, g.connection()), "it").mustUp("create", first)
			s.destroying = nil
			var count atomic.Int64
			g.always(func(r *http.Request) bool { return isWrite(r) && count.Add(1) > 1 }, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "a policy"))
			_, err := s.in(s.process.again(t)).up(patching(w.configMap("it", nil), setting(kind, data("m", "2")), removes))
			require.ErrorContains(t, err, "a policy")
			require.NotContains(t, w.ownedBy(s, "ConfigMap", "it"), "f:n", "released, and taking that back was refused as well")
			g.heal()
			if then != "and a destroy" {
				_, err := s.in(s.process.again(t)).up(first)
				require.NoError(t, err)
				s.in(s.process.again(t)).mustUp("same", first)
			}
			assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
			assert.Equal(t, m{"a": "1", "b": "2"}, w.value("ConfigMap", "it", "data"))
		})
	}
}

// TestAnUpdateOfAPatchThatIsRefusedLeavesWhoOwnsWhat is about updates of a Patch that change who owns what, and are refused then.
func TestAnUpdateOfAPatchThatIsRefusedLeavesWhoOwnsWhat(t *testing.T) {
	t.Parallel()
	refusePatches := func(g *gateway) {
		g.always(isPatching, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays"))
	}
	eachKind(t, "what it gives up is its own again [P23]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("owner", w.configMap("it", nil))
		before := patching(w.configMap("it", nil), setting(kind, data("a", "9", "n", "1")), removes)
		s := removing(t, w, start(t, g.connection())).mustUp("create", before)
		was := w.get("ConfigMap", "it")
		refusePatches(g)
		_, err := s.in(s.process.again(t)).up(patching(w.configMap("it", nil), setting(kind, data("b", "9", "m", "1")), removes))
		require.ErrorContains(t, err, "not on Fridays")
		assert.ElementsMatch(t, fieldsOf(was), fieldsOf(w.get("ConfigMap", "it")))
		g.heal()
		s.in(s.process.again(t)).mustUp("same", before)
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, m{"a": "9", "b": "2"}, w.value("ConfigMap", "it", "data"))
	})
	eachKind(t, "it keeps its former name, for the former program and for a destroy [O89]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.apply("owner", w.configMap("it", nil))
		before := patching(w.configMap("it", nil), setting(kind, data("a", "9", "n", "1")), removes)
		s := removing(t, w, start(t, g.connection())).mustUp("create", before)
		former, was := s.urn, w.get("ConfigMap", "it")
		s.moved(urnOfType(patchType, "renamed"))
		refusePatches(g)
		_, err := s.up(patching(w.configMap("it", nil), setting(kind, data("a", "8", "n", "1")), removes))
		require.ErrorContains(t, err, "not on Fridays")
		assert.ElementsMatch(t, fieldsOf(was), fieldsOf(w.get("ConfigMap", "it")))
		g.heal()
		s.urn, s.aliases = former, nil
		s.in(s.process.again(t)).mustUp("same", before)
		assert.Empty(t, destroyed(t, w, s, "ConfigMap"))
		assert.Equal(t, m{"a": "9", "b": "2"}, w.value("ConfigMap", "it", "data"))
	})
}

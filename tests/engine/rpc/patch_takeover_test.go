package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAPatchOfWhatAKubeObjectLeftBehind is about objects that were taken out of Pulumi with retainOnDelete.
func TestAPatchOfWhatAKubeObjectLeftBehind(t *testing.T) {
	t.Parallel()
	// retained is an object that a KubeObject has made whose resource is gone.
	retained := func(t *testing.T, name string) (w world, g *gateway, target map[string]any, manager string) {
		w, g = newWorld(t), newGateway(t)
		target = w.configMap(name, map[string]any{"a": "1", "b": "2"})
		manager = start(t, inline(newUser(t))).resource(t, name).mustUp("create", program(target)).managerIn()
		return w, g, target, manager
	}
	eachKind(t, "is refused until the program names the KubeObject, and hands everything back after it [D31]", func(t *testing.T, kind string) {
		w, g, target, manager := retained(t, "left")
		s := patched(t, w, start(t, g.connection()), "it")
		in := patching(target, setting(kind, data("a", "ours")))
		refusedBoth(t, w, s, in, "ConfigMap", "left", `takeOverFrom: ["`+manager+`"]`)
		taking := patching(target, setting(kind, data("a", "ours")), takingOver(manager))
		version := w.version("ConfigMap", "left")
		asked := g.watchRequests()
		did, _, err := s.preview(taking)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Contains(t, s.process.log.all(), "is taken over from the KubeObject")
		assert.Equal(t, version, w.version("ConfigMap", "left"), "a preview writes nothing")
		for _, request := range asked() {
			assert.Contains(t, []string{"GET", "apply by force, dry-run", "json patch, dry-run", "merge patch, dry-run"}, request)
		}
		s.mustUp("create", taking).mustUp("same", taking)
		assert.Equal(t, map[string]any{"a": "ours", "b": "2"}, w.value("ConfigMap", "left", "data"))
		assert.NotContains(t, managersOf(w.get("ConfigMap", "left")), manager)
		assert.Contains(t, w.owned("ConfigMap", "left", "k8sconnect.released"), "f:b", "nothing is without an owner by it")
		s.mustUp("update", patching(target, setting(kind, data("a", "again")), takingOver(manager)))
		// Once it is done, the name may go.
		s.mustUp("same", patching(target, setting(kind, data("a", "again"))))
		require.NoError(t, s.destroy())
		assert.Equal(t, map[string]any{"a": "again", "b": "2"}, w.value("ConfigMap", "left", "data"))
		// A program that wants the whole object gets it.
		again := start(t, inline(newUser(t))).bakery(t, "left")
		all := program(w.configMap("left", map[string]any{"a": "1", "b": "2"}), adopting)
		again.mustUp("create", all).mustUp("same", all)
		assert.Equal(t, []string{again.managerIn()}, managersOf(w.get("ConfigMap", "left")))
	})
	eachKind(t, "that comes onto the target later is refused until it is named [D31]", func(t *testing.T, kind string) {
		w, g := newWorld(t), newGateway(t)
		w.create(w.configMap("theirs", nil))
		target := w.configMap("theirs", nil)
		s := patched(t, w, start(t, g.connection()), "it")
		in := patching(target, setting(kind, data("a", "ours")))
		s.mustUp("create", in)
		w.apply("k8sconnect-bakery.dev.web-01234567", w.configMap("theirs", map[string]any{"b": "2"}))
		changed := patching(target, setting(kind, data("a", "changed")))
		did, err := s.up(changed)
		require.ErrorContains(t, err, `takeOverFrom: ["k8sconnect-bakery.dev.web-01234567"]`, did)
		taking := patching(target, setting(kind, data("a", "ours")), takingOver("k8sconnect-bakery.*"))
		s.mustUp("update", taking).mustUp("same", taking)
		assert.NotContains(t, managersOf(w.get("ConfigMap", "theirs")), "k8sconnect-bakery.dev.web-01234567")
	})
	t.Run("names what a Patch does not take over in Check", func(t *testing.T) {
		t.Parallel()
		w, g, target, _ := retained(t, "left")
		s := patched(t, w, start(t, g.connection()), "it")
		in := func(names ...any) error {
			_, err := s.check(patching(target, setting("patch", data("a", "ours")), takingOver(names...)), true)
			return err
		}
		require.ErrorContains(t, in("helm"), "A Patch takes its fields from any other manager without it")
		require.ErrorContains(t, in("*"), "A Patch takes its fields from any other manager without it")
		require.ErrorContains(t, in("k8sconnect-patch-shop.dev.it-01234567"), "The fields of a Patch are not taken over")
		require.ErrorContains(t, in(""), "must be a string that is not empty")
		require.NoError(t, in("k8sconnect-shop.dev.*"))
	})
}

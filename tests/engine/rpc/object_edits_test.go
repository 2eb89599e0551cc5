package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnUpdateEditsTheManagersTwiceAtMost is about an update that has every reason to change who owns what: it renames the
// field manager, gives up a field, takes another one over, and removes a map with something in it that nobody owns.
func TestAnUpdateEditsTheManagersTwiceAtMost(t *testing.T) {
	t.Parallel()
	w, g := newWorld(t), newGateway(t)
	manifest := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: %s, annotations: {ours: "1"}},
data: {a: "1", b: "2", c: "3"}}`, w.namespace)
	s := start(t, g.connection()).resource(t, "web").mustUp("create", program(manifest))
	w.leave("ConfigMap", "web", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"nobodys": "1"}}})
	w.apply("thief", object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: %s}, data: {b: "stolen", theirs: "4"}}`, w.namespace))
	former := s.managerIn()
	s.moved("urn:pulumi:dev::bakery::k8sconnect:index:KubeObject::web")
	in := program(object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: %s}, data: {a: "9", b: "2", c: "9"}}`, w.namespace),
		ignoring("data.c"), map[string]any{"takeOverFrom": []any{"thief"}})

	asked := g.watchRequests()
	version := w.get("ConfigMap", "web").GetResourceVersion()
	did, _, err := s.mustRead().preview(in)
	require.NoError(t, err)
	assert.Equal(t, "update", did)
	assert.Equal(t, version, w.get("ConfigMap", "web").GetResourceVersion(), "a preview writes nothing")
	assert.NotContains(t, tally(asked()), "json patch")

	s.mustUp("update", in)
	sent := tally(asked())
	assert.Equal(t, 1, sent["apply by force"], sent)
	assert.Equal(t, 2, sent["json patch"], "one before the apply, one after it: %v", sent)
	assert.Equal(t, map[string]any{"a": "9", "b": "2", "c": "3", "theirs": "4"}, w.value("ConfigMap", "web", "data"))
	assert.Equal(t, map[string]any{"nobodys": "1"}, w.value("ConfigMap", "web", "metadata", "annotations"))
	assert.NotEqual(t, former, s.managerIn())
	assert.ElementsMatch(t, []string{s.managerIn(), "thief"}, w.managers("ConfigMap", "web"))
	s.mustUp("same", in)
}

// TestATakeoverUnderANewNameDespiteADefault is about an update that takes a field over, renames the field manager, and is refused
// because of a default that is left over beside what this resource has applied under its former name.
func TestATakeoverUnderANewNameDespiteADefault(t *testing.T) { // [D1] [O89]
	t.Parallel()
	w := newWorld(t)
	c := leftovers["a Deployment's strategy, with a part of rollingUpdate of its own"]
	s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, c.from), atOnce))
	uid := w.get("Deployment", "it").GetUID()
	w.apply("thief", object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: it, namespace: %s, labels: {theirs: "1"}}}`, w.namespace))
	s.moved("urn:pulumi:dev::bakery::k8sconnect:index:KubeObject::it")
	in := program(w.inNamespace(t, c.to), atOnce, map[string]any{"takeOverFrom": []any{"thief"}})
	s.mustUp("update", in)
	assert.Equal(t, uid, w.get("Deployment", "it").GetUID())
	assert.Equal(t, map[string]any{"type": "Recreate"}, w.value("Deployment", "it", "spec", "strategy"))
	s.mustUp("same", in)
}

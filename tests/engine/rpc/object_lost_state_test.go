package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestALostStateIsRecoveredByCommandsAlone is about stacks whose state is gone, as after `pulumi stack rm --force`, while
// their objects are there still. Nothing is edited by hand, neither a state nor an object.
func TestALostStateIsRecoveredByCommandsAlone(t *testing.T) {
	t.Parallel()
	// lost is an object whose state is gone. It is too old to look like one of an interrupted run.
	lost := func(t *testing.T) (w world, connection map[string]any, uid any, manager string) {
		w = newWorld(t)
		connection = inline(newUser(t))
		connection["resumeWithin"] = "0s"
		manager = start(t, connection).resource(t, "web").mustUp("create", program(w.configMap("web", nil))).managerIn()
		return w, connection, w.value("ConfigMap", "web", "metadata", "uid"), manager
	}
	t.Run("a stack of the same names gets its object back by adopt, and says so [O84] [D31]", func(t *testing.T) {
		t.Parallel()
		w, connection, uid, manager := lost(t)
		s := start(t, connection).resource(t, "web")
		in := program(w.configMap("web", map[string]any{"a": "9"}))
		did, err := s.up(in)
		require.ErrorContains(t, err, "adopt: true", did)
		require.ErrorContains(t, err, "pulumi import")
		adopted := program(w.configMap("web", map[string]any{"a": "9"}), adopting)
		_, _, err = s.preview(adopted)
		require.NoError(t, err)
		s.mustUp("create", adopted).mustUp("same", adopted).mustUp("same", in)
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, map[string]any{"a": "9"}, w.value("ConfigMap", "web", "data"), "what the lost state had applied and the program does not say goes")
		assert.Equal(t, []string{manager}, managersOf(w.get("ConfigMap", "web")))
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("and by import [O84]", func(t *testing.T) {
		t.Parallel()
		w, connection, uid, manager := lost(t)
		s := start(t, connection).resource(t, "web")
		require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/web"))
		assert.Empty(t, s.warned(), "it is the resource's own")
		in := program(w.configMap("web", map[string]any{"a": "9"}))
		assert.Equal(t, map[string]string{"manifest.data.a": "update", "manifest.data.b": "delete"}, s.mustDiff(in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, map[string]any{"a": "9"}, w.value("ConfigMap", "web", "data"))
		assert.Equal(t, []string{manager}, managersOf(w.get("ConfigMap", "web")))
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("a stack of another name gets it by takeOverFrom, of which the error tells [O84] [D31]", func(t *testing.T) {
		t.Parallel()
		w, connection, uid, manager := lost(t)
		s := start(t, connection).bakery(t, "web")
		_, err := s.up(program(w.configMap("web", nil)))
		require.ErrorContains(t, err, `takeOverFrom: ["`+manager+`"]`)
		in := program(w.configMap("web", map[string]any{"a": "9", "b": "2"}), takingOver(manager))
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, []string{s.managerIn()}, managersOf(w.get("ConfigMap", "web")))
		without := program(w.configMap("web", map[string]any{"a": "9", "b": "2"}))
		s.mustUp("same", without)
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("what a backup has brought back with the managers of another stack is taken over [O84] [D31]", func(t *testing.T) {
		t.Parallel()
		w, connection, _, manager := lost(t)
		backup := w.get("ConfigMap", "web")
		s := start(t, connection).bakery(t, "web")
		w.delete("ConfigMap", "web")
		in := program(w.configMap("web", nil))
		s.mustUp("create", in)
		// The backup is restored in place of the object: with another uid, and with the managers that it had.
		w.delete("ConfigMap", "web")
		restored := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": backup.Object["data"]}}
		restored.SetName("web")
		_, err := w.objects("ConfigMap").Create(t.Context(), restored, metav1.CreateOptions{FieldManager: "velero"})
		require.NoError(t, err)
		// The API server drops managedFields of what is created, so backup tools restore them by a patch.
		w.jsonPatch("ConfigMap", "web", map[string]any{"op": "replace", "path": "/metadata/managedFields", "value": backup.GetManagedFields()})
		require.Contains(t, managersOf(w.get("ConfigMap", "web")), manager)
		s.in(s.process.again(t))
		did, err := s.up(in)
		require.ErrorContains(t, err, `takeOverFrom: ["`+manager+`"]`, did)
		taking := program(w.configMap("web", nil), takingOver(manager))
		s.in(s.process.again(t)).mustUp("update", taking).mustUp("same", taking)
		assert.NotContains(t, managersOf(w.get("ConfigMap", "web")), manager)
		assert.Contains(t, managersOf(w.get("ConfigMap", "web")), s.managerIn())
		assert.Equal(t, w.value("ConfigMap", "web", "metadata", "uid"), at(t, s.outputs, "resourceRef.uid"))
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
}

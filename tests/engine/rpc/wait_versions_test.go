package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func init() {
	resources["Valve"] = schema.GroupVersionResource{Group: "water.example.org", Version: "v1", Resource: "valves"}
	resources["OldValve"] = schema.GroupVersionResource{Group: "water.example.org", Version: "v1beta1", Resource: "valves"}
}

func TestAWaitForAVersionThatIsNoLongerServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.defineInTwoVersions(t, "water.example.org", "Valve")
	process := func() *process { return start(t, inline(newUser(t))) }
	served := func() bool {
		_, err := w.objects("OldValve").List(t.Context(), listAll)
		return err == nil
	}
	eventually(t, served, "the old version is served")
	valve := func(version, name string) map[string]any {
		return object(t, `{apiVersion: water.example.org/%s, kind: Valve, metadata: {name: %s, namespace: %s}, spec: {open: 1}}`, version, name, w.namespace)
	}
	w.create(valve("v1", "it"))
	ref := refTo(valve("v1beta1", "it"))
	in := waiting(ref, until("field", "spec.open", longTime))
	s := process().wait(t, "it").mustUp("create", in)
	status := map[string]any{"spec": map[string]any{"open": 1.0}}
	require.Equal(t, status, at(t, s.outputs, "status"))
	later, laterIn := failedWait(t, process().wait(t, "later"), ref, m{"field": "spec.later"})

	unserve := []byte(`[{"op": "replace", "path": "/spec/versions/0/served", "value": false}]`)
	_, err := w.client.Resource(definitions).Patch(t.Context(), "valves.water.example.org", types.JSONPatchType, unserve, metav1.PatchOptions{})
	require.NoError(t, err)
	eventually(t, func() bool { return !served() }, "the old version is no longer served")

	t.Run("is not forgotten by a refresh, for the object lives on in the other version [D27]", func(t *testing.T) {
		s.t = t
		s.in(process()).mustRead()
		assert.Equal(t, status, at(t, s.outputs, "status"))
		s.mustUp("same", in)
	})
	t.Run("renews its status out of the other version [D27]", func(t *testing.T) {
		w.patch("Valve", "it", m{"spec": m{"open": 2}})
		s.t = t
		s.in(process()).mustRead()
		assert.Equal(t, map[string]any{"spec": map[string]any{"open": 2.0}}, at(t, s.outputs, "status"))
	})
	t.Run("is still pending at a read, and says of the object what is missing [D27]", func(t *testing.T) {
		assert.Contains(t, looks(t, later.in(process())), "spec.later is not set")
	})
	t.Run("waits for the object in the other version [D27]", func(t *testing.T) {
		later.t = t
		later.in(process())
		done := w.begin("it", func() error { _, err := later.up(laterIn); return err })
		w.patch("Valve", "it", m{"spec": m{"later": "now"}})
		require.NoError(t, ended(t, done))
		requireWaited(t, later)
		later.mustUp("same", laterIn)
	})
	t.Run("does not take the object for deleted [D27]", func(t *testing.T) {
		gone, goneIn := failedWait(t, process().wait(t, "gone"), ref, m{"deleted": true})
		assert.Contains(t, looks(t, gone), "it is still there, and nobody has deleted it")
		gone.in(process())
		done := w.begin("it", func() error { _, err := gone.up(goneIn); return err })
		w.delete("Valve", "it")
		require.NoError(t, ended(t, done))
		requireWaited(t, gone)
		gone.mustRead().mustUp("same", goneIn)
	})
	t.Run("is forgotten when the object is gone in every version [D27]", func(t *testing.T) {
		require.NoError(t, s.in(process()).read())
		assert.Empty(t, s.id)
	})
	t.Run("holds for deletion where no version of the kind is served, because its definition is gone [D27]", func(t *testing.T) {
		require.NoError(t, w.client.Resource(definitions).Delete(t.Context(), "valves.water.example.org", metav1.DeleteOptions{}))
		eventually(t, func() bool {
			_, err := w.objects("Valve").List(t.Context(), listAll)
			return err != nil && !served()
		}, "no version is served")
		process().wait(t, "none").mustUp("create", waiting(ref, until("deleted", true, longTime)))
	})
}

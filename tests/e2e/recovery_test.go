package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLostReply(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	const program = `
resources:
  first:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: %[1]s}, data: {a: "1"}}
  second:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: second, namespace: %[1]s}
        data: {first: "${first.resourceRef.uid}"}
`
	for _, variant := range []struct {
		name    string
		between func(t *testing.T, s *stack)
	}{
		{"the next up continues in place", func(*testing.T, *stack) {}},
		{"a preview in between sees that it is there, and saves nothing", func(t *testing.T, s *stack) {
			assert.Contains(t, s.preview(t), "+ 1 to create\n    2 unchanged")
			assert.True(t, s.export(t).get(t, "first").pending())
		}},
		{"the same after a refresh", func(t *testing.T, s *stack) { s.refresh(t) }},
	} {
		t.Run("the reply to a create is lost: "+variant.name+" [O70]", func(t *testing.T) {
			t.Parallel()
			space, proxy, s := c.Namespace(t), newFaulty(t, c), newStack(t)
			first, second := "v1/ConfigMap/"+space+"/first", "v1/ConfigMap/"+space+"/second"
			s.connectAs(t, proxy.User)
			s.program(t, program, space)

			proxy.loseReplies(writes("first"))
			out := s.upFails(t)
			require.Positive(t, proxy.losses())
			assert.Contains(t, out, "the next `pulumi up` continues in place")
			live := k.get(t, first)
			k.gone(t, second)
			saved := s.export(t).get(t, "first")
			assert.Equal(t, first, saved.ID)
			assert.True(t, saved.pending())
			assert.NotEmpty(t, saved.InitErrors)
			assert.True(t, saved.RefreshBeforeUpdate)
			assert.NotContains(t, s.export(t).resources, "second")

			proxy.loseReplies(nil)
			variant.between(t, s)
			s.up(t)
			assert.Equal(t, live.GetUID(), k.get(t, first).GetUID())
			saved = s.export(t).get(t, "first")
			assert.Equal(t, first, saved.ID)
			assert.Equal(t, string(live.GetUID()), saved.uid())
			assert.False(t, saved.pending())
			assert.Empty(t, saved.InitErrors)
			assert.Equal(t, string(live.GetUID()), k.value(t, second, "data", "first"))
			s.previewEmpty(t)
			s.destroy(t)
			k.gone(t, first)
		})
	}

	t.Run("the reply to an update is lost: the next up continues in place [O70]", func(t *testing.T) {
		t.Parallel()
		space, proxy, s := c.Namespace(t), newFaulty(t, c), newStack(t)
		id := "v1/ConfigMap/" + space + "/only"
		s.connectAs(t, proxy.User)
		s.program(t, "resources:"+configMapResource("only", "only", space, `{a: "1"}`))
		s.up(t)
		uid := k.get(t, id).GetUID()

		s.program(t, "resources:"+configMapResource("only", "only", space, `{a: "2", b: "3"}`))
		proxy.loseReplies(writes("only"))
		s.upFails(t)
		require.Positive(t, proxy.losses())
		assert.Equal(t, "2", k.value(t, id, "data", "a"))
		assert.True(t, s.export(t).get(t, "only").pending())

		proxy.loseReplies(nil)
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.False(t, s.export(t).get(t, "only").pending())
		s.previewEmpty(t)
		// What the lost update has added is ours: it goes when the program drops it.
		s.program(t, "resources:"+configMapResource("only", "only", space, `{a: "2"}`))
		s.up(t)
		assert.Equal(t, map[string]any{"a": "2"}, k.value(t, id, "data"))
		s.previewEmpty(t)
	})

	t.Run("the reply to the create of a bare object, which owns no field, is lost [O70]", func(t *testing.T) {
		t.Parallel()
		space, proxy, s := c.Namespace(t), newFaulty(t, c), newStack(t)
		id := "v1/ServiceAccount/" + space + "/bare"
		s.connectAs(t, proxy.User)
		s.program(t, `
resources:
  bare:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ServiceAccount, metadata: {name: bare, namespace: %s}}
`, space)
		proxy.loseReplies(writes("bare"))
		s.upFails(t)
		uid := k.get(t, id).GetUID()
		assert.Equal(t, id, s.export(t).get(t, "bare").ID)
		proxy.loseReplies(nil)
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		s.previewEmpty(t)
	})
}

package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTwoPatchesOfOneObject has two stacks patch one object.
func TestTwoPatchesOfOneObject(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	first, second := newStack(t), newStack(t)
	id := "v1/ConfigMap/" + space + "/shared"
	k.create(t, id, fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: shared, namespace: %s}, data: {a: "0", b: "0", c: "0", d: "0"}}`, space))
	target := targetConfigMap(space, "shared")

	step(t, "fields that are not the same go together [P8]", func(t *testing.T) {
		first.program(t, "%s", "resources:"+patchOf("one", target, `patch: {data: {a: "1", c: "1"}}`))
		first.up(t)
		second.program(t, "%s", "resources:"+patchOf("two", target, `jsonPatch: [{op: replace, path: /data/b, value: "2"}]`))
		assert.NotContains(t, second.preview(t), first.project)
		second.up(t)
		assert.Equal(t, map[string]any{"a": "1", "b": "2", "c": "1", "d": "0"}, k.value(t, id, "data"))
		assert.Len(t, k.ours(t, id), 2)
		first.previewEmpty(t)
		second.previewEmpty(t)
	})
	step(t, "one that both name is refused at preview, with the name of the other Patch [P8]", func(t *testing.T) {
		before := k.get(t, id).GetResourceVersion()
		second.program(t, "%s", "resources:"+patchOf("two", target, `mergePatch: {data: {b: "2", c: "2", d: "2"}}`))
		for _, out := range []string{second.previewFails(t), second.upFails(t)} {
			assert.Contains(t, out, fmt.Sprintf("%q of %s/%s", "one", first.project, stackName))
			assert.Contains(t, out, "data.c")
			assert.NotContains(t, out, "data.b", "it is in this Patch alone")
		}
		assert.Equal(t, before, k.get(t, id).GetResourceVersion())
		assert.Equal(t, map[string]any{"data": map[string]any{"b": "2"}}, second.export(t).get(t, "two").Outputs["managedFields"])
	})
	step(t, "the first is destroyed and leaves the second alone, which then goes through [P8, P25]", func(t *testing.T) {
		first.destroy(t)
		assert.Equal(t, map[string]any{"a": "1", "b": "2", "c": "1", "d": "0"}, k.value(t, id, "data"))
		assert.Len(t, k.ours(t, id), 1, "the manager of the second")
		assert.Contains(t, second.preview(t), "~ 1 to update")
		second.up(t)
		assert.Equal(t, map[string]any{"a": "1", "b": "2", "c": "2", "d": "2"}, k.value(t, id, "data"))
		second.handBack(t, k, id)
	})
	step(t, "what a KubeObject manages is refused at preview and at create, with both ways out [P7]", func(t *testing.T) {
		first.program(t, configMap("owner", "owned", space))
		first.up(t)
		owned := k.get(t, "v1/ConfigMap/"+space+"/owned")
		second.program(t, "%s", "resources:"+patchOf("two", targetConfigMap(space, "owned"), `patch: {data: {b: "2"}}`))
		for _, out := range []string{second.previewFails(t), second.upFails(t)} {
			assert.Contains(t, out, fmt.Sprintf("%q of %s/%s", "owner", first.project, stackName))
			assert.Contains(t, out, "manifest")
			assert.Contains(t, out, "retainOnDelete")
		}
		assert.Empty(t, second.export(t).resources)
		assert.Equal(t, owned.GetResourceVersion(), k.get(t, "v1/ConfigMap/"+space+"/owned").GetResourceVersion())
	})
}

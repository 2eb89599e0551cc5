package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTheTargetOfAPatchIsAReference gives a Patch the resourceRef of another resource as its target, with uid and revision.
func TestTheTargetOfAPatchIsAReference(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "v1/ConfigMap/" + space + "/shared"
	create := func() {
		k.create(t, id, fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: shared, namespace: %s}, data: {a: "0", b: "0"}}`, space))
	}
	create()
	write := func(a string) {
		s.program(t, "%s", "resources:"+patchOf("one", targetConfigMap(space, "shared"), fmt.Sprintf(`patch: {data: {a: %q}}`, a))+
			patchOf("two", "${one.resourceRef}", `patch: {data: {b: "2"}}`))
	}
	revision := func() any { return s.export(t).get(t, "one").Outputs["resourceRef"].(map[string]any)["revision"] }

	write("1")
	s.preview(t)
	s.up(t)
	assert.Equal(t, map[string]any{"a": "1", "b": "2"}, k.value(t, id, "data"))
	step(t, "and is the same in the next up [P42]", func(t *testing.T) {
		s.previewEmpty(t)
		assert.Contains(t, s.up(t), "3 unchanged")
		target := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": space, "name": "shared"}
		assert.Equal(t, target, s.export(t).get(t, "two").Inputs["target"])
	})
	step(t, "and when the revision of the reference changes [P42]", func(t *testing.T) {
		was := revision()
		write("3")
		assert.Contains(t, s.preview(t), "~ 1 to update")
		out := s.up(t)
		assert.NotEqual(t, was, revision())
		assert.Contains(t, out, "1 updated")
		assert.Contains(t, out, "2 unchanged")
		assert.Equal(t, map[string]any{"a": "3", "b": "2"}, k.value(t, id, "data"))
	})
	step(t, "and patches the object again when that was re-created, as a Patch of any target does [P42]", func(t *testing.T) {
		k.delete(t, id)
		create()
		assert.Contains(t, s.up(t), "2 created")
		assert.Equal(t, map[string]any{"a": "3", "b": "2"}, k.value(t, id, "data"))
		s.previewEmpty(t)
		s.handBack(t, k, id)
	})
	step(t, "the object of a KubeObject is refused for its owner, not for its uid [P7]", func(t *testing.T) {
		owner := configMap("owner", "owned", space)
		s.program(t, "%s", owner)
		s.up(t)
		s.program(t, "%s", owner+patchOf("two", "${owner.resourceRef}", `patch: {data: {b: "2"}}`))
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "is managed by the KubeObject")
			assert.Contains(t, out, "Either set the fields in the manifest of that KubeObject")
			assert.NotContains(t, out, "There is no")
		}
	})
}

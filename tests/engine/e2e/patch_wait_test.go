package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPatchThatWaits waits after a patch for what a controller makes of it, and hands the object
// on to a Wait.
func TestPatchThatWaits(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id, after := "v1/PodTemplate/"+space+"/pods", "v1/ConfigMap/"+space+"/after"
	k.create(t, id, fmt.Sprintf(podTemplate, space, "pods"))
	declare := func(patch, waitFor string) {
		s.program(t, "%s", "resources:"+
			patchOf("patched", fmt.Sprintf("{apiVersion: v1, kind: PodTemplate, namespace: %s, name: pods}", space),
				patch+"\n      waitFor: "+waitFor)+fmt.Sprintf(`
  noticed:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${patched.resourceRef}
      waitFor: {field: "template.spec.containers[0].args", timeout: 20s}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: after, namespace: %s}
        data:
          args:
            fn::join: [" ", "${noticed.status.template.spec.containers[0].args}"]
`, space))
	}
	const addOne = `jsonPatch: [{op: add, path: /template/spec/containers/0/args/-, value: --patched}]`
	const seen = `{fieldValue: {"metadata.annotations.seen": "yes"}, timeout: 1s}`
	args := func() any { return k.value(t, id, "template", "spec", "containers", 0, "args") }
	var version string

	step(t, "a failed wait fails the up, and what depends on it is not made [P30]", func(t *testing.T) {
		declare(addOne, seen)
		out := s.upFails(t)
		assert.Contains(t, out, "timed out after 1s")
		assert.Contains(t, out, "metadata.annotations.seen")
		assert.Equal(t, []any{"--quiet", "--patched"}, args())
		version = k.get(t, id).GetResourceVersion()
		k.gone(t, after)
		saved := s.export(t)
		assert.True(t, saved.get(t, "patched").waits())
		assert.NotEmpty(t, saved.get(t, "patched").InitErrors)
		assert.Equal(t, id, saved.get(t, "patched").ID)
		assert.NotContains(t, saved.resources, "noticed")
	})
	step(t, "a refresh does not hide it, and the next up waits again and patches nothing [P30]", func(t *testing.T) {
		s.refresh(t)
		assert.True(t, s.export(t).get(t, "patched").waits())
		assert.Contains(t, s.preview(t), "~ 1 to update")
		s.upFails(t)
		assert.Equal(t, version, k.get(t, id).GetResourceVersion())
	})
	step(t, "when it has come true, the next up completes in place [P30]", func(t *testing.T) {
		k.merge(t, id, `{metadata: {annotations: {seen: "yes"}}}`)
		version = k.get(t, id).GetResourceVersion()
		assert.Contains(t, s.up(t), "+ 2 created")
		assert.Equal(t, version, k.get(t, id).GetResourceVersion(), "the wait does not touch the object")
		assert.Equal(t, "--quiet --patched", k.value(t, after, "data", "args"))
		saved := s.export(t)
		assert.False(t, saved.get(t, "patched").waits())
		assert.Empty(t, saved.get(t, "patched").InitErrors)
		s.previewEmpty(t)
	})
	step(t, "a Wait on the Patch waits again when the Patch changes the object, and not when others do [P30]", func(t *testing.T) {
		k.merge(t, id, `{metadata: {labels: {theirs: x}}}`)
		s.previewEmpty(t)
		declare(`jsonPatch: [{op: add, path: /template/spec/containers/0/args/-, value: --again}]`, seen)
		out := s.up(t)
		assert.Contains(t, out, "k8sconnect:index:Wait noticed updated")
		assert.Contains(t, out, "~ 3 updated")
		assert.Equal(t, "--quiet --patched --again", k.value(t, after, "data", "args"))
		s.previewEmpty(t)
	})
	step(t, "destroy is not held up by a failed wait [P25, P30]", func(t *testing.T) {
		declare(addOne, `{fieldValue: {"metadata.annotations.seen": "never"}, timeout: 1s}`)
		s.upFails(t)
		s.handBack(t, k, id)
		k.gone(t, after)
	})
}

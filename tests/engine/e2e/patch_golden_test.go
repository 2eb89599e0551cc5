package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWhatAPreviewOfAPatchLooksLike compares all that pulumi preview --diff prints about a Patch
// with what a person has read and found clear: when it takes a field over, and when the field has
// drifted.
func TestWhatAPreviewOfAPatchLooksLike(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, namespace := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/DaemonSet/" + namespace + "/aws-node"
	addOn := strings.ReplaceAll(awsNode, "kube-system", namespace)
	applyAs(t, c, "eks", addOn)
	t.Cleanup(func() { k.remove(t, id) })
	s.program(t, "%s", strings.ReplaceAll(
		awsNodePatch(`[{name: HTTP_PROXY, value: "http://proxy:3128"}, {name: AWS_VPC_K8S_CNI_LOGLEVEL, value: DEBUG}]`), "kube-system", namespace))

	step(t, "a-patch-takes-a-field-over", func(t *testing.T) {
		golden(t, "a-patch-takes-a-field-over", printed(s, namespace, s.preview(t)))
	})
	step(t, "a-patched-field-has-drifted", func(t *testing.T) {
		s.up(t)
		applyAs(t, c, "eks", addOn, "--force-conflicts")
		golden(t, "a-patched-field-has-drifted", printed(s, namespace, s.preview(t)))
	})
	step(t, "a Patch cannot be imported, and the reason is said", func(t *testing.T) {
		out := s.runFails(t, "import", "k8sconnect:index:Patch", "imported", id, "--yes", "--skip-preview", "--protect=false")
		assert.Contains(t, out, "a Patch cannot be imported")
		assert.NotContains(t, s.export(t).resources, "imported")
	})
	s.handBack(t, k, id)
}

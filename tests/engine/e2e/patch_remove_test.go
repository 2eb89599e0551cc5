package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// addOn is a workload as the chart of an add-on installs it.
const addOn = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: metrics, namespace: %[1]s, labels: {app: metrics, tier: %[2]s}}
spec:
  replicas: 0
  selector: {matchLabels: {app: metrics}}
  template:
    metadata: {labels: {app: metrics}}
    spec: {containers: [{name: metrics, image: "registry.example/metrics:%[3]s", args: [--quiet]}]}
`

// TestPatchThatRemoves adds to an add-on, upgrades it, and takes back what was added.
func TestPatchThatRemoves(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/metrics"
	target := fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, namespace: %s, name: metrics}", space)
	k.apply(t, id, "helm", fmt.Sprintf(addOn, space, "theirs", "1"))
	const remove = "\n      onDestroy: remove"
	sidecar := patchOf("sidecar", target, `patch: {spec: {template: {spec: {containers: [{name: side, image: "registry.example/side:1"}]}}}}`+remove)
	argument := patchOf("argument", target, `jsonPatch:
        - {op: test, path: /spec/template/spec/containers/0/name, value: metrics}
        - {op: add, path: /spec/template/spec/containers/0/args/-, value: --kubelet-insecure-tls}`+remove)
	label := patchOf("label", target, `patch: {metadata: {labels: {tier: ours, added: "yes", changed: "yes"}}}`+remove)
	after := func(resource string) string { return fmt.Sprintf("    options: {dependsOn: [\"${%s}\"]}\n", resource) }
	s.program(t, "%s", "resources:"+argument+sidecar+after("argument")+label+after("sidecar"))
	args := func() any { return k.value(t, id, "spec", "template", "spec", "containers", 0, "args") }
	containers := func() int { return len(k.value(t, id, "spec", "template", "spec", "containers").([]any)) }

	s.up(t)
	require.Equal(t, []any{"--quiet", "--kubelet-insecure-tls"}, args())
	require.Equal(t, 2, containers())
	s.previewEmpty(t)

	step(t, "an upgrade that drops the argument is drift, shown with the operation and put right once [D39, P32]", func(t *testing.T) {
		k.apply(t, id, "helm", fmt.Sprintf(addOn, space, "ours", "2"))
		require.Equal(t, []any{"--quiet"}, args())
		before := k.get(t, id).GetGeneration()
		out := s.preview(t, "--diff")
		assert.Contains(t, out, "--kubelet-insecure-tls")
		assert.Contains(t, out, `+ [1]: {`)
		assert.Contains(t, out, "will take from helm")
		assert.Equal(t, before, k.get(t, id).GetGeneration(), "a preview does not write")
		s.up(t)
		assert.Equal(t, []any{"--quiet", "--kubelet-insecure-tls"}, args())
		s.previewEmpty(t)
		assert.Equal(t, "registry.example/metrics:2", k.value(t, id, "spec", "template", "spec", "containers", 0, "image"))
	})
	step(t, "destroy takes away what was added, and says what stays and why [P31]", func(t *testing.T) {
		k.merge(t, id, `{metadata: {labels: {changed: theirs}}}`)
		out := s.destroy(t, "--diff")
		assert.Equal(t, []any{"--quiet"}, args())
		assert.Equal(t, 1, containers())
		assert.Equal(t, map[string]string{"app": "metrics", "tier": "ours", "changed": "theirs"}, k.get(t, id).GetLabels())
		assert.Empty(t, k.ours(t, id))
		assert.Contains(t, out, `these values stay in the object, although onDestroy is "remove"`)
		assert.Contains(t, out, "metadata.labels.changed: it, or a part of it, is owned by")
		assert.Contains(t, out, "metadata.labels.tier: it was owned by helm before")
		k.apply(t, id, "helm", fmt.Sprintf(addOn, space, "theirs", "3"))
		assert.Equal(t, "theirs", k.get(t, id).GetLabels()["tier"])
	})
	step(t, "without it, a destroy says which values stay and that nobody owns them [D45]", func(t *testing.T) {
		s.program(t, "%s", "resources:"+patchOf("label", target, `patch: {metadata: {labels: {added: "again"}}}`))
		s.up(t)
		out := s.destroy(t)
		assert.Contains(t, out, "the values of this Patch stay in the object, and it no longer owns them.")
		assert.Contains(t, out, "Nobody owns: metadata.labels.added")
		assert.Equal(t, "again", k.get(t, id).GetLabels()["added"])
	})
}

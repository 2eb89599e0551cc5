package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// immutableFields is a heading of the page about replacement and deletion.
const immutableFields = "Immutable fields: onImmutable"

// pageOnReplacement has a change refused, and a destroy remove finalizers, as the page says.
func pageOnReplacement(t *testing.T, p page) {
	c := shared.Get(t)
	k := kubeOf(t, c)
	p.prove(t, proofs{
		anOutput:     p.told(immutableFields),
		commandLines: commands,
	})
	only := func(t *testing.T, section string, kind kind) string { return p.in(t, section, kind)[0].code }

	t.Run("a destroy removes finalizers as soon as an update has saved that it may", func(t *testing.T) {
		t.Parallel()
		s, space, _ := onPage(t, c)
		id := "v1/ConfigMap/" + space + "/held"
		program := configMap("held", "held", space) + "    options: {customTimeouts: {delete: 2s}}\n"
		s.program(t, "%s", program)
		s.up(t)
		k.merge(t, id, "{metadata: {finalizers: [example.com/hold]}}")
		assert.Contains(t, s.runFails(t, "destroy", "--yes", "--skip-preview"), "forceDestroy to true and run `pulumi up`")
		s.program(t, "%s", strings.Replace(program, "      manifest:", "      forceDestroy: true\n      manifest:", 1))
		assert.Contains(t, s.preview(t), "+ forceDestroy")
		s.runFails(t, "destroy", "--yes", "--skip-preview")
		resourceVersion := k.get(t, id).GetResourceVersion()
		for line := range strings.Lines(only(t, "A deletion that does not end", commandLines)) {
			args := words(t, remark.ReplaceAllString(strings.TrimSpace(line), ""))
			s.run(t, append(args[1:], "--yes", "--skip-preview")...)
			if args[1] == "up" {
				assert.Equal(t, resourceVersion, k.get(t, id).GetResourceVersion())
			}
		}
		k.gone(t, id)
	})

	t.Run("another default namespace replaces what names none, but no claim", func(t *testing.T) {
		t.Parallel()
		s, space, _ := onPage(t, c)
		s.config(t, "k8sconnect:namespace", space)
		s.program(t, "%s", "resources:\n  data:\n    type: k8sconnect:KubeObject\n    properties: {manifest: {apiVersion: v1, "+
			"kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}\n")
		s.up(t)
		s.config(t, "k8sconnect:namespace", c.Namespace(t))
		out := s.run(t, "preview", "--diff", "--expect-no-changes")
		assert.Contains(t, out, "PersistentVolumeClaim "+space+"/data stays in namespace")
		s.up(t)
		s.run(t, "refresh", "--yes", "--skip-preview")
		s.destroy(t)
		k.gone(t, "v1/PersistentVolumeClaim/"+space+"/data")
	})

	t.Run("a claim is not replaced", func(t *testing.T) {
		t.Parallel()
		s, _, in := onPage(t, c)
		const claim = `
resources:
  data:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: shop}
        spec: {accessModes: [ReadWriteOnce], storageClassName: %s, resources: {requests: {storage: 1Gi}}}
`
		s.program(t, in(claim), "slow")
		s.up(t)
		s.program(t, in(claim), "fast")
		requireShown(t, in(only(t, immutableFields, anOutput)), s.previewFails(t))
	})
}

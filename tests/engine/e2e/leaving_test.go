package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWhatLeavesTheManifest is about objects of kubectl and Helm that come under a program, and fields that leave it then.
func TestWhatLeavesTheManifest(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	manifest := func(space, annotations, env string) string {
		return replaceAll(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: SPACE, annotations: {ANNOTATIONS}}, spec: {replicas: 0,
      selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "nginx:1", env: [ENV]}]}}}}`,
			"SPACE", space, "ANNOTATIONS", annotations, "ENV", env)
	}
	const annotation, variable = `acme.io/x: "1"`, `{name: NS, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}`

	t.Run("of an import of kubectl apply, it leaves the object [D32]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "apps/v1/Deployment/" + space + "/web"
		kubectl(t, c, manifest(space, annotation, ""), "apply", "-f", "-")
		generated := s.importResource(t, "web", id)
		s.program(t, "%s", generated)
		s.previewEmpty(t)
		require.Contains(t, generated, "acme.io/x:")
		s.program(t, "%s", strings.Replace(generated, "acme.io/x:", "acme.io/y:", 1))
		lines := changedLines(s.preview(t))
		assert.Contains(t, lines, `- acme.io/x: "1"`)
		s.up(t)
		annotations := k.get(t, id).GetAnnotations()
		assert.NotContains(t, annotations, "acme.io/x")
		assert.Equal(t, "1", annotations["acme.io/y"])
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, id)
	})
	t.Run("of an adoption of kubectl apply --server-side, the preview names who is left behind and what stays [D32]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "apps/v1/Deployment/" + space + "/web"
		kubectl(t, c, manifest(space, annotation, ""), "apply", "--server-side", "-f", "-")
		s.declare(t, manifest(space, "", ""), "adopt: true", "")
		out := s.preview(t)
		assert.Contains(t, out, "exists and will be adopted.")
		assert.Contains(t, out, "kubectl applied this object and keeps owning its fields")
		assert.Contains(t, out, `The manifest does not set, and it keeps: metadata.annotations["acme.io/x"].`)
		assert.Contains(t, out, `takeOverFrom: ["kubectl"]`)
		s.up(t)
		assert.Equal(t, "1", k.get(t, id).GetAnnotations()["acme.io/x"])
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("of an adoption of Helm, an item stays whole and is not shown as going [D32]", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		id := "apps/v1/Deployment/" + space + "/web"
		env := func() any {
			return k.value(t, id, "spec", "template", "spec", "containers").([]any)[0].(map[string]any)["env"]
		}
		kubectl(t, c, manifest(space, "", variable), "apply", "--server-side", "--field-manager=helm", "-f", "-")
		s.declare(t, manifest(space, "", variable), "adopt: true", "")
		s.up(t)
		whole := env()
		s.declare(t, manifest(space, "", ""), "adopt: true", "")
		out := s.preview(t)
		assert.Contains(t, out, "spec.template.spec.containers[name=web].env[name=NS] (helm)")
		assert.Contains(t, out, `takeOverFrom: ["helm"]`)
		assert.Empty(t, changedLines(out))
		assert.Contains(t, s.up(t), `takeOverFrom: ["helm"]`)
		assert.Equal(t, whole, env())
		s.previewEmpty(t)
		s.declare(t, manifest(space, "", ""), `takeOverFrom: ["helm"]`, "")
		out = s.preview(t)
		assert.Contains(t, out, "takes over from helm: ")
		assert.Contains(t, out, "left the manifest earlier and that no other manager owns any more: spec.template.spec.containers[name=web].env[name=NS]")
		s.up(t)
		assert.Nil(t, env())
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("an import of another stack's object: a warning, a refused update, and a delete that leaves it alone [D31] [O83]", func(t *testing.T) {
		t.Parallel()
		owner, thief, space := newStack(t), newStack(t), c.Namespace(t)
		id := "v1/ConfigMap/" + space + "/settings"
		owner.program(t, "%s", configMap("settings", "settings", space))
		owner.up(t)
		before := k.get(t, id)
		whose := `managed by the KubeObject "settings" of ` + owner.project + "/" + owner.name
		out := thief.run(t, "import", "k8sconnect:index:KubeObject", "stolen", id, "--yes", "--skip-preview", "--protect=false", "--out="+t.TempDir()+"/out")
		assert.Contains(t, out, whose)
		thief.program(t, "%s", "resources:\n"+configMapResource("stolen", "settings", space, `{a: "2"}`))
		for _, out := range []string{thief.previewFails(t), thief.upFails(t)} {
			assert.Contains(t, out, whose)
			assert.Contains(t, out, "takeOverFrom: [")
		}
		thief.program(t, "")
		assert.Contains(t, thief.up(t), "is left alone: it is "+whose)
		assert.Equal(t, before.GetResourceVersion(), k.get(t, id).GetResourceVersion())
		owner.previewEmpty(t)
		owner.destroy(t)
		k.gone(t, id)
	})
}

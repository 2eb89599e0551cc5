package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What was in a Namespace, or is of a kind, that the update replaces is made again by the same update.
func TestWhatGoesWithAReplacedNamespaceComesBack(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	t.Run("Namespace", func(t *testing.T) {
		t.Parallel()
		s := newStack(t)
		name := "replaced-" + s.project
		s.program(t, "%s", fmt.Sprintf(`
resources:
  space:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: Namespace, metadata: {name: %[1]s}}
    options: {deleteBeforeReplace: true}
`, name)+configMapResource("object", "it", name, `{a: "1"}`)+"    options: {dependsOn: [\"${space}\"]}\n")
		s.up(t)
		s.run(t, "up", "--yes", "--skip-preview", "--replace", s.export(t).get(t, "space").URN)
		assert.NotNil(t, k.find(t, "v1/ConfigMap/"+name+"/it"))
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("kind", func(t *testing.T) {
		t.Parallel()
		s, space := newStack(t), c.Namespace(t)
		group := s.project + ".example.com"
		s.program(t, "%s", fmt.Sprintf(`
resources:
  kind:
    type: k8sconnect:KubeObject
    properties:
      deleteInstances: true
      manifest:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: things.%[1]s}
        spec:
          group: %[1]s
          scope: Namespaced
          names: {kind: Thing, plural: things}
          versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
    options: {deleteBeforeReplace: true}
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: %[1]s/v1, kind: Thing, metadata: {name: it, namespace: %[2]s}, spec: {size: 1}}
    options: {dependsOn: ["${kind}"]}
`, group, space))
		s.up(t)
		s.run(t, "up", "--yes", "--skip-preview", "--replace", s.export(t).get(t, "kind").URN)
		assert.NotNil(t, k.find(t, group+"/v1/Thing/"+space+"/it"))
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("patched object of others", func(t *testing.T) {
		t.Parallel()
		s := newStack(t)
		name := "replaced-" + s.project
		space := fmt.Sprintf(`
resources:
  space:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: Namespace, metadata: {name: %[1]s}}
    options: {deleteBeforeReplace: true}
`, name)
		s.program(t, "%s", space)
		s.up(t)
		makeTheirs := func() {
			k.createAs(t, "v1/ConfigMap/"+name+"/theirs", "intern", "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs}, data: {a: '1'}}")
		}
		makeTheirs()
		s.program(t, "%s", space+fmt.Sprintf(`
  patch:
    type: k8sconnect:Patch
    properties:
      target: {apiVersion: v1, kind: ConfigMap, name: theirs, namespace: %s}
      takeOwnership: true
      patch: {data: {b: "2"}}
    options: {dependsOn: ["${space}"]}
`, name))
		s.up(t)
		printed := s.runFails(t, "up", "--yes", "--skip-preview", "--replace", s.export(t).get(t, "space").URN)
		assert.Contains(t, printed, "ConfigMap "+name+"/theirs not found")
		makeTheirs()
		s.up(t)
		assert.Equal(t, map[string]any{"a": "1", "b": "2"}, k.find(t, "v1/ConfigMap/"+name+"/theirs").Object["data"])
		s.previewEmpty(t)
		s.destroy(t)
	})
}

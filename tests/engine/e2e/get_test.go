package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestGet(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "v1/ConfigMap/" + space + "/theirs"
	k.apply(t, id, "someone", "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: "+space+"}, data: {color: blue}}")
	s.program(t, `
resources:
  theirs:
    type: k8sconnect:KubeObject
    get: {id: %[1]s}
  ours:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: ours, namespace: %[2]s}
        data: {copied: "${theirs.manifest.data.color}", of: "${theirs.resourceRef.name}"}
outputs: {color: "${theirs.manifest.data.color}"}
`, id, space)
	before := k.get(t, id)
	ours := "v1/ConfigMap/" + space + "/ours"

	step(t, "an object of someone else can be read, and used by another resource [O69]", func(t *testing.T) {
		s.preview(t)
		s.up(t)
		assert.Equal(t, map[string]any{"copied": "blue", "of": "theirs"}, k.value(t, ours, "data"))
		assert.Equal(t, "blue\n", s.succeed(t, "stack", "output", "color").stdout)
		r := s.export(t).get(t, "theirs")
		assert.Equal(t, id, r.ID)
		assert.Equal(t, string(before.GetUID()), r.uid())
		s.previewEmpty(t)
	})
	step(t, "what someone changes in it is read again [O69]", func(t *testing.T) {
		k.merge(t, id, `{data: {color: green}}`)
		s.up(t)
		assert.Equal(t, "green", k.value(t, ours, "data", "copied"))
		s.previewEmpty(t)
	})
	step(t, "nothing was written to it, and destroy leaves it alone [O69]", func(t *testing.T) {
		s.destroy(t)
		k.gone(t, ours)
		live := k.get(t, id)
		assert.Equal(t, before.GetUID(), live.GetUID())
		for _, entry := range live.GetManagedFields() {
			assert.Equal(t, "someone", entry.Manager)
		}
	})
	step(t, "an object that is not there is an error that names it [O69]", func(t *testing.T) {
		s.program(t, "resources: {absent: {type: k8sconnect:KubeObject, get: {id: v1/ConfigMap/%s/absent}}}", space)
		assert.Contains(t, s.upFails(t), "ConfigMap "+space+"/absent")
		assert.Empty(t, s.export(t).resources)
	})
}

func TestNamespaceDefinitionAndCustomObjectInOneUp(t *testing.T) {
	t.Parallel()
	k, s := kubeOf(t, shared.Get(t)), newStack(t)
	s.program(t, `
resources:
  object:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: onego.example.net/v1
        kind: Gadget
        metadata: {name: it, namespace: one-go}
        spec: {size: 3}
  definition:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: gadgets.onego.example.net}
        spec:
          group: onego.example.net
          scope: Namespaced
          names: {kind: Gadget, plural: gadgets}
          versions:
            - name: v1
              served: true
              storage: true
              schema:
                openAPIV3Schema:
                  type: object
                  properties:
                    spec: {type: object, properties: {size: {type: integer}, color: {type: string, default: red}}}
  namespace:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: Namespace, metadata: {name: one-go}}
`)
	step(t, "nothing depends on anything, and all is made [O13]", func(t *testing.T) {
		s.preview(t)
		s.up(t)
		live := k.get(t, "onego.example.net/v1/Gadget/one-go/it")
		assert.Equal(t, int64(3), at(live.Object, "spec", "size"))
		r := s.export(t).get(t, "object")
		assert.Equal(t, string(live.GetUID()), r.uid())
		assert.False(t, r.pending())
		assert.Empty(t, r.InitErrors)
		assert.EqualValues(t, 3, at(r.Outputs, "manifest", "spec", "size"))
	})
	step(t, "the next preview is empty [O13]", func(t *testing.T) { s.previewEmpty(t) })
	step(t, "and all of it can be destroyed [O13]", func(t *testing.T) {
		s.destroy(t)
		assert.Empty(t, s.export(t).all)
	})
}

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.waiting.example}
spec:
  group: waiting.example
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const widgetProgram = `
resources:
  widget:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: waiting.example/v1
        kind: Widget
        metadata: {name: slow, namespace: %[1]s}
        spec: {size: %[2]d}
  ready:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${widget.resourceRef}
      waitFor: {condition: Ready, timeout: 2m}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: %[1]s}, data: {size: "%[2]d"}}
    options: {dependsOn: ["${ready}"]}
`

// TestSlowController plays a controller that takes its time to notice a change.
func TestSlowController(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	definition := "apiextensions.k8s.io/v1/CustomResourceDefinition/widgets.waiting.example"
	k.create(t, definition, widgetDefinition)
	t.Cleanup(func() { k.remove(t, definition) })
	eventually(t, "the definition is established", func() bool {
		return at(conditionOf(k.get(t, definition).Object, "Established"), "status") == "True"
	})
	s := newStackIn(t, k, c.KubeconfigFile())
	user, err := c.AddUser("controllers", "system:masters")
	require.NoError(t, err)
	s.connectAs(t, user)
	widget, after := "waiting.example/v1/Widget/"+space+"/slow", "v1/ConfigMap/"+space+"/after"
	// begin begins an up and returns when it waits.
	begin := func(size int) *command {
		mark, err := c.AuditMark()
		require.NoError(t, err)
		s.program(t, widgetProgram, space, size)
		up := s.start(t, "up", "--yes", "--skip-preview")
		waitsFor(t, c, user, mark, 1)
		return up
	}

	step(t, "a custom resource is waited for by its condition [W3]", func(t *testing.T) {
		up := begin(1)
		k = kubeOf(t, c)
		k.gone(t, after)
		k.status(t, widget, "{status: {observedGeneration: 1, conditions: [{type: Ready, status: 'False', reason: Growing}]}}")
		k.status(t, widget, "{status: {observedGeneration: 1, conditions: [{type: Ready, status: 'True'}]}}")
		up.wait(t).succeeded(t)
		assert.Equal(t, "1", k.value(t, after, "data", "size"))
	})
	step(t, "it is changed: that it was ready before does not count [W4]", func(t *testing.T) {
		up := begin(2)
		assert.Equal(t, "True", at(conditionOf(k.get(t, widget).Object, "Ready"), "status"), "nobody has noticed the change")
		assert.Equal(t, int64(2), k.get(t, widget).GetGeneration())
		// The controller is alive, and still at the old generation.
		k.status(t, widget, "{status: {heartbeat: 1}}")
		eventually(t, "the live status says what is missing", func() bool {
			return strings.Contains(up.printed.text(),
				"Waiting: condition Ready=True is out of date: it is about generation 1, the object is at 2")
		})
		assert.Equal(t, "1", k.value(t, after, "data", "size"))
		k.status(t, widget, "{status: {observedGeneration: 2}}")
		up.wait(t).succeeded(t)
		assert.Equal(t, "2", k.value(t, after, "data", "size"))
		s.previewEmpty(t)
	})
}

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestASetIsInTheClusterOfItsProvider(t *testing.T) { // [M17]
	t.Parallel()
	one, two := shared.Get(t), cluster.ForTest(t, cluster.Options{ControllerManager: true})
	inOne, inTwo, s := kubeOf(t, one), kubeOf(t, two), newStack(t)
	space := one.Namespace(t)
	s.config(t, "k8sconnect:namespace", space) // the default provider is for the first cluster
	s.file(t, "two", string(two.Kubeconfig()))
	s.program(t, `
resources:
  two: {type: "pulumi:providers:k8sconnect", properties: {kubeconfig: {fn::readFile: ./two}}}
  by-option:
    type: k8sconnect:Manifests
    properties:
      manifests:
      - {apiVersion: v1, kind: Namespace, metadata: {name: %[1]s-two}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: %[1]s-two}}
      wait: all
    options: {provider: "${two}"}
  by-connection:
    type: k8sconnect:Manifests
    properties:
      manifests: [{apiVersion: v1, kind: Namespace, metadata: {name: %[1]s-connected}}]
      clusterConnection: {kubeconfig: {fn::readFile: ./two}}
  in-the-default-one:
    type: k8sconnect:Manifests
    properties:
      manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}]
`, space)
	s.preview(t)
	s.up(t)
	there := []string{"v1/Namespace/" + space + "-two", "v1/ConfigMap/" + space + "-two/settings", "v1/Namespace/" + space + "-connected"}
	for _, id := range there {
		inTwo.get(t, id)
		inOne.gone(t, id)
	}
	inOne.get(t, "v1/ConfigMap/"+space+"/settings")
	inTwo.gone(t, "v1/ConfigMap/"+space+"/settings")
	s.previewEmpty(t)
	step(t, "drift is looked for there", func(t *testing.T) {
		inTwo.merge(t, there[1], `{"metadata": {"labels": {"of": "others"}}}`)
		s.previewEmpty(t)
		inTwo.remove(t, there[1])
		assert.Contains(t, s.preview(t), "by-option:ConfigMap."+space+"-two.settings")
		s.up(t)
		inTwo.get(t, there[1])
	})
	step(t, "and deleted there", func(t *testing.T) {
		s.destroy(t)
		for _, id := range there {
			inTwo.gone(t, id)
		}
	})
}

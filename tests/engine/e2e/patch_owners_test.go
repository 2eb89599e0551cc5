package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// TestPatchOfAChart patches an object that a chart has installed, of which an autoscaler, a person
// and a second tool have taken their parts since.
func TestPatchOfAChart(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/shop"
	k.patch(t, id, types.ApplyPatchType, fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: %s, labels: {app.kubernetes.io/managed-by: Helm}, annotations: {example.com/contact: ops}}
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - {name: shop, image: "registry.example/shop:1", env: [{name: LOG, value: info}], resources: {limits: {memory: 1024Mi, cpu: 1000m}}}
        - {name: proxy, image: "registry.example/proxy:1"}
`, space), "helm")
	scale(t, c, space, "shop", 4)
	k.patch(t, id, types.StrategicMergePatchType,
		`{spec: {template: {spec: {containers: [{name: proxy, image: "registry.example/proxy:edited"}]}}}}`, "kubectl-edit")
	k.apply(t, id, "second-tool", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: shop, annotations: {example.com/contact: ops}}}`)

	const kept = `
        metadata: {annotations: {example.com/contact: dev}, labels: {example.com/new: x}}
        spec:
          replicas: 6
          template:
            spec:
              terminationGracePeriodSeconds: 30
              containers:
                - {name: proxy, image: "registry.example/proxy:ours"}
                - {name: shop, env: [{name: LOG, value: debug}], resources: {limits: {memory: 2048Mi, cpu: 1000m}}}`
	const shop = "spec.template.spec.containers[name=shop]."
	s.program(t, "%s", "resources:"+patchOf("shop", fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, namespace: %s, name: shop}", space), "patch:"+kept))

	step(t, "the preview names each owner with what is taken from it, and is silent about equal values [P22, P23]", func(t *testing.T) {
		out := s.preview(t)
		for _, line := range []string{
			"will take from kube-controller-manager: spec.replicas: 4 -> 6",
			`will take from kubectl-edit: spec.template.spec.containers[name=proxy].image: "registry.example/proxy:edited" -> "registry.example/proxy:ours"`,
			`will take from helm: ` + shop + `env[name=LOG].value: "info" -> "debug"`,
			`will take from helm: ` + shop + `resources.limits.memory: "1Gi" -> "2Gi"`,
			`metadata.annotations["example.com/contact"]: "ops" -> "dev"`,
		} {
			assert.Contains(t, out, line)
		}
		assert.Equal(t, 5, strings.Count(out, "will take from"), "new fields and equal values are not in it: %s", out)
	})
	step(t, "the state says of each field whose it was [P22]", func(t *testing.T) {
		s.up(t)
		saved := s.export(t).get(t, "shop")
		managers := k.ours(t, id)
		require.Len(t, managers, 1)
		owners := map[string]any{}
		previous := map[string]any{
			"spec.replicas": "kube-controller-manager",
			"spec.template.spec.containers[name=proxy].image":  "kubectl-edit",
			shop + "env[name=LOG].value":                       "helm",
			shop + "resources.limits.memory":                   "helm",
			shop + "resources.limits.cpu":                      "helm",
			"spec.template.spec.terminationGracePeriodSeconds": "helm",
			`metadata.annotations["example.com/contact"]`:      "helm, second-tool",
		}
		assert.Equal(t, previous, saved.Outputs["previousOwners"])
		for path := range previous {
			owners[path] = managers[0]
		}
		owners[`metadata.labels["example.com/new"]`] = managers[0]
		assert.Equal(t, owners, saved.Outputs["fieldOwnership"])
		assert.Equal(t, int64(6), k.value(t, id, "spec", "replicas"))
	})
	step(t, "quantities that the API server spells its way are no drift [P17]", func(t *testing.T) {
		containers := k.value(t, id, "spec", "template", "spec", "containers")
		assert.Equal(t, "proxy", at(containers, 0, "name"), "the API server puts the items of an apply into the order of the apply")
		assert.Equal(t, "2Gi", at(containers, 1, "resources", "limits", "memory"))
		s.previewEmpty(t)
	})
	step(t, "who shares a value says so, and the rest is handed back [P25]", func(t *testing.T) {
		s.handBack(t, k, id)
		k.apply(t, id, "helm", fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: shop, namespace: %s}, spec: {replicas: 1,
selector: {matchLabels: {app: shop}}, template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: shop, image: "registry.example/shop:2"}]}}}}`, space))
	})
}

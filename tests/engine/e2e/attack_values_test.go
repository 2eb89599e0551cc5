package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestValuesThatAnUpdateLeavesAlone is about values beside those that an update changes.
func TestValuesThatAnUpdateLeavesAlone(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	t.Run("the ignored ports of a NetworkPolicy stay closed when a label is added [D2]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		closed := "networking.k8s.io/v1/NetworkPolicy/" + space + "/closed"
		declare := func(labels string) {
			s.program(t, `
resources:
  closed:
    type: k8sconnect:KubeObject
    properties:
      ignoreFields: ["spec.ingress[*].ports"]
      manifest:
        apiVersion: networking.k8s.io/v1
        kind: NetworkPolicy
        metadata: {name: closed, namespace: %s, labels: %s}
        spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}], ports: [{port: 443}]}]}
`, space, labels)
		}
		declare("{round: one}")
		s.up(t)
		k.jsonPatch(t, closed, `[{op: replace, path: /spec/ingress/0/ports/0/port, value: 8443}]`)
		s.previewEmpty(t)
		uid := k.get(t, closed).GetUID()
		declare("{round: one, more: label}")
		assert.Equal(t, []string{`+ more: "label"`}, changedLines(s.preview(t)))
		s.up(t)
		assert.Equal(t, []any{map[string]any{
			"from":  []any{map[string]any{"podSelector": map[string]any{}}},
			"ports": []any{map[string]any{"port": int64(8443), "protocol": "TCP"}},
		}}, k.value(t, closed, "spec", "ingress"))
		assert.Equal(t, "label", k.value(t, closed, "metadata", "labels", "more"))
		assert.Equal(t, uid, k.get(t, closed).GetUID())
		saved := s.export(t).get(t, "closed")
		assert.Equal(t, string(uid), saved.uid())
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, closed)
	})
	t.Run("a changed order of init containers is applied, and an order that another user changed is no drift [D6]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		web := "apps/v1/Deployment/" + space + "/web"
		declare := func(first, second string) {
			s.program(t, `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: %s}
        spec:
          replicas: 0
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec:
              initContainers: [{name: %s, image: "init:1"}, {name: %s, image: "init:1"}]
              containers: [{name: web, image: "nginx:1"}]
`, space, first, second)
		}
		order := func(list any) (names []any) {
			for _, item := range list.([]any) {
				names = append(names, at(item, "name"))
			}
			return names
		}
		live := func() []any { return order(k.value(t, web, "spec", "template", "spec", "initContainers")) }
		declare("migrate", "fetch-secrets")
		s.up(t)
		declare("fetch-secrets", "migrate")
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		assert.Contains(t, out, "initContainers")
		assert.Contains(t, s.up(t), "~ 1 updated")
		assert.Equal(t, []any{"fetch-secrets", "migrate"}, live())
		saved := s.export(t).get(t, "web").Outputs
		assert.Equal(t, []any{"fetch-secrets", "migrate"}, order(at(saved, "manifest", "spec", "template", "spec", "initContainers")))
		s.previewEmpty(t)
		k.jsonPatch(t, web, `[{op: move, from: /spec/template/spec/initContainers/0, path: /spec/template/spec/initContainers/1}]`)
		assert.Equal(t, []any{"migrate", "fetch-secrets"}, live())
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("an annotation that nobody owns stays when our last one leaves [D48] [O90]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		settings := "v1/ConfigMap/" + space + "/settings"
		declare := func(annotations string) {
			s.program(t, `
resources:
  settings:
    type: k8sconnect:KubeObject
    properties:
      ignoreFields: ['metadata.annotations["seed"]']
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: %s, annotations: %s}, data: {a: "1"}}
`, space, annotations)
		}
		declare("{seed: one, ours: yes please}")
		s.up(t)
		k.merge(t, settings, `{metadata: {annotations: {seed: grown}}}`)
		declare("{seed: one}")
		assert.Equal(t, []string{`- ours: "yes please"`}, changedLines(s.preview(t)))
		s.up(t)
		assert.Equal(t, map[string]any{"seed": "grown"}, k.value(t, settings, "metadata", "annotations"))
		assert.NotContains(t, s.export(t).get(t, "settings").Outputs["manifest"].(map[string]any)["metadata"], "annotations")
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, settings)
	})
	t.Run("a limit below the request of another manager is refused and explained, and nothing is replaced [D1]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		web := "apps/v1/Deployment/" + space + "/web"
		s.program(t, "%s", deploymentOf(space, "", `"4"`))
		s.up(t)
		k.patch(t, web, "application/strategic-merge-patch+json",
			`{spec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: "2"}}}]}}}}`, "kubectl-set")
		s.previewEmpty(t)
		before := k.get(t, web)
		s.program(t, "%s", deploymentOf(space, "", `"1"`))
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "contradicts what the live object has")
			assert.Contains(t, out, "resources.requests (owned by kubectl-set)")
			assert.Contains(t, out, "Next: set the field in this manifest")
			assert.NotContains(t, out, "onImmutable")
		}
		assert.Equal(t, before, k.get(t, web))
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "web").uid())
		s.destroy(t)
		k.gone(t, web)
	})
}

package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

func TestIgnoredManagers(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/web"
	declare := func(t *testing.T, replicas int, image, properties string) {
		s.declare(t, fmt.Sprintf(smallDeployment, space, "web", replicas, "web", image, "", ""), properties, "")
	}
	const ignoring = "ignoreManagers: [kube-controller-manager]"

	step(t, "what an autoscaler takes drifts, with the line that leaves it to it [O97]", func(t *testing.T) {
		declare(t, 3, "nginx:1", "")
		s.up(t)
		scale(t, c, space, "web", 7)
		out := s.preview(t)
		assert.Contains(t, out, "spec.replicas: 7 -> 3 (owned by kube-controller-manager)")
		assert.Contains(t, out, "To leave to a controller whatever it owns:\n")
		assert.Contains(t, out, `ignoreManagers: ["kube-controller-manager"]`)
	})
	step(t, "named in the program, it is no drift, to no command [O91]", func(t *testing.T) {
		declare(t, 3, "nginx:1", ignoring)
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
		for _, replicas := range []int32{2, 9} {
			scale(t, c, space, "web", replicas)
			s.previewEmpty(t)
			s.refresh(t, "--expect-no-changes")
			s.up(t, "--expect-no-changes")
		}
		assert.Equal(t, int64(9), k.value(t, id, "spec", "replicas"))
	})
	step(t, "an update of the image never lets it jump [O91]", func(t *testing.T) {
		declare(t, 3, "nginx:2", ignoring)
		out := s.preview(t)
		assert.Equal(t, []string{`~ image: "nginx:1" => "nginx:2"`}, changedLines(out), out)
		assert.Equal(t, []int32{9}, replicasDuring(t, c, k, space, "web", func() { s.up(t) }))
		s.previewEmpty(t)
	})
	step(t, "another number in the program is shown and applied [O92]", func(t *testing.T) {
		declare(t, 5, "nginx:2", ignoring)
		out := s.preview(t)
		assert.Equal(t, []string{`~ replicas: 3 => 5`}, changedLines(out), out)
		assert.Contains(t, out, "spec.replicas: 9 -> 5 (owned by kube-controller-manager)")
		assert.Equal(t, []int32{9, 5}, replicasDuring(t, c, k, space, "web", func() { s.up(t) }))
		scale(t, c, space, "web", 8)
		s.previewEmpty(t)
	})
	step(t, "without its name, it is drift again [O93]", func(t *testing.T) {
		declare(t, 5, "nginx:2", "")
		out := s.preview(t)
		assert.Contains(t, out, "spec.replicas: 8 -> 5 (owned by kube-controller-manager)")
		s.up(t)
		assert.Equal(t, int64(5), k.value(t, id, "spec", "replicas"))
		s.previewEmpty(t)
	})
	step(t, "the provider's setting does the same for all of a kind, and says so [O96]", func(t *testing.T) {
		s.config(t, "k8sconnect:ignore[0].kinds[0]", "Deployment.apps", "--path")
		s.config(t, "k8sconnect:ignore[0].managers[0]", "kube-controller-manager", "--path")
		s.up(t)
		scale(t, c, space, "web", 6)
		out := s.previewEmpty(t)
		assert.Contains(t, out, "the provider's setting ignore leaves these fields as they are:")
		assert.Contains(t, out, "spec.replicas: 6 instead of 5 (owned by kube-controller-manager)")
		assert.Equal(t, []int32{6}, replicasDuring(t, c, k, space, "web", func() {
			declare(t, 5, "nginx:3", "")
			s.up(t)
		}))
	})
}

func TestIgnoredManagersOfASet(t *testing.T) { // [M26]
	t.Parallel()
	k, s, space := kubeOf(t, shared.Get(t)), newStack(t), shared.Get(t).Namespace(t)
	webhook := "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration/" + space
	program := func(path, inputs string) {
		s.program(t, `
resources:
  guard:
    type: k8sconnect:Manifests
    properties:
      %[3]s
      manifests:
        - apiVersion: admissionregistration.k8s.io/v1
          kind: ValidatingWebhookConfiguration
          metadata: {name: %[1]s}
          webhooks:
            - name: guard.example.com
              admissionReviewVersions: [v1]
              sideEffects: None
              failurePolicy: Ignore
              clientConfig: {service: {name: guard, namespace: %[1]s, path: %[2]s}, caBundle: Cg==}
              rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [nothing]}]
`, space, path, inputs)
	}
	inject := func(bundle string) {
		k.patch(t, webhook, types.JSONPatchType, `[{op: replace, path: /webhooks/0/clientConfig/caBundle, value: `+bundle+`}]`, "cert-manager-cainjector")
	}
	bundle := func() any { return k.value(t, webhook, "webhooks", 0, "clientConfig", "caBundle") }
	program("/one", "ignoreManagers: [cert-manager-cainjector]")
	s.up(t)
	inject("Zmlyc3Q=")
	s.previewEmpty(t)
	program("/two", "ignoreManagers: [cert-manager-cainjector]")
	s.up(t)
	assert.Equal(t, "Zmlyc3Q=", bundle())
	inject("c2Vjb25k")
	s.previewEmpty(t)
	program("/two", "overrides: [{select: {kind: '*WebhookConfiguration'}, ignoreManagers: [cert-manager-cainjector]}]")
	s.previewEmpty(t)
	program("/two", "ignoreManagers: [webhook-owner]")
	assert.Contains(t, s.preview(t), `ignoreManagers: ["webhook-owner", "cert-manager-cainjector"]`)
	s.destroy(t)
	k.gone(t, webhook)
}

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rolloutProgram is a Deployment whose replicas are someone else's business, its rollout, a
// Service behind it, its address, and settings that contain the address.
const rolloutProgram = `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: %[1]s}
        spec:
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec: {containers: [{name: web, image: "%[2]s"}]}
  rolled-out:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${web.resourceRef}
      waitFor: {rollout: true, timeout: 2m}
  service:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Service
        metadata: {name: web, namespace: %[1]s}
        spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
    options: {dependsOn: ["${rolled-out}"]}
  address:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${service.resourceRef}
      waitFor: {field: "status.loadBalancer.ingress[0].hostname", timeout: 2m}
  settings:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings, namespace: %[1]s}
        data: {url: "http://${address.status.status.loadBalancer.ingress[0].hostname}/"}
`

func TestRolloutAndWhatFollows(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s := newStackIn(t, k, c.KubeconfigFile())
	web, service, settings := "apps/v1/Deployment/"+space+"/web", "v1/Service/"+space+"/web", "v1/ConfigMap/"+space+"/settings"
	user, err := c.AddUser("rollouts", "system:masters")
	require.NoError(t, err)
	s.connectAs(t, user)
	const up, yes, now = "up", "--yes", "--skip-preview"

	step(t, "a Service is made when the rollout is complete, and what needs its address when it has one [W1, W5]", func(t *testing.T) {
		s.program(t, rolloutProgram, space, "web:1")
		run := s.start(t, up, yes, now)
		eventually(t, "the service is there", func() bool { return k.find(t, service) != nil })
		assert.Equal(t, int64(1), k.value(t, web, "status", "availableReplicas"), "the service came after the rollout")
		k.gone(t, settings)
		k.status(t, service, "{status: {loadBalancer: {ingress: [{hostname: a.example}]}}}")
		run.wait(t).succeeded(t)
		assert.Equal(t, "http://a.example/", k.value(t, settings, "data", "url"))
		saved := s.export(t)
		assert.Equal(t, map[string]any{"status": map[string]any{"loadBalancer": map[string]any{
			"ingress": []any{map[string]any{"hostname": "a.example"}}}}}, saved.get(t, "address").Outputs["status"])
		assert.Nil(t, saved.get(t, "rolled-out").Outputs["status"], "only fields are an output [W20]")
		s.previewEmpty(t)
	})

	step(t, "the address changes: the next preview shows what follows from it [W19]", func(t *testing.T) {
		k.status(t, service, "{status: {loadBalancer: {ingress: [{hostname: b.example}]}}}")
		out := s.preview(t)
		assert.Equal(t, []string{`~ url: "http://a.example/" => "http://b.example/"`}, changedLines(out), out)
		assert.Contains(t, out, "~ 1 to update")
		assert.Equal(t, "http://a.example/", k.value(t, settings, "data", "url"), "a preview writes nothing")
		s.up(t)
		assert.Equal(t, "http://b.example/", k.value(t, settings, "data", "url"))
		s.previewEmpty(t)
	})

	step(t, "an autoscaler writes the replicas: nothing is waited for again [W22]", func(t *testing.T) {
		k.merge(t, web, "{spec: {replicas: 3}}")
		mark, err := c.AuditMark()
		require.NoError(t, err)
		s.previewEmpty(t)
		assert.Contains(t, s.up(t), "6 unchanged")
		requests, err := c.RequestsSince(mark)
		require.NoError(t, err)
		for _, request := range requests.Where(by(user)) {
			assert.Equal(t, "get", request.Verb, request.String())
		}
		assert.Equal(t, int64(3), k.value(t, web, "spec", "replicas"))
	})

	step(t, "a new image: the rollout is waited for again [W22]", func(t *testing.T) {
		s.program(t, rolloutProgram, space, "web:2")
		assert.Contains(t, s.preview(t), "~ 2 to update", "the Deployment and its Wait")
		out := s.up(t)
		assert.Contains(t, out, "k8sconnect:index:Wait rolled-out updated")
		assert.Contains(t, out, "~ 2 updated")
		status, _ := k.value(t, web, "status").(map[string]any)
		assert.Equal(t, k.value(t, web, "metadata", "generation"), status["observedGeneration"])
		assert.Equal(t, int64(3), status["updatedReplicas"])
		assert.Equal(t, int64(3), status["availableReplicas"])
		s.previewEmpty(t)
	})

	step(t, "a Wait leaves nothing to destroy", func(t *testing.T) {
		uid := k.get(t, web).GetUID()
		s.destroy(t, "--target", "**rolled-out", "--target-dependents")
		assert.Equal(t, uid, k.get(t, web).GetUID())
		s.destroy(t)
		k.gone(t, web)
	})
}

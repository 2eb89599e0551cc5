package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// readyProgram is an object of any kind, what waits until it is ready, and what comes then.
const readyProgram = `
resources:
  it:
    type: k8sconnect:KubeObject
    properties:
      manifest: %[2]s
      ignoreFields: [data.phase]
  ready:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${it.resourceRef}
      waitFor: {ready: true, timeout: %[3]s}
  then:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: then, namespace: %[1]s}}
    options: {dependsOn: ["${ready}"]}
`

func TestWhatFollowsComesWhenTheObjectIsReady(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	t.Run("a load balancer gets its address too late, and is waited for again in place [W31]", func(t *testing.T) {
		t.Parallel()
		s, k, space := docsStack(t, c)
		service, then := "v1/Service/"+space+"/web", "v1/ConfigMap/"+space+"/then"
		const manifest = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: LoadBalancer, ports: [{port: 80}]}}"
		s.program(t, readyProgram, space, manifest, "2s")
		out := s.upFails(t)
		assert.Regexp(t, "Service "+space+`/web: timed out after \d+s waiting for readiness`, out)
		assert.Contains(t, out, "no address yet")
		k.gone(t, then)
		uid := k.get(t, service).GetUID()
		assert.Contains(t, s.refresh(t), "an earlier wait timed out or failed, and no address yet")

		k.status(t, service, "{status: {loadBalancer: {ingress: [{ip: 203.0.113.7}]}}}")
		s.up(t)
		k.get(t, then)
		assert.Equal(t, uid, k.get(t, service).GetUID(), "nothing is destroyed to retry")
		assert.Nil(t, at(s.export(t).get(t, "ready").Outputs, "status"), "[W20]")
		s.previewEmpty(t)
	})
	t.Run("a claim that waits for its first pod is passed, with a warning [W31]", func(t *testing.T) {
		t.Parallel()
		s, k, space := docsStack(t, c)
		class := "storage.k8s.io/v1/StorageClass/" + space
		k.create(t, class, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: "+space+
			"}, provisioner: example.org/none, volumeBindingMode: WaitForFirstConsumer}")
		t.Cleanup(func() { k.remove(t, class) })
		s.program(t, readyProgram, space, "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: "+
			"{accessModes: [ReadWriteOnce], storageClassName: "+space+", resources: {requests: {storage: 1Gi}}}}", "1m")
		assert.Contains(t, s.up(t), "warning: PersistentVolumeClaim "+space+"/data counts as ready although it has no volume")
		k.get(t, "v1/ConfigMap/"+space+"/then")
		s.previewEmpty(t)
	})
	t.Run("the user says when a kind is ready [W32]", func(t *testing.T) {
		t.Parallel()
		s, k, space := docsStack(t, c)
		rule := func(part, value string) { s.config(t, "k8sconnect:readiness[0]."+part, value, "--path") }
		rule("kinds[0]", "ConfigMap")
		rule("expression", "object.data.")
		s.program(t, readyProgram, space, "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {phase: new}}", "2s")
		assert.Contains(t, s.upFails(t), "readiness[0].expression")
		k.gone(t, "v1/ConfigMap/"+space+"/it")

		rule("expression", "object.data.phase == 'good'")
		out := s.upFails(t)
		assert.Contains(t, out, "ConfigMap "+space+"/it: timed out after 2s waiting for readiness")
		assert.Contains(t, out, "object.data.phase == 'good' is false")
		k.gone(t, "v1/ConfigMap/"+space+"/then")
		k.merge(t, "v1/ConfigMap/"+space+"/it", `{data: {phase: good}}`)
		s.up(t)
		k.get(t, "v1/ConfigMap/"+space+"/then")
		s.previewEmpty(t)
	})
	t.Run("also on an explicit provider [W32]", func(t *testing.T) {
		t.Parallel()
		s, _, space := docsStack(t, c)
		s.program(t, `
resources:
  cluster:
    type: pulumi:providers:k8sconnect
    properties:
      namespace: `+space+`
      readiness:
        - {kinds: [ConfigMap], expression: has(object.data), failWhen: "object.data.phase == 'bad'"}
  it:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {phase: bad}}
    options: {provider: "${cluster}"}
  ready:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${it.resourceRef}
      waitFor: {ready: true}
    options: {provider: "${cluster}"}
`)
		assert.Contains(t, s.upFails(t), "failWhen of the provider's readiness rule for ConfigMap is true: object.data.phase == 'bad'")
	})
}

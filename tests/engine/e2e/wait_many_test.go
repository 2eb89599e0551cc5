package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// workersProgram is a wait for pods that others make, and what follows.
const workersProgram = `
resources:
  enough:
    type: k8sconnect:Wait
    properties:
      selector: {apiVersion: v1, kind: Pod, namespace: %[1]s, labelSelector: app=worker}
      count: %[2]s
      waitFor: {ready: true, timeout: %[3]s}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: %[1]s}, data: {a: "1"}}
    options: {dependsOn: ["${enough}"]}
`

const workerManifest = `
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: %s, labels: {app: worker, kubelet: test}}
spec: {containers: [{name: c, image: "worker:1"}]}
`

const (
	workerReady = `{status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}`
	workerPulls = `{status: {phase: Pending, containerStatuses: [{name: c, image: "worker:1", imageID: "", ready: false, restartCount: 0,
		state: {waiting: {reason: ImagePullBackOff, message: Back-off pulling image}}}],
		conditions: [{type: Ready, status: "False", reason: ContainersNotReady, message: "containers with unready status: [c]"}]}}`
)

func TestAWaitForManyPods(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s := newStackIn(t, k, c.KubeconfigFile())
	after := "v1/ConfigMap/" + space + "/after"
	worker := func(name string) string { return "v1/Pod/" + space + "/" + name }
	for _, name := range []string{"w1", "w2", "w3"} {
		k.create(t, worker(name), fmt.Sprintf(workerManifest, name, space))
	}
	k.status(t, worker("w1"), workerReady)
	k.status(t, worker("w2"), workerReady)
	k.status(t, worker("w3"), workerPulls)

	step(t, "two of three are ready: the update fails, says which one is not, and why [R20]", func(t *testing.T) {
		s.program(t, workersProgram, space, "{exactly: 3}", "2s")
		out := s.upFails(t)
		assert.Contains(t, out, "Pod objects with app=worker in namespace "+space+": timed out after 2s waiting for readiness of exactly 3 [WaitTimedOut]")
		assert.Contains(t, out, "Seen last: 2 of exactly 3 are ready; 3 exist.")
		assert.Contains(t, out, "    w3: Pending")
		assert.Contains(t, out, "Waiting: 2 of exactly 3 are ready; 3 exist; w3: Pending", "so does the line beside the resource")
		assert.Contains(t, out, "Why (w3):")
		assert.Contains(t, out, "ImagePullBackOff")
		k.gone(t, after)
		assert.True(t, s.export(t).get(t, "enough").waits())
	})
	step(t, "a refresh and a preview say that it is still so [R22]", func(t *testing.T) {
		assert.Contains(t, s.refresh(t), "2 of exactly 3 are ready")
		assert.Contains(t, s.preview(t), "an earlier wait timed out or failed")
		assert.True(t, s.export(t).get(t, "enough").waits())
	})
	step(t, "the next update goes on in place, until the third is ready [R22]", func(t *testing.T) {
		s.program(t, workersProgram, space, "{exactly: 3}", "1m")
		up := s.start(t, "up", "--yes", "--skip-preview")
		k.status(t, worker("w3"), workerReady)
		assert.Contains(t, up.wait(t).succeeded(t).out, "+ 1 created")
		require.NotNil(t, k.find(t, after))
		s.previewEmpty(t)
	})
	step(t, "it is over then: a lost pod is no drift [R22]", func(t *testing.T) {
		k.remove(t, worker("w2"))
		s.previewEmpty(t)
		s.refresh(t)
		s.previewEmpty(t)
	})
	step(t, "another count waits again: a failed pod ends the wait for all, and not for as many as are left [R21] [R26]", func(t *testing.T) {
		k.status(t, worker("w3"), `{status: {phase: Failed, reason: Evicted, message: the node was low on memory}}`)
		s.program(t, workersProgram, space, "{all: true}", "1m")
		out := s.upFails(t)
		assert.Contains(t, out, "[WaitFailed]")
		assert.Contains(t, out, "w3: the pod has failed: Evicted: the node was low on memory")
		s.program(t, workersProgram, space, "{atLeast: 1}", "1m")
		s.up(t)
		s.previewEmpty(t)
	})
	s.destroy(t)
	require.NotNil(t, k.find(t, worker("w1")), "a Wait never touches an object")
}

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

const interruptedProgram = `
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
            metadata: {labels: {app: web, kubelet: test}}
            spec: {containers: [{name: web, image: "web:1"}]}
  rolled-out:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${web.resourceRef}
      waitFor: {rollout: true, timeout: 2m}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: %[1]s}, data: {a: "1"}}
    options: {dependsOn: ["${rolled-out}"]}
`

func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s := newStackIn(t, k, c.KubeconfigFile())
	s.program(t, interruptedProgram, space)
	web, after := "apps/v1/Deployment/"+space+"/web", "v1/ConfigMap/"+space+"/after"
	up := s.start(t, "up", "--yes", "--skip-preview")
	pod := k.thePod(t, space, "app=web")
	k.status(t, pod, waitingPod("web", "ImagePullBackOff", "not found"))
	uid := k.get(t, web).GetUID()

	step(t, "the live status names what is missing and the worst pod", func(t *testing.T) {
		line := "Waiting: 0 of 1 updated replicas are available; pod " + strings.TrimPrefix(pod, "v1/Pod/"+space+"/") + ": ImagePullBackOff"
		eventually(t, line, func() bool { return strings.Contains(up.printed.text(), line) })
	})
	step(t, "^C ends a wait at once, and the state knows that it was interrupted", func(t *testing.T) {
		began := time.Now()
		up.signal(t, syscall.SIGINT)
		out := failed(t, up.wait(t)).out
		assert.Less(t, time.Since(began), 15*time.Second)
		assert.Contains(t, out, "interrupted after")
		saved := s.export(t)
		assert.True(t, saved.get(t, "rolled-out").waits())
		assert.Equal(t, web, saved.get(t, "rolled-out").ID)
		assert.Equal(t, string(uid), saved.get(t, "web").uid())
		assert.NotContains(t, saved.resources, "after")
	})
	step(t, "the next up waits again", func(t *testing.T) {
		up := s.start(t, "up", "--yes", "--skip-preview")
		eventually(t, "it waits", func() bool { return strings.Contains(up.printed.text(), "Waiting: ") })
		k.gone(t, after)
		k.status(t, pod, runningPod("web"))
		assert.Contains(t, up.wait(t).succeeded(t).out, "+ 1 created\n    ~ 1 updated")
		assert.Equal(t, uid, k.get(t, web).GetUID())
		assert.False(t, s.export(t).get(t, "rolled-out").waits())
		s.previewEmpty(t)
	})
}

// waitingPod is the status of a pod whose only container does not start.
func waitingPod(container, reason, message string) string {
	return fmt.Sprintf(`
status:
  phase: Pending
  conditions:
  - {type: PodReadyToStartContainers, status: "True"}
  - {type: Initialized, status: "True"}
  - {type: Ready, status: "False", reason: ContainersNotReady, message: 'containers with unready status: [%[1]s]'}
  - {type: ContainersReady, status: "False", reason: ContainersNotReady, message: 'containers with unready status: [%[1]s]'}
  - {type: PodScheduled, status: "True"}
  containerStatuses:
  - {name: %[1]s, image: "", imageID: "", ready: false, started: false, restartCount: 0, state: {waiting: {reason: %[2]s, message: %[3]q}}}
`, container, reason, message)
}

// runningPod is the status of a pod whose only container is ready.
func runningPod(container string) string {
	return fmt.Sprintf(`
status:
  phase: Running
  conditions:
  - {type: PodReadyToStartContainers, status: "True"}
  - {type: Initialized, status: "True"}
  - {type: Ready, status: "True"}
  - {type: ContainersReady, status: "True"}
  - {type: PodScheduled, status: "True"}
  containerStatuses:
  - {name: %[1]s, image: "", imageID: "", ready: true, started: true, restartCount: 0, state: {running: {}}}
`, container)
}

// TestWaitsOutliveTheAPIServer kills the API server while twenty waits run, of which every kind
// ends in its own way when it is back.
func TestWaitsOutliveTheAPIServer(t *testing.T) {
	t.Parallel()
	c := cluster.ForTest(t, cluster.Options{Audit: true})
	k := kubeOf(t, c)
	s := newStackIn(t, k, c.KubeconfigFile())
	user, err := c.AddUser("waits", "system:masters")
	require.NoError(t, err)
	s.connectAs(t, user)

	const each = 5
	id := func(group string, i int) string { return fmt.Sprintf("v1/ConfigMap/default/%s-%d", group, i) }
	manifest := func(group string, i int, data string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s-%d, namespace: default}, data: %s}", group, i, data)
	}
	// The objects of the group "absent" are not there yet.
	goals := map[string]string{
		"changed": `{fieldValue: {data.go: "on"}, timeout: 2m}`,
		"absent":  `{field: data.go, timeout: 2m}`,
		"leaving": `{deleted: true, timeout: 2m}`,
		"lost":    `{expression: "object.data.go == 'on'", timeout: 2m}`,
	}
	var program strings.Builder
	program.WriteString("resources:\n")
	for group, goal := range goals {
		for i := range each {
			if group != "absent" {
				k.create(t, id(group, i), manifest(group, i, `{go: "off"}`))
			}
			fmt.Fprintf(&program, `
  %[1]s-%[2]d:
    type: k8sconnect:Wait
    properties:
      resourceRef: {apiVersion: v1, kind: ConfigMap, namespace: default, name: %[1]s-%[2]d}
      waitFor: %[3]s
`, group, i, goal)
		}
	}
	s.program(t, "%s", program.String())
	mark, err := c.AuditMark()
	require.NoError(t, err)
	up := s.start(t, "up", "--yes", "--skip-preview", "--parallel=32")
	waitsFor(t, c, user, mark, len(goals)*each)

	require.NoError(t, c.APIServer.Kill())
	eventually(t, "the live status says that the API server is away", func() bool {
		return strings.Contains(up.printed.text(), "the API server cannot be reached")
	})
	require.NoError(t, c.APIServer.Restart(t.Context()))
	for i := range each {
		k.merge(t, id("changed", i), `{data: {go: "on"}}`)
		k.create(t, id("absent", i), manifest("absent", i, `{go: "on"}`))
		k.delete(t, id("leaving", i))
		k.delete(t, id("lost", i))
	}
	r := up.wait(t)
	out := failed(t, r).out
	t.Logf("all were over %v after the command began", r.took)
	saved := s.export(t)
	for group := range goals {
		for i := range each {
			name := fmt.Sprintf("%s-%d", group, i)
			assert.Equal(t, group == "lost", saved.get(t, name).waits(), "%s: %s", name, out)
		}
	}
	assert.Equal(t, each, strings.Count(out, ": the object was deleted"), out)
	assert.Equal(t, each, strings.Count(out, "find out who deleted it"), out)
	assert.Equal(t, "on", at(saved.get(t, "absent-0").Outputs, "status", "data", "go"))
}

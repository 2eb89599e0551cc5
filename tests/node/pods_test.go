//go:build linux && node

package node

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// daemons is a DaemonSet and the wait for its rollout.
const daemons = `
resources:
  agent:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: DaemonSet
        metadata: {name: agent, namespace: $NS}
        spec:
          selector: {matchLabels: {app: agent}}
          template:
            metadata: {labels: {app: agent}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: agent
                image: workload:$VERSION
                args: [serve]
                readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1, initialDelaySeconds: 2}
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${agent.resourceRef}", waitFor: {rollout: true, timeout: 2m}}
`

func TestTheRolloutOfADaemonSet(t *testing.T) {
	s := newStack(t)
	for _, version := range []string{"1", "2"} {
		step(t, "when up ends, version "+version+" serves and no other [N11] [N15]", func(t *testing.T) {
			s.program(t, strings.ReplaceAll(daemons, "$VERSION", version))
			s.up(t)
			status := s.kubectl(t, "get", "daemonset", "agent", "--output=jsonpath={.status.updatedNumberScheduled} {.status.numberAvailable}")
			assert.Equal(t, "1 1", status)
			assert.Equal(t, "workload:"+version, s.kubectl(t, "get", "pods", "--output=jsonpath={.items[?(@.status.phase=='Running')].spec.containers[0].image}"))
		})
	}
	s.previewEmpty(t)
}

func TestTheRolloutOfADeployment(t *testing.T) {
	s := newStack(t)
	slow := `{name: web, image: "workload:$VERSION", args: [serve], readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1, initialDelaySeconds: 3}}`
	for _, version := range []string{"1", "2"} {
		step(t, "when up ends, all replicas of version "+version+" are ready [N15]", func(t *testing.T) {
			s.program(t, deployment("2", strings.ReplaceAll(slow, "$VERSION", version), "2m"))
			s.up(t)
			status := s.kubectl(t, "get", "deployment", "web", "--output=jsonpath={.status.replicas} {.status.updatedReplicas} {.status.availableReplicas}")
			assert.Equal(t, "2 2 2", status)
		})
	}
}

// stubborn is a pod that ends only when it is killed, and what it is not to outlive.
const stubborn = `
resources:
  settings:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $NS}, data: {a: "1"}}
  pod:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Pod
        metadata: {name: stubborn, namespace: $NS}
        spec:
          terminationGracePeriodSeconds: $GRACE
          containers: [{name: server, image: "workload:1", args: [stubborn]}]
    options: {dependsOn: ["${settings}"]}
  running:
    type: k8sconnect:Wait
    properties: {resourceRef: "${pod.resourceRef}", waitFor: {condition: Ready, timeout: 2m}}
`

func TestAPodThatIgnoresSIGTERM(t *testing.T) {
	s := newStack(t)
	s.program(t, strings.ReplaceAll(stubborn, "$GRACE", "30"))
	s.up(t)
	t.Run("destroy waits until its grace period is over, and is then through [N12]", func(t *testing.T) {
		started := time.Now()
		s.destroy(t)
		assert.GreaterOrEqual(t, time.Since(started), 28*time.Second)
		assert.Empty(t, s.kubectl(t, "get", "pods,configmaps", "--field-selector=metadata.name!=kube-root-ca.crt", "--output=name"))
	})
}

func TestTheCLIIsKilledInTheMiddleOfADestroy(t *testing.T) {
	s := newStack(t)
	s.program(t, strings.ReplaceAll(stubborn, "$GRACE", "10"))
	s.up(t)
	destroy := s.start(t, "destroy", "--yes", "--skip-preview")
	require.Eventually(t, func() bool {
		return s.kubectl(t, "get", "pod", "stubborn", "--output=jsonpath={.metadata.deletionTimestamp}") != ""
	}, patience, 100*time.Millisecond)
	require.NoError(t, destroy.cmd.Process.Kill())
	require.Error(t, <-destroy.ended, "it was killed")

	t.Run("the next destroy deletes the rest [N14]", func(t *testing.T) {
		s.run(t, "cancel", "--yes")
		s.destroy(t)
		assert.Empty(t, s.kubectl(t, "get", "pods,configmaps", "--field-selector=metadata.name!=kube-root-ca.crt", "--output=name"))
	})
}

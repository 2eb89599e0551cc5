//go:build linux && node

package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const failingJob = `
resources:
  job:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: {name: migrate, namespace: $NS}
        spec:
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: migrate, image: workload:1, args: [fail]}]}}
  done:
    type: k8sconnect:Wait
    properties: {resourceRef: "${job.resourceRef}", waitFor: {condition: Complete, timeout: 2m}}
`

func TestAFailedJobIsToldWithItsLog(t *testing.T) {
	s := newStack(t)
	s.program(t, failingJob)
	started := time.Now()
	out := s.upFails(t)
	t.Run("the last lines and the exit code are in the error, long before the time is over [N1]", func(t *testing.T) {
		assert.Contains(t, out, "exited with code 3")
		assert.Contains(t, out, "FATAL: the table orders is locked")
		assert.Contains(t, out, "migrating 12 tables")
		assert.Less(t, time.Since(started), time.Minute)
	})
}

// deployment is a Deployment and the wait for it: its container, and how long.
func deployment(replicas, container, timeout string) string {
	return `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: $NS}
        spec:
          replicas: ` + replicas + `
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec: {terminationGracePeriodSeconds: 1, containers: [` + container + `]}
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${web.resourceRef}", waitFor: {rollout: true, timeout: ` + timeout + `}}
`
}

// probed is a container whose readiness is asked for every second.
func probed(image, more string) string {
	return `{name: web, image: "` + image + `", args: [serve], ` + more +
		`readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}}`
}

func TestACrashLoopIsToldWithItsLog(t *testing.T) {
	s := newStack(t)
	s.program(t, deployment("1", `{name: web, image: "workload:1", args: [crash], readinessProbe: {tcpSocket: {port: 8080}}}`, "20s"))
	out := s.upFails(t)
	t.Run("the last lines, the exit code and the restarts are in the error [N2]", func(t *testing.T) {
		assert.Contains(t, out, "panic: no connection to db:5432")
		assert.Regexp(t, `exited with code 7`, out)
		assert.Regexp(t, `restart`, out)
	})
}

func TestAnImageThatDoesNotExist(t *testing.T) {
	s := newStack(t)
	s.program(t, deployment("2", probed("workload:1", ""), "2m"))
	s.up(t)
	uid := s.kubectl(t, "get", "deployment", "web", "--output=jsonpath={.metadata.uid}")

	step(t, "the error names it, and the old pods serve [N3]", func(t *testing.T) {
		s.program(t, deployment("2", probed("workload:3", ""), "15s"))
		out := s.upFails(t)
		assert.Contains(t, out, "workload:3")
		assert.Regexp(t, `ErrImagePull|ImagePullBackOff`, out)
		assert.Equal(t, "2", s.kubectl(t, "get", "deployment", "web", "--output=jsonpath={.status.availableReplicas}"))
	})
	step(t, "the next up puts it right in place [N3]", func(t *testing.T) {
		s.program(t, deployment("2", probed("workload:2", ""), "2m"))
		s.up(t)
		assert.Equal(t, uid, s.kubectl(t, "get", "deployment", "web", "--output=jsonpath={.metadata.uid}"))
		s.previewEmpty(t)
	})
}

func TestAProbeThatIsNeverTrue(t *testing.T) {
	s := newStack(t)
	s.program(t, deployment("1", probed("workload:1", "env: [{name: READY, value: never}], "), "15s"))
	out := s.upFails(t)
	t.Run("the error has what the probe got [N4]", func(t *testing.T) {
		assert.Contains(t, out, "Readiness probe failed: HTTP probe failed with statuscode: 503")
	})
}

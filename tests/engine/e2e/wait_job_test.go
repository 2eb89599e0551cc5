package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// jobProgram is a Job, the wait for it, and what follows, which knows the Job by ordering alone.
const jobProgram = `
resources:
  job:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: {name: migrate, namespace: %[1]s}
        spec:
          backoffLimit: 0
          template:
            metadata: {labels: {kubelet: %[3]s}}
            spec: {restartPolicy: Never, containers: [{name: migrate, image: "%[2]s"}]}
  done:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${job.resourceRef}
      waitFor: {condition: Complete, timeout: 2m}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: %[1]s}, data: {a: "1"}}
    options: {dependsOn: ["${done}"]}
`

func TestJobAndWhatFollows(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)

	t.Run("what follows a Job", func(t *testing.T) {
		t.Parallel()
		k, space := kubeOf(t, c), c.Namespace(t)
		s := newStackIn(t, k, c.KubeconfigFile())
		job, after := "batch/v1/Job/"+space+"/migrate", "v1/ConfigMap/"+space+"/after"
		s.program(t, jobProgram, space, "migrate:1", "kwok")

		step(t, "it is made when the Job is complete [W3]", func(t *testing.T) {
			s.up(t)
			completed, err := time.Parse(time.RFC3339, k.value(t, job, "status", "completionTime").(string))
			require.NoError(t, err)
			assert.False(t, k.get(t, after).GetCreationTimestamp().Time.Before(completed))
			assert.Nil(t, s.export(t).get(t, "done").Outputs["status"], "only fields are an output [W20]")
			s.previewEmpty(t)
		})
		step(t, "it is not re-created with the Job, but the Job is waited for again [W14, W22]", func(t *testing.T) {
			first, follower := k.get(t, job).GetUID(), k.get(t, after).GetUID()
			s.program(t, jobProgram, space, "migrate:2", "kwok")
			out := s.up(t)
			second := k.get(t, job)
			assert.NotEqual(t, first, second.GetUID())
			assert.NotNil(t, at(second.Object, "status", "completionTime"), "the new Job was waited for")
			assert.Equal(t, follower, k.get(t, after).GetUID())
			assert.Equal(t, "1", k.value(t, after, "data", "a"))
			assert.Contains(t, out, "Wait done updated")
			assert.Contains(t, out, "~ 1 updated\n    +-1 replaced\n    2 changes. 2 unchanged")
			s.previewEmpty(t)
		})
	})

	t.Run("a Job fails: the wait ends at once, with the pod's own words [W14]", func(t *testing.T) {
		t.Parallel()
		k, space := kubeOf(t, c), c.Namespace(t)
		s := newStackIn(t, k, c.KubeconfigFile())
		job, after := "batch/v1/Job/"+space+"/migrate", "v1/ConfigMap/"+space+"/after"
		user, err := c.AddUser("failed-jobs", "system:masters")
		require.NoError(t, err)
		s.connectAs(t, user)
		mark, err := c.AuditMark()
		require.NoError(t, err)
		s.program(t, jobProgram, space, "migrate:1", "test")
		up := s.start(t, "up", "--yes", "--skip-preview")
		pod := k.thePod(t, space, "job-name=migrate")
		waitsFor(t, c, user, mark, 1)
		k.status(t, pod, failedPod)
		out := failed(t, up.wait(t)).out
		assert.Contains(t, out, "BackoffLimitExceeded")
		assert.Contains(t, out, `exited with code 3 (Error): relation "users" does not exist`)
		k.gone(t, after)

		// How long it took is seen by when it began to ask for the reasons.
		failed, err := time.Parse(time.RFC3339, at(conditionOf(k.get(t, job).Object, "Failed"), "lastTransitionTime").(string))
		require.NoError(t, err)
		requests, err := c.RequestsSince(mark)
		require.NoError(t, err)
		asked := requests.Where(by(user)).Where(func(r cluster.Request) bool {
			return r.Verb == "list" && r.Path() == "/api/v1/namespaces/"+space+"/pods"
		})
		require.NotEmpty(t, asked)
		took := asked[len(asked)-1].Received.Sub(failed)
		t.Logf("the reasons were asked for %v after the Job had failed, which is said in whole seconds", took)
		assert.Less(t, took, 4*time.Second)
	})
}

func TestTheWayOutOfAFailedJob(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s := newStackIn(t, k, c.KubeconfigFile())
	job, after := "batch/v1/Job/"+space+"/migrate", "v1/ConfigMap/"+space+"/after"
	says := "delete it with `kubectl delete job --namespace " + space + " migrate`"
	podOfJob := func() string {
		return k.thePod(t, space, "batch.kubernetes.io/controller-uid="+string(k.get(t, job).GetUID()))
	}
	s.program(t, jobProgram, space, "migrate:1", "test")
	up := s.start(t, "up", "--yes", "--skip-preview")
	eventually(t, "the Job is made", func() bool { return k.find(t, job) != nil })
	k.status(t, podOfJob(), failedPod)
	assert.Contains(t, failed(t, up.wait(t)).out, says)
	first := k.get(t, job).GetUID()

	step(t, "a further up fails again, and says how to get out [D38 a] [W34]", func(t *testing.T) {
		out := s.upFails(t)
		assert.Contains(t, out, says)
		assert.NotContains(t, out, "waits again, in place")
		assert.Contains(t, s.refresh(t), says)
	})
	step(t, "a replacement by the engine is none: the new Job would meet the old one [D38 a]", func(t *testing.T) {
		assert.Contains(t, s.upFails(t, "--replace", s.export(t).get(t, "job").URN), "was not replaced: the old object still exists and has the same name")
		assert.Equal(t, first, k.get(t, job).GetUID())
	})
	step(t, "what it says gets out: the Job is deleted, and the next up makes it again and waits for it [D38 a] [W34]", func(t *testing.T) {
		kubectl(t, c, "", "delete", "job", "--namespace", space, "migrate")
		k.gone(t, job)
		up := s.start(t, "up", "--yes", "--skip-preview")
		eventually(t, "the Job is made again", func() bool { return k.find(t, job) != nil })
		assert.NotEqual(t, first, k.get(t, job).GetUID())
		k.status(t, podOfJob(), succeededPod)
		up.wait(t).succeeded(t)
		k.get(t, after)
		s.previewEmpty(t)
	})
}

// succeededPod is the status of a pod whose only container has done its work.
const succeededPod = `
status:
  phase: Succeeded
  conditions:
  - {type: Ready, status: "False", reason: PodCompleted}
  - {type: ContainersReady, status: "False", reason: PodCompleted}
  - {type: PodScheduled, status: "True"}
  containerStatuses:
  - name: migrate
    image: migrate:1
    imageID: ""
    ready: false
    started: false
    restartCount: 0
    state: {terminated: {exitCode: 0, reason: Completed}}
`

// failedPod is the status of a pod whose only container has failed.
const failedPod = `
status:
  phase: Failed
  conditions:
  - {type: PodReadyToStartContainers, status: "False"}
  - {type: Initialized, status: "True"}
  - {type: Ready, status: "False", reason: PodFailed}
  - {type: ContainersReady, status: "False", reason: PodFailed}
  - {type: PodScheduled, status: "True"}
  containerStatuses:
  - name: migrate
    image: migrate:1
    imageID: ""
    ready: false
    started: false
    restartCount: 0
    state: {terminated: {exitCode: 3, reason: Error, message: relation "users" does not exist}}
`

// conditionOf is a status condition, or nil.
func conditionOf(object map[string]any, kind string) any {
	conditions, _ := at(object, "status", "conditions").([]any)
	for _, condition := range conditions {
		if at(condition, "type") == kind {
			return condition
		}
	}
	return nil
}

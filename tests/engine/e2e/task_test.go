package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// taskProgram is a Task and what depends on it.
const taskProgram = `
resources:
  migrate:
    type: k8sconnect:Task
    properties:
      OPTIONS
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: {name: migrate, namespace: SPACE}
        spec:
          backoffLimit: 0
          TTL
          template:
            metadata: {labels: {kubelet: KUBELET}}
            spec: {restartPolicy: Never, containers: [{name: migrate, image: "migrate:1"ENV}]}
  after:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: SPACE}, data: {a: "1"}}
    options: {dependsOn: ["${migrate}"]}
`

// taskStory is a stack with a Task in a namespace of its own.
type taskStory struct {
	*stack
	kube    *kube
	cluster *cluster.Cluster
	space   string
}

func newTaskStory(t *testing.T) taskStory {
	t.Helper()
	c := workloads.Get(t)
	k := kubeOf(t, c)
	return taskStory{newStackIn(t, k, c.KubeconfigFile()), k, c, c.Namespace(t)}
}

// declare writes the program. Pods with the kubelet kwok run to their end at once, and those with the kubelet test do what
// the test says. pairs are replaced.
func (s taskStory) declare(t *testing.T, kubelet, options string, pairs ...string) {
	t.Helper()
	pairs = append(pairs, "SPACE", s.space, "KUBELET", kubelet, "OPTIONS", options, "TTL", "", "ENV", "")
	s.program(t, "%s", strings.NewReplacer(pairs...).Replace(taskProgram))
}

// jobs are the Jobs of the namespace.
func (s taskStory) jobs(t *testing.T) []batchv1.Job {
	t.Helper()
	list, err := s.cluster.Client().BatchV1().Jobs(s.space).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	return list.Items
}

// job waits for the only Job of the namespace that is not one of before.
func (s taskStory) job(t *testing.T, before ...types.UID) batchv1.Job {
	t.Helper()
	var found batchv1.Job
	eventually(t, "a Job", func() bool {
		for _, job := range s.jobs(t) {
			known := false
			for _, uid := range before {
				known = known || uid == job.UID
			}
			if found = job; !known {
				return true
			}
		}
		return false
	})
	return found
}

// pod waits for the pod of a Job, and says how it went.
func (s taskStory) ends(t *testing.T, job batchv1.Job, status string) {
	t.Helper()
	s.kube.status(t, s.kube.thePod(t, s.space, "batch.kubernetes.io/job-name="+job.Name), status)
}

const migratedPod = `
status:
  phase: Succeeded
  containerStatuses:
  - {name: migrate, image: "migrate:1", imageID: "", ready: false, started: false, restartCount: 0,
     state: {terminated: {exitCode: 0, reason: Completed, message: "3 tables migrated"}}}
`

func TestATaskRunsOncePerChange(t *testing.T) {
	t.Parallel()
	s := newTaskStory(t)
	after := "v1/ConfigMap/" + s.space + "/after"
	var first batchv1.Job

	step(t, "a preview says that it will run, and runs nothing [T12]", func(t *testing.T) {
		s.declare(t, "kwok", "")
		assert.Contains(t, s.preview(t), "Job "+s.space+"/migrate will run: it is new.")
		assert.Empty(t, s.jobs(t))
	})
	step(t, "it runs when it is created, and what depends on it is made afterwards [T1]", func(t *testing.T) {
		s.up(t)
		first = s.job(t)
		assert.Regexp(t, `^migrate-[0-9a-f]{8}$`, first.Name)
		require.NotNil(t, first.Status.CompletionTime)
		assert.False(t, s.kube.get(t, after).GetCreationTimestamp().Time.Before(first.Status.CompletionTime.Time))
		outputs := s.export(t).get(t, "migrate").Outputs
		assert.Equal(t, true, outputs["succeeded"])
		assert.InDelta(t, 1, outputs["attempts"], 0)
		assert.NotEmpty(t, outputs["startedAt"])
		assert.NotEmpty(t, outputs["completedAt"])
		assert.NotContains(t, outputs, "resourceRef", "it is not kept")
		require.NotNil(t, first.Spec.TTLSecondsAfterFinished)
		assert.Equal(t, int32(600), *first.Spec.TTLSecondsAfterFinished, "it goes ten minutes later [T7]")
	})
	step(t, "a second up does nothing [T1]", func(t *testing.T) {
		s.previewEmpty(t)
		assert.Contains(t, s.up(t), "unchanged")
		assert.Equal(t, first.UID, s.job(t).UID)
	})
	step(t, "how long to wait is no reason to run", func(t *testing.T) {
		s.declare(t, "kwok", "timeout: 3m")
		assert.NotContains(t, s.preview(t), "will run")
		s.up(t)
		assert.Equal(t, first.UID, s.job(t).UID)
	})
	step(t, "a trigger runs it again, and the Job of before goes [T2]", func(t *testing.T) {
		s.declare(t, "kwok", "triggers: [1]")
		assert.Contains(t, s.preview(t), "Job "+s.space+"/migrate will run: what it runs has changed.")
		s.up(t)
		second := s.job(t, first.UID)
		assert.Len(t, s.jobs(t), 1)
		assert.NotEqual(t, first.Name, second.Name)
		s.previewEmpty(t)
		first = second
	})
	step(t, "a changed manifest runs it again, also to what it was before [T2]", func(t *testing.T) {
		s.declare(t, "kwok", "triggers: [1]", `"migrate:1"`, `"migrate:2"`)
		s.up(t)
		second := s.job(t, first.UID)
		assert.Equal(t, "migrate:2", second.Spec.Template.Spec.Containers[0].Image)
		s.declare(t, "kwok", "triggers: [1]")
		s.up(t)
		third := s.job(t, first.UID, second.UID)
		assert.Equal(t, "migrate:1", third.Spec.Template.Spec.Containers[0].Image)
		assert.Len(t, s.jobs(t), 1)
		first = third
	})
	step(t, "a replacement that the user asks for runs it again", func(t *testing.T) {
		s.up(t, "--replace", s.export(t).get(t, "migrate").URN)
		s.job(t, first.UID)
		assert.Len(t, s.jobs(t), 1)
	})
	step(t, "its Job goes with it", func(t *testing.T) {
		s.destroy(t)
		assert.Empty(t, s.jobs(t))
	})
}

func TestATaskThatFails(t *testing.T) {
	t.Parallel()
	s := newTaskStory(t)
	after := "v1/ConfigMap/" + s.space + "/after"
	var first batchv1.Job
	step(t, "so does the up, with what the container said, and what depends on it is not made [T3]", func(t *testing.T) {
		s.declare(t, "test", "")
		up := s.start(t, "up", "--yes", "--skip-preview")
		first = s.job(t)
		s.ends(t, first, failedPod)
		out := failed(t, up.wait(t)).out
		assert.Contains(t, out, "BackoffLimitExceeded")
		assert.Contains(t, out, `exited with code 3 (Error): relation "users" does not exist`)
		assert.Contains(t, out, "kubectl logs --namespace "+s.space)
		assert.Contains(t, out, "Then run the command again, which runs it again.")
		assert.Contains(t, out, "[WaitFailed]")
		s.kube.gone(t, after)
		outputs := s.export(t).get(t, "migrate").Outputs
		assert.Equal(t, false, outputs["succeeded"])
		assert.Equal(t, map[string]any{"migrate": 3.0}, outputs["exitCodes"])
		assert.Equal(t, map[string]any{"migrate": `relation "users" does not exist`}, outputs["messages"])
		assert.Equal(t, first.Name, at(outputs, "resourceRef", "name"), "its Job is kept [T7]")
	})
	step(t, "a preview says that it runs again, and a refresh forgets nothing [T3] [T12]", func(t *testing.T) {
		assert.Contains(t, s.preview(t), "will run: the last run has failed.")
		assert.Contains(t, s.refresh(t), "the next `pulumi up` runs it again")
		assert.Contains(t, s.preview(t), "will run: the last run has failed.")
	})
	step(t, "the next up runs it again, in a Job of its own [T3]", func(t *testing.T) {
		up := s.start(t, "up", "--yes", "--skip-preview")
		second := s.job(t, first.UID)
		s.ends(t, second, migratedPod)
		up.wait(t).succeeded(t)
		assert.NotEqual(t, first.Name, second.Name)
		assert.Len(t, s.jobs(t), 1)
		s.kube.get(t, after)
		outputs := s.export(t).get(t, "migrate").Outputs
		assert.Equal(t, true, outputs["succeeded"])
		assert.Equal(t, map[string]any{"migrate": "3 tables migrated"}, outputs["messages"])
		assert.Empty(t, s.export(t).get(t, "migrate").InitErrors)
		s.previewEmpty(t)
	})
}

func TestATaskThatDoesNotEndInTime(t *testing.T) {
	t.Parallel()
	s := newTaskStory(t)
	s.declare(t, "test", "timeout: 2s")
	var first batchv1.Job
	step(t, "fails the up, and goes on in the cluster [T8]", func(t *testing.T) {
		out := s.upFails(t)
		assert.Contains(t, out, "[WaitTimedOut]")
		assert.Contains(t, out, "the next command goes on waiting for it")
		first = s.job(t)
		assert.Contains(t, s.preview(t), "it was interrupted, and goes on with Job "+s.space+"/"+first.Name)
	})
	step(t, "the next up waits for the same Job [T8] [T4]", func(t *testing.T) {
		up := s.start(t, "up", "--yes", "--skip-preview")
		s.ends(t, first, migratedPod)
		up.wait(t).succeeded(t)
		assert.Equal(t, first.UID, s.job(t).UID)
		s.previewEmpty(t)
	})
	step(t, "one that is changed meanwhile is stopped before the next begins [T2] [T8]", func(t *testing.T) {
		s.declare(t, "test", "timeout: 2s", `"migrate:1"`, `"migrate:2"`)
		s.upFails(t)
		second := s.job(t, first.UID)
		s.declare(t, "kwok", "", `"migrate:1"`, `"migrate:3"`)
		assert.Contains(t, s.preview(t), "Job "+s.space+"/"+second.Name+" is stopped, and another run begins")
		s.up(t)
		jobs := s.jobs(t)
		require.Len(t, jobs, 1)
		assert.Equal(t, "migrate:3", jobs[0].Spec.Template.Spec.Containers[0].Image)
	})
}

func TestATaskIsNeverRunTwice(t *testing.T) {
	t.Parallel()
	for how, skip := range map[string]string{"": "false", ", without checkpoints": "true"} {
		t.Run("when the provider is killed"+how+" [T4]", func(t *testing.T) {
			t.Parallel()
			s := newTaskStory(t)
			s.env["PULUMI_SKIP_CHECKPOINTS"] = skip
			s.declare(t, "test", "")
			up := s.start(t, "up", "--yes", "--skip-preview")
			first := s.job(t)
			s.kill(t, up)
			up.wait(t)
			s.run(t, "cancel", "--yes")
			s.ends(t, first, migratedPod)
			s.up(t)
			assert.Equal(t, first.UID, s.job(t).UID)
			assert.Len(t, s.jobs(t), 1)
			s.previewEmpty(t)
		})
	}
	t.Run("when the reply to its creation is lost [T4]", func(t *testing.T) {
		t.Parallel()
		s := newTaskStory(t)
		proxy := newFaulty(t, s.cluster)
		s.connectAs(t, proxy.User)
		s.declare(t, "kwok", "")
		proxy.strike(isJobWrite, lose)
		out := s.upFails(t)
		assert.GreaterOrEqual(t, proxy.struck(), 1, out)
		first := s.job(t)
		proxy.heal()
		s.up(t)
		assert.Equal(t, first.UID, s.job(t).UID)
		assert.Len(t, s.jobs(t), 1)
		s.previewEmpty(t)
	})
	t.Run("when the user interrupts it [T4]", func(t *testing.T) {
		t.Parallel()
		s := newTaskStory(t)
		s.declare(t, "test", "")
		up := s.start(t, "up", "--yes", "--skip-preview")
		first := s.job(t)
		up.prints(t, "Waiting")
		up.signal(t, syscall.SIGINT)
		out := failed(t, up.wait(t)).out
		assert.Contains(t, out, "never starts a second one")
		s.ends(t, first, migratedPod)
		s.up(t)
		assert.Equal(t, first.UID, s.job(t).UID)
		s.previewEmpty(t)
	})
}

// TestATaskIsKilledAtEachOfItsWrites kills the CLI and the provider while the reply to one write is under way, and runs the same
// again.
func TestATaskIsKilledAtEachOfItsWrites(t *testing.T) { // [T4]
	t.Parallel()
	c := workloads.Get(t)
	// An account and the Job are made, the Job gets its time to live, and the account goes.
	for killed := range 4 {
		t.Run(fmt.Sprint("write ", killed), func(t *testing.T) {
			t.Parallel()
			s := newTaskStory(t)
			proxy := newFaulty(t, c)
			s.connectAs(t, proxy.User)
			s.declare(t, "kwok", "with: [{apiVersion: v1, kind: ServiceAccount, metadata: {name: migrate}}]")
			held, spoil := hold()
			var mu sync.Mutex
			seen := -1
			proxy.strike(func(r *http.Request) bool {
				if r.Method == http.MethodGet || !strings.Contains(r.URL.Path, "/namespaces/"+s.space+"/") {
					return false
				}
				mu.Lock()
				defer mu.Unlock()
				seen++
				return seen == killed
			}, spoil)
			up := s.start(t, "up", "--yes", "--skip-preview")
			select {
			case <-held:
			case <-time.After(time.Minute):
				t.Fatalf("the write did not come: %v", up.wait(t))
			}
			s.kill(t, up)
			up.wait(t)
			proxy.heal()
			s.run(t, "cancel", "--yes")
			before := s.jobs(t)
			s.up(t)
			after := s.jobs(t)
			require.Len(t, after, 1)
			if len(before) > 0 {
				assert.Equal(t, before[0].UID, after[0].UID)
			}
			s.kube.gone(t, "v1/ServiceAccount/"+s.space+"/migrate")
			s.previewEmpty(t)
		})
	}
}

func TestAJobThatGoesByItsTimeToLiveIsNoDrift(t *testing.T) { // [T5]
	t.Parallel()
	s := newTaskStory(t)
	s.declare(t, "kwok", "keep: always", "TTL", "ttlSecondsAfterFinished: 1")
	s.up(t)
	eventually(t, "the Job is gone", func() bool { return len(s.jobs(t)) == 0 })
	s.previewEmpty(t)
	assert.Contains(t, s.refresh(t), "unchanged")
	assert.Contains(t, s.up(t), "unchanged")
	assert.Empty(t, s.jobs(t))
}

func TestWhichJobsAreKept(t *testing.T) { // [T7]
	t.Parallel()
	for name, c := range map[string]struct {
		keep, status string
		stays        bool
	}{
		"always, and it succeeded": {"always", migratedPod, true},
		"always, and it failed":    {"always", failedPod, true},
		"failed, and it failed":    {"failed", failedPod, true},
		"never, and it failed":     {"never", failedPod, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTaskStory(t)
			s.declare(t, "test", "keep: "+c.keep)
			up := s.start(t, "up", "--yes", "--skip-preview")
			s.ends(t, s.job(t), c.status)
			up.wait(t)
			job := s.job(t)
			ref := s.export(t).get(t, "migrate").Outputs["resourceRef"]
			if c.stays {
				assert.Nil(t, job.Spec.TTLSecondsAfterFinished)
				assert.Equal(t, string(job.UID), at(ref, "uid"))
			} else {
				require.NotNil(t, job.Spec.TTLSecondsAfterFinished)
				assert.Nil(t, ref)
			}
		})
	}
}

func TestATaskThatRunsWhenItIsDeleted(t *testing.T) {
	t.Parallel()
	s := newTaskStory(t)
	step(t, "does nothing before [T6]", func(t *testing.T) {
		s.declare(t, "test", "runOn: [delete]")
		assert.NotContains(t, s.preview(t), "will run")
		s.up(t)
		assert.Empty(t, s.jobs(t))
		s.previewEmpty(t)
	})
	var first batchv1.Job
	step(t, "stays when its run fails, and says how to get out [T6]", func(t *testing.T) {
		destroy := s.start(t, "destroy", "--yes", "--skip-preview")
		first = s.job(t)
		s.ends(t, first, failedPod)
		out := failed(t, destroy.wait(t)).out
		assert.Contains(t, out, `relation "users" does not exist`)
		assert.Contains(t, out, "set forceDestroy")
		s.export(t).get(t, "migrate")
		assert.EqualValues(t, 24*60*60, *s.job(t).Spec.TTLSecondsAfterFinished, "nothing else removes it")
	})
	step(t, "is killed while it runs, and the next destroy waits for the same Job [T6] [T4]", func(t *testing.T) {
		destroy := s.start(t, "destroy", "--yes", "--skip-preview")
		second := s.job(t, first.UID)
		s.kill(t, destroy)
		destroy.wait(t)
		s.run(t, "cancel", "--yes")
		s.ends(t, second, migratedPod)
		s.destroy(t)
		assert.Equal(t, second.UID, s.job(t, first.UID).UID)
		assert.Empty(t, s.export(t).resources)
	})
	step(t, "runs again in its next life [T6]", func(t *testing.T) {
		before := s.job(t)
		s.up(t)
		destroy := s.start(t, "destroy", "--yes", "--skip-preview")
		s.ends(t, s.job(t, before.UID), migratedPod)
		destroy.wait(t).succeeded(t)
	})
	step(t, "runs in an up that removes it, and goes with forceDestroy although it fails [T6]", func(t *testing.T) {
		s.declare(t, "test", "runOn: [delete]\n      forceDestroy: true")
		s.up(t)
		var before []types.UID
		for _, job := range s.jobs(t) {
			before = append(before, job.UID)
		}
		s.program(t, "")
		up := s.start(t, "up", "--yes", "--skip-preview")
		s.ends(t, s.job(t, before...), failedPod)
		assert.Contains(t, up.wait(t).succeeded(t).out, "because of forceDestroy")
		assert.Empty(t, s.export(t).resources)
	})
}

func TestATaskThatMayDoLittle(t *testing.T) { // [T9]
	t.Parallel()
	s := newTaskStory(t)
	account, err := s.cluster.ServiceAccount(t.Context(), s.space, "runner", time.Hour)
	require.NoError(t, err)
	s.kube.create(t, "rbac.authorization.k8s.io/v1/Role/"+s.space+"/runner", fmt.Sprintf(`apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: runner, namespace: %s}
rules:
- {apiGroups: [batch], resources: [jobs], verbs: [get, create, patch, delete]}
- {apiGroups: [""], resources: [configmaps], verbs: [get, create, patch, delete]}
- {apiGroups: [""], resources: [pods], verbs: [list]}
`, s.space))
	s.kube.create(t, "rbac.authorization.k8s.io/v1/RoleBinding/"+s.space+"/runner", fmt.Sprintf(`apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: runner, namespace: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: runner}
subjects: [{kind: ServiceAccount, name: runner, namespace: %[1]s}]
`, s.space))
	account.Name = "runner"
	s.connectAs(t, account)
	s.declare(t, "test", "")
	up := s.start(t, "up", "--yes", "--skip-preview")
	first := s.job(t)
	s.ends(t, first, failedPod)
	assert.Contains(t, failed(t, up.wait(t)).out, "see why with `kubectl logs", "without its log, which may not be read")
	up = s.start(t, "up", "--yes", "--skip-preview")
	s.ends(t, s.job(t, first.UID), migratedPod)
	up.wait(t).succeeded(t)
	assert.Empty(t, s.export(t).get(t, "migrate").Outputs["log"])
}

func TestWhatATaskWritesIsSecretIfAnInputIs(t *testing.T) { // [T10]
	t.Parallel()
	s := newTaskStory(t)
	s.declare(t, "test", "", "ENV", ", env: [{name: PASSWORD, value: {fn::secret: hunter2-of-the-database}}]")
	up := s.start(t, "up", "--yes", "--skip-preview")
	s.ends(t, s.job(t), strings.ReplaceAll(failedPod, `relation "users" does not exist`, "denied for 2retnuh"))
	out := failed(t, up.wait(t)).out
	assert.NotContains(t, out, "hunter2")
	assert.NotContains(t, out, "2retnuh", "what a container makes of a secret is not shown either")
	assert.Contains(t, out, "exited with code 3")
	assert.Contains(t, out, "(its message is not shown, because inputs are secret)")
	text := s.exported(t)
	assert.NotContains(t, text, "2retnuh")
	assert.NotContains(t, text, "hunter2")
	assert.Contains(t, s.run(t, "stack", "export", "--show-secrets"), "2retnuh", "it is in the state, encrypted")
}

func TestATaskRunsAPodWithSeveralContainers(t *testing.T) { // [T11]
	t.Parallel()
	s := newTaskStory(t)
	s.program(t, `
resources:
  smoke:
    type: k8sconnect:Task
    properties:
      with:
      - {apiVersion: v1, kind: ServiceAccount, metadata: {name: smoke}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: smoke}, data: {url: "http://shop"}}
      manifest:
        apiVersion: v1
        kind: Pod
        metadata: {name: smoke, namespace: %s, labels: {kubelet: test, app: smoke}}
        spec:
          serviceAccountName: smoke
          restartPolicy: Never
          initContainers: [{name: prepare, image: "smoke:1"}]
          containers: [{name: first, image: "smoke:1"}, {name: second, image: "smoke:1"}]
`, s.space)
	ended := func(name string, code int) string {
		return fmt.Sprintf(`{name: %s, image: "smoke:1", imageID: "", ready: false, restartCount: 0, state: {terminated: {exitCode: %d, finishedAt: "2026-01-02T15:04:05Z"}}}`, name, code)
	}
	up := s.start(t, "up", "--yes", "--skip-preview")
	pod := s.kube.thePod(t, s.space, "app=smoke")
	s.kube.get(t, "v1/ServiceAccount/"+s.space+"/smoke")
	s.kube.get(t, "v1/ConfigMap/"+s.space+"/smoke")
	s.kube.status(t, pod, "status: {phase: Failed, initContainerStatuses: ["+ended("prepare", 0)+"], containerStatuses: ["+ended("first", 0)+", "+ended("second", 4)+"]}")
	out := failed(t, up.wait(t)).out
	assert.Contains(t, out, "container second: exited with code 4")
	outputs := s.export(t).get(t, "smoke").Outputs
	assert.Equal(t, map[string]any{"prepare": 0.0, "first": 0.0, "second": 4.0}, outputs["exitCodes"])
	assert.Equal(t, "2026-01-02T15:04:05Z", outputs["completedAt"])
	s.kube.gone(t, "v1/ServiceAccount/"+s.space+"/smoke")
	s.kube.gone(t, "v1/ConfigMap/"+s.space+"/smoke")

	up = s.start(t, "up", "--yes", "--skip-preview")
	eventually(t, "another pod", func() bool { return s.kube.find(t, pod) == nil })
	s.kube.status(t, s.kube.thePod(t, s.space, "app=smoke"), "status: {phase: Succeeded, containerStatuses: ["+ended("first", 0)+", "+ended("second", 0)+"]}")
	up.wait(t).succeeded(t)
	s.previewEmpty(t)
	s.kube.gone(t, "v1/ServiceAccount/"+s.space+"/smoke")
	s.destroy(t)
	eventually(t, "the pod goes with the Task", func() bool { return s.kube.find(t, pod) == nil })
}

// isJobWrite is a request that makes a Job.
func isJobWrite(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/jobs/")
}

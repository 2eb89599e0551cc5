package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// shortJob is a Job that the cluster deletes as soon as it has ended.
const shortJob = `apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: SPACE}
spec:
  ttlSecondsAfterFinished: 0
  backoffLimit: 0
  template:
    metadata: {labels: {kubelet: KUBELET}}
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "IMAGE"}]}
`

const (
	// aloneInProgram is the Job as a KubeObject, and more.
	aloneInProgram = `
resources:
  job:
    type: k8sconnect:KubeObject
    properties: {yaml: {fn::readFile: job.yaml}}
%s`
	waitForJob = `
  done:
    type: k8sconnect:Wait
    properties: {resourceRef: "${job.resourceRef}", waitFor: {ready: true, timeout: 1m}}
`
)

func TestAJobWithATimeToLiveRunsOnce(t *testing.T) { // [D66]
	t.Parallel()
	c := workloads.Get(t)
	const complete = "is complete, and the cluster has deleted it, as its ttlSecondsAfterFinished says"
	for name, program := range map[string]struct{ before, after string }{
		"as a KubeObject": {replaceAll(aloneInProgram, "%s", ""), replaceAll(aloneInProgram, "%s", waitForJob)},
		"in a set":        {"resources: {set: {type: k8sconnect:Manifests, properties: {files: [job.yaml]}}}", ""},
		"in a set that waits for all": {
			"resources: {set: {type: k8sconnect:Manifests, properties: {files: [job.yaml], wait: all}}}",
			"resources: {set: {type: k8sconnect:Manifests, properties: {files: [job.yaml], wait: all}, options: {customTimeouts: {create: 1m, update: 1m}}}}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, space := kubeOf(t, c), c.Namespace(t)
			s := newStackIn(t, k, c.KubeconfigFile())
			id := "batch/v1/Job/" + space + "/migrate"
			writes := func(image string) {
				s.file(t, "job.yaml", replaceAll(shortJob, "SPACE", space, "KUBELET", "kwok", "IMAGE", image))
			}
			writes("migrate:1")
			s.program(t, "%s", program.before)
			s.up(t)
			ran := func() { eventually(t, "the Job has gone", func() bool { return k.find(t, id) == nil }) }
			ran()

			assert.Contains(t, s.previewEmpty(t), complete, "its event tells")
			s.up(t)
			k.gone(t, id)
			s.refresh(t)
			s.previewEmpty(t)
			if program.after != "" {
				s.program(t, "%s", program.after)
				s.up(t) // a Wait has nothing to ask
				k.gone(t, id)
				s.previewEmpty(t)
			}

			writes("migrate:2")
			for _, out := range []string{s.preview(t), s.up(t)} {
				assert.NotContains(t, out, "deleted outside of Pulumi", "a set has Jobs like this in each version")
				assert.Contains(t, out, "migrate has ended, and the cluster has deleted it. The update makes it, and so runs it, again.")
			}
			ran()
			assert.NotContains(t, s.previewEmpty(t), "deleted outside of Pulumi")
			s.destroy(t)
			assert.Empty(t, s.export(t).all)
		})
	}
}

func TestAJobWithATimeToLiveDoesNotRunAgainUnderAnotherName(t *testing.T) { // [D66] [D94]
	t.Parallel()
	set := func(name, kind, more string) string {
		return "resources: {" + name + ": {type: k8sconnect:" + kind + more + "}}"
	}
	const renamed = ", options: {aliases: [{name: set}]}"
	for name, p := range map[string]struct{ before, after string }{
		"as a KubeObject": {
			replaceAll(aloneInProgram, "%s", ""), replaceAll(aloneInProgram, "  job:", "  other:", "%s", "    options: {aliases: [{name: job}]}\n"),
		},
		"in a set":   {set("set", "Manifests", ", properties: {files: [job.yaml]}"), set("other", "Manifests", ", properties: {files: [job.yaml]}"+renamed)},
		"in a chart": {set("set", "Chart", ", properties: {chart: ./web}"), set("other", "Chart", ", properties: {chart: ./web}"+renamed)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			job := replaceAll(shortJob, "SPACE", s.space, "KUBELET", "kwok", "IMAGE", "migrate:1")
			s.file(t, "job.yaml", job)
			s.chart(t, "1.0.0", map[string]string{"templates/job.yaml": job})
			s.program(t, "%s", p.before)
			s.up(t)
			id := "batch/v1/Job/" + s.space + "/migrate"
			eventually(t, "the Job has gone", func() bool { return s.kube.find(t, id) == nil })

			s.program(t, "%s", p.after)
			assert.Contains(t, s.preview(t), "It runs again when its manifest changes.")
			s.up(t)
			s.previewEmpty(t)
			pods, err := s.cluster.Client().CoreV1().Events(s.space).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=SuccessfulCreate"})
			require.NoError(t, err)
			assert.Len(t, pods.Items, 1, "it has run once")
		})
	}
}

func TestAJobWithATimeToLiveThatFailedRunsAgain(t *testing.T) { // [D66]
	t.Parallel()
	c := workloads.Get(t)
	const again = "migrate failed before the cluster deleted it, as its ttlSecondsAfterFinished says. It is made, and so run, again."
	fails := func(t *testing.T, manifest string) (k *kube, s *stack, id, space string) {
		k, space = kubeOf(t, c), c.Namespace(t)
		s, id = newStackIn(t, k, c.KubeconfigFile()), "batch/v1/Job/"+space+"/migrate"
		s.file(t, "job.yaml", replaceAll(manifest, "SPACE", space, "KUBELET", "test", "IMAGE", "migrate:1"))
		s.program(t, aloneInProgram, "")
		s.up(t)
		k.status(t, k.thePod(t, space, "job-name=migrate"), failedPod)
		return k, s, id, space
	}
	t.Run("as its events tell", func(t *testing.T) {
		t.Parallel()
		k, s, id, _ := fails(t, shortJob)
		eventually(t, "the Job has gone", func() bool { return k.find(t, id) == nil })
		assert.Contains(t, s.preview(t), again)
		s.up(t)
		k.get(t, id)
	})
	t.Run("as an update has seen", func(t *testing.T) {
		t.Parallel()
		k, s, id, space := fails(t, replaceAll(shortJob, "Finished: 0", "Finished: 600"))
		eventually(t, "the Job has failed", func() bool { return conditionOf(k.get(t, id).Object, "Failed") != nil })
		s.up(t)
		k.delete(t, id)
		require.NoError(t, c.Client().CoreV1().Events(space).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
		assert.Contains(t, s.up(t), again)
		k.get(t, id)
	})
}

func TestAJobWithATimeToLiveWhoseEndNobodySaw(t *testing.T) { // [D66]
	t.Parallel()
	c := shared.Get(t) // No pod gets a node, so nothing ends a Job, and nothing reports it.
	k := kubeOf(t, c)
	const unseen = "how it ended was not seen. It is not run again"
	made := func(t *testing.T, manifest string) (s *stack, id, space string) {
		space = c.Namespace(t)
		s = newStack(t)
		s.file(t, "job.yaml", replaceAll(manifest, "SPACE", space, "KUBELET", "none", "IMAGE", "migrate:1"))
		s.program(t, aloneInProgram, "")
		s.up(t)
		return s, "batch/v1/Job/" + space + "/migrate", space
	}

	t.Run("is not made again, with a warning, once", func(t *testing.T) {
		t.Parallel()
		s, id, _ := made(t, shortJob)
		k.delete(t, id)
		assert.Contains(t, s.previewEmpty(t), unseen)
		assert.Contains(t, s.up(t), unseen)
		k.gone(t, id)
		assert.NotContains(t, s.previewEmpty(t), unseen)
		s.up(t, "--replace", s.urn("job"))
		k.get(t, id)
		s.previewEmpty(t)
	})
	t.Run("is made again when its namespace is another one", func(t *testing.T) {
		t.Parallel()
		s, id, space := made(t, shortJob)
		k.delete(t, id)
		assert.Contains(t, s.up(t), unseen)
		// A namespace looks again only after half a grace period where a pod is left.
		pods := c.Client().CoreV1().Pods(space)
		require.NoError(t, pods.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
		eventually(t, "the pods that the Job left are gone", func() bool {
			left, err := pods.List(t.Context(), metav1.ListOptions{})
			return err == nil && len(left.Items) == 0
		})
		k.delete(t, "v1/Namespace/"+space)
		k.create(t, "v1/Namespace/"+space, "{apiVersion: v1, kind: Namespace, metadata: {name: "+space+"}}")
		s.up(t)
		k.get(t, id)
	})
	t.Run("and one without a time to live is made again, as anything else", func(t *testing.T) {
		t.Parallel()
		s, id, _ := made(t, replaceAll(shortJob, "  ttlSecondsAfterFinished: 0\n", ""))
		k.delete(t, id)
		assert.Contains(t, s.up(t), "deleted outside of Pulumi")
		k.get(t, id)
	})
}

func TestAWaitForAJobThatIsCompleteAndGone(t *testing.T) { // [D66] [W14]
	t.Parallel()
	c := workloads.Get(t)
	const program = `
resources:
  done:
    type: k8sconnect:Wait
    properties: {resourceRef: {apiVersion: batch/v1, kind: Job, namespace: "%s", name: migrate, uid: "%s"}, waitFor: {ready: true, timeout: 1m}}
`
	gone := func(t *testing.T, kubelet string) (s *stack, space, uid string) {
		k, space := kubeOf(t, c), c.Namespace(t)
		id := "batch/v1/Job/" + space + "/migrate"
		uid = string(k.create(t, id, replaceAll(shortJob, "SPACE", space, "KUBELET", kubelet, "IMAGE", "migrate:1")).GetUID())
		if kubelet == "test" {
			k.status(t, k.thePod(t, space, "job-name=migrate"), failedPod)
		}
		eventually(t, "the Job has gone", func() bool { return k.find(t, id) == nil })
		return newStackIn(t, k, c.KubeconfigFile()), space, uid
	}
	t.Run("before the Wait has seen it, succeeds: an event tells", func(t *testing.T) {
		t.Parallel()
		s, space, uid := gone(t, "kwok")
		s.program(t, program, space, uid)
		s.up(t)
		s.previewEmpty(t)
	})
	t.Run("fails, if the Job has failed", func(t *testing.T) {
		t.Parallel()
		s, space, uid := gone(t, "test")
		s.program(t, program, space, uid)
		assert.Contains(t, s.runFails(t, "up", "--yes", "--skip-preview"), "the object was deleted")
	})
}

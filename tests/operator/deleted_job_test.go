package operator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deleteJob deletes the Job of a run, as a person would.
func (e *environment) deleteJob(name string, propagation metav1.DeletionPropagation) {
	e.Helper()
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: name}}
	require.NoError(e, e.client.Delete(e.Context(), job, client.PropagationPolicy(propagation)))
}

// runningJobs are the Jobs in the namespace that have not ended.
func (s *surroundings) runningJobs() []string {
	s.Helper()
	var all batchv1.JobList
	require.NoError(s, s.client.List(s.Context(), &all, client.InNamespace(s.namespace)))
	var names []string
	for _, job := range all.Items {
		if job.Status.CompletionTime == nil && job.Status.Failed == 0 {
			names = append(names, job.Name)
		}
	}
	return names
}

func TestDeletedJob(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.shutGate()
	e := s.create("shop", fields{"config": fields{"text": "hello"}, "retry": fields{"limit": 3, "backoff": "1s"}})

	t.Run("[X33] a Job that is deleted in the middle is continued, and nothing is made twice", func(*testing.T) {
		e.atGate(1, "hello")
		before := s.uids()
		e.deleteJob("shop-1", metav1.DeletePropagationBackground)
		e.begun(2)
		s.openGate()
		done := e.ready()
		assert.EqualValues(s, 2, done.Serial)
		assert.Equal(s, before["one"], s.uids()["one"])
		assert.Len(s, s.uids(), 2)
	})
	t.Run("[X22] [X33] a live holder is never robbed: a run whose Job is gone is waited for", func(*testing.T) {
		s.shutGate()
		e.change(text("good evening"))
		pod := e.atGate(3, "good evening")
		e.deleteJob("shop-3", metav1.DeletePropagationOrphan)
		s.eventually(func() bool { return len(s.runningJobs()) == 0 }, "the Job is gone")
		holder := func() string {
			operation := e.status().CurrentOperation
			if operation == nil || operation.Holder == nil {
				return ""
			}
			return operation.Holder.Pod
		}
		// Longer than the holder of a Lease has to be gone until it is taken away.
		for until := time.Now().Add(17 * time.Second); time.Now().Before(until); time.Sleep(time.Second) {
			require.Equal(s, pod, holder(), "the holder is in the status")
			require.Empty(s, s.runningJobs(), "no other run begins")
		}
		var alive corev1.Pod
		require.NoError(s, s.client.Get(s.Context(), client.ObjectKey{Namespace: s.namespace, Name: pod}, &alive))
		assert.Equal(s, corev1.PodRunning, alive.Status.Phase)
		assert.Nil(s, alive.DeletionTimestamp)
		s.openGate()
		done := e.applied(3)
		assert.EqualValues(s, 3, done.Serial, "it said itself how it ended")
		assert.Equal(s, "good evening", s.text("two"))
	})
}

package task

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// isRun reports whether objects of a kind run to an end.
func isRun(kind schema.GroupKind) bool { return kind == kinds.Job || kind == kinds.Pod }

// ending is how and when a Job or a Pod ended.
type ending struct {
	succeeded bool
	// at is a time of the cluster's clock. It is never earlier than the creation of the object, whatever the clocks of the nodes
	// say.
	at time.Time
}

// endingOf says how a Job or a Pod ended. It is nil if the object has not ended, or is of another kind. An object that has ended
// and is being deleted counts as ended.
func endingOf(live *unstructured.Unstructured) *ending {
	e := &ending{at: live.GetCreationTimestamp().Time}
	switch live.GroupVersionKind().GroupKind() {
	case kinds.Job:
		end := readiness.JobEnding(live)
		if end.Type == "" {
			return nil
		}
		e.succeeded = end.Type == string(batchv1.JobComplete)
		e.notBefore(end.At)
	case kinds.Pod:
		var pod corev1.Pod
		if runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &pod) != nil {
			return nil
		}
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			return nil
		}
		e.succeeded = pod.Status.Phase == corev1.PodSucceeded
		for _, status := range pod.Status.ContainerStatuses {
			if status.State.Terminated != nil {
				e.notBefore(status.State.Terminated.FinishedAt.Time)
			}
		}
	default:
		return nil
	}
	return e
}

func (e *ending) notBefore(at time.Time) {
	if at.After(e.at) {
		e.at = at
	}
}

// now is the time by the cluster's clock, as far as it is known.
func now(clu *cluster.Cluster) time.Time {
	if now, known := clu.Now(); known {
		return now
	}
	return time.Now()
}

// forgetEarlierAttempt removes the objects that must not count for the runs of a deletion: objects of failed runs, and of an
// attempt that is over.
//
// The engine saves nothing about a deletion that fails or is killed, so the next deletion has the same runs under the same names.
// It does not repeat the runs that have succeeded. But the user may have continued to use the system for months after the failed
// deletion, and then a backup from before is no backup. So an attempt is over when none of its runs is still running and the last
// one ended more than ten minutes ago.
func forgetEarlierAttempt(ctx context.Context, runs []*run) error {
	left := make([]*unstructured.Unstructured, len(runs))
	over := true
	for i, r := range runs {
		live, err := r.find(ctx)
		if err != nil {
			return r.target.Explain("read", err, r.in.sensitive)
		}
		if left[i] = live; live == nil {
			continue
		}
		end := endingOf(live)
		over = over && end != nil && now(r.target.Cluster).Sub(end.at) > keptFor*time.Second
	}
	for i, r := range runs {
		if left[i] == nil {
			continue
		}
		if end := endingOf(left[i]); end == nil || end.succeeded && !over {
			continue
		}
		if err := remove(ctx, r.target.Cluster, r.target.Ref, left[i].GetUID()); err != nil {
			return r.target.Explain("delete", err, r.in.sensitive)
		}
	}
	return nil
}

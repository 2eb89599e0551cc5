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
	// at is by the cluster's clock. It is not before the object was made, whatever the clocks of nodes say.
	at time.Time
}

// endingOf says how a Job or a Pod ended; nil means that it has not, or that it is something else. One that is being deleted has
// still ended.
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

// forgetEarlierAttempt removes what must not count for the runs of a deletion: those that have failed, and those of an attempt
// that is over.
//
// The engine saves nothing of a deletion that fails or is killed, so that the next one has the same runs under the same names.
// What has succeeded is not repeated then. But the user may also have gone on to use what was to be deleted, for months, and a
// backup from before that is none. So an attempt is over when nothing of it runs and its last run ended ten minutes ago.
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

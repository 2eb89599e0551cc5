package waitfor

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// CompleteJob is all that is known of a Job that was complete when the cluster deleted it.
func CompleteJob(id manifest.Identity, uid types.UID) *unstructured.Unstructured {
	job := &unstructured.Unstructured{Object: map[string]any{
		"status": map[string]any{"conditions": []any{map[string]any{"type": string(batchv1.JobComplete), "status": "True"}}},
	}}
	job.SetAPIVersion(id.APIVersion)
	job.SetKind(id.Kind)
	job.SetNamespace(id.Namespace)
	job.SetName(id.Name)
	job.SetUID(uid)
	return job
}

// eventDelay is how long the event of a Job that is gone may take to appear: its controller reports it in the background.
const eventDelay = 2 * time.Second

// completedUnseen returns the Job if the wait failed only because the cluster deleted it before the wait saw that it was
// complete, as it may happen with a short ttlSecondsAfterFinished. An event tells. Otherwise it returns nil. A Task does
// not ask: it keeps its Job until the result is saved.
func (r Request) completedUnseen(ctx context.Context, e *readiness.NotReadyError) *unstructured.Unstructured {
	uid := r.UID
	if uid == "" && e.Last != nil {
		uid = e.Last.GetUID()
	}
	job := CompleteJob(r.Object, uid)
	if r.IsRun || uid == "" || r.Object.GroupKind() != kinds.Job || !r.vanished(e) || !r.Spec.Goal.Judge(job).Holds {
		return nil
	}
	ending := ""
	_ = wait.PollUntilContextTimeout(ctx, eventDelay/10, eventDelay, true, func(ctx context.Context) (bool, error) {
		ending = diagnosis.JobEnding(ctx, r.Cluster, r.Object.Namespace, uid)
		return ending != "", nil
	})
	if ending != string(batchv1.JobComplete) {
		return nil
	}
	return job
}

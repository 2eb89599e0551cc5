package wait

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// outlived reports whether the Wait is for a Job that did what was waited for and is gone: the cluster deletes a Job that sets
// ttlSecondsAfterFinished. If a new Job takes its place, the reference has another UID.
func (s state) outlived(in inputs, live *unstructured.Unstructured) bool {
	return live == nil && !s.pending && !s.gaveUp && in.isForOneJob() && in.object.UID == s.uid
}

// heldAtTheEnd reports whether the goal held for a Job when it was complete, before the cluster deleted it.
func (in inputs) heldAtTheEnd(ended *tracked.EndedJobs) bool {
	return in.isForOneJob() && ended.Has(in.object.UID) && in.holdsWhenComplete()
}

// eventDelay is how long the event of a Job that is gone may take to appear: its controller reports it in the background.
const eventDelay = 2 * time.Second

// completedUnseen reports whether a wait failed only because the cluster deleted a Job before the wait saw that it was
// complete, as it may happen with a short ttlSecondsAfterFinished. An event tells.
func (in inputs) completedUnseen(ctx context.Context, clu *cluster.Cluster, failed *waitfor.Error) bool {
	if !failed.Vanished || !in.isForOneJob() || !in.holdsWhenComplete() {
		return false
	}
	ending := ""
	_ = wait.PollUntilContextTimeout(ctx, eventDelay/10, eventDelay, true, func(ctx context.Context) (bool, error) {
		ending = diagnosis.JobEnding(ctx, clu, in.object.Namespace, types.UID(in.object.UID))
		return ending != "", nil
	})
	return ending == string(batchv1.JobComplete)
}

func (in inputs) isForOneJob() bool { return in.object.GroupKind() == kinds.Job && in.object.UID != "" }

// holdsWhenComplete reports whether a Job that is complete has reached the goal, whatever else is in its status.
func (in inputs) holdsWhenComplete() bool {
	complete := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": in.object.APIVersion, "kind": in.object.Kind,
		"status": map[string]any{"conditions": []any{map[string]any{"type": string(batchv1.JobComplete), "status": "True"}}},
	}}
	return in.spec.Goal.Judge(complete).Holds
}

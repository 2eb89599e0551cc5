package wait

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// outlived reports whether the Wait is for a Job that did what was waited for and is gone: the cluster deletes a Job that sets
// ttlSecondsAfterFinished. If a new Job takes its place, the reference has another UID.
func (s state) outlived(in inputs, live *unstructured.Unstructured) bool {
	return live == nil && !s.pending && !s.gaveUp && in.object.GroupKind() == kinds.Job && in.object.UID != "" && in.object.UID == s.uid
}

// heldAtTheEnd reports whether the goal held for a Job when it was complete, before the cluster deleted it.
func (in inputs) heldAtTheEnd(ended *tracked.EndedJobs) bool {
	return in.object.GroupKind() == kinds.Job && ended.Has(in.object.UID) &&
		in.spec.Goal.Judge(waitfor.CompleteJob(in.object.Identity, types.UID(in.object.UID))).Holds
}

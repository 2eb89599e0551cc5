package wait

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// outlived reports whether the Wait is for a Job that did what was waited for and is gone: the cluster deletes a Job that sets
// ttlSecondsAfterFinished. If a new Job takes its place, the reference has another UID.
func (s state) outlived(in inputs, live *unstructured.Unstructured) bool {
	return live == nil && !s.pending && !s.gaveUp && in.object.GroupKind() == kinds.Job && in.object.UID != "" && in.object.UID == s.uid
}

// heldAtTheEnd reports whether the goal held for a Job when it was complete, before the cluster deleted it.
func (in inputs) heldAtTheEnd(ended *tracked.EndedJobs) bool {
	if in.object.GroupKind() != kinds.Job || !ended.Has(in.object.UID) {
		return false
	}
	complete := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": in.object.APIVersion, "kind": in.object.Kind,
		"status": map[string]any{"conditions": []any{map[string]any{"type": string(batchv1.JobComplete), "status": "True"}}},
	}}
	return in.spec.Goal.Judge(complete).Holds
}

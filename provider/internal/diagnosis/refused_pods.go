package diagnosis

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// maxReplicaSets is the number of ReplicaSets of a Deployment whose events are read, maxOwned the number of ReplicaSets
// that are listed.
const maxReplicaSets, maxOwned = 2, 50

// NewestRefusal is the last event that says why an object cannot create its pods. For a Deployment, such events are
// reported on its ReplicaSets.
func NewestRefusal(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured) (Event, bool) {
	var newest Event
	for _, uid := range append(newestReplicaSets(ctx, clu, object), object.GetUID()) {
		for _, event := range eventsOf(ctx, clu, object.GetNamespace(), uid) {
			event.Subject = ""
			if event.RefusesPods() && !event.At.Before(newest.At) {
				newest = event
			}
		}
	}
	newest.Message = withoutPrefix(newest.Message)
	return newest, newest.Reason != ""
}

// newestReplicaSets are the ReplicaSets that a Deployment has made last.
func newestReplicaSets(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured) []types.UID {
	selector := selectorOf(object)
	if object.GroupVersionKind().GroupKind() != kinds.Deployment || selector == nil {
		return nil
	}
	list, err := clu.List(ctx, cluster.ListOptions{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: object.GetNamespace(), LabelSelector: selector.String(), Limit: maxOwned,
	})
	if err != nil {
		return nil
	}
	owned := slices.DeleteFunc(list.Items, func(item unstructured.Unstructured) bool {
		for _, owner := range item.GetOwnerReferences() {
			if owner.UID == object.GetUID() {
				return false
			}
		}
		return true
	})
	slices.SortStableFunc(owned, func(a, b unstructured.Unstructured) int {
		return b.GetCreationTimestamp().Compare(a.GetCreationTimestamp().Time)
	})
	var uids []types.UID
	for _, replicaSet := range owned[:min(len(owned), maxReplicaSets)] {
		uids = append(uids, replicaSet.GetUID())
	}
	return uids
}

// withoutPrefix removes what the event recorder and the controllers put before the message of the component that
// refuses a pod. The conditions of the controllers have no such prefix.
func withoutPrefix(message string) string {
	return strings.TrimPrefix(strings.TrimPrefix(message, "(combined from similar events): "), "Error creating: ")
}

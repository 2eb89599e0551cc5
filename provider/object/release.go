package object

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// release gives up fields of the live object and leaves their values as they are,
// so that the next apply, which does not send them, does not delete them.
func (t target) release(ctx context.Context, fields *fieldpath.Set, uid types.UID) error {
	return t.cluster.Edit(ctx, t.ref, uid, t.manager, func(live *unstructured.Unstructured) ([]byte, error) {
		return ownership.Release(live, t.manager, fields)
	})
}

// releaseIgnored gives up what is ignored of all that we own on the live object,
// where the state does not know what that is.
func (t target) releaseIgnored(ctx context.Context, in inputs, uid types.UID) error {
	return t.cluster.Edit(ctx, t.ref, uid, t.manager, func(live *unstructured.Unstructured) ([]byte, error) {
		owned, _, err := ownership.Applied(live, t.manager)
		if err != nil || owned == nil {
			return nil, err
		}
		_, ignored := in.ignore.Split(owned)
		return ownership.Release(live, t.manager, ignored)
	})
}

// unreleased are the fields that are ignored now and that we have applied.
func (in inputs) unreleased(old state) *fieldpath.Set {
	owned := fieldpath.NewSet()
	for _, fields := range []*fieldpath.Set{old.fields, old.ignored} {
		if fields != nil {
			owned = owned.Union(fields)
		}
	}
	_, ignored := in.ignore.Split(owned)
	return ignored
}

// migrate makes the fields of client-side appliers ours, as kubectl does when it
// changes to server-side apply. Those appliers are known by the annotation in
// which they keep what they applied.
func (t target) migrate(ctx context.Context, live *unstructured.Unstructured) error {
	return t.cluster.Edit(ctx, t.ref, live.GetUID(), t.manager, func(live *unstructured.Unstructured) ([]byte, error) {
		appliers := sets.New[string]()
		for _, entry := range csaupgrade.FindFieldsOwners(live.GetManagedFields(), "Update",
			fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", lastApplied))) {
			appliers.Insert(entry.Manager)
		}
		if appliers.Len() == 0 {
			return nil, nil
		}
		return csaupgrade.UpgradeManagedFieldsPatch(live, appliers, t.manager)
	})
}

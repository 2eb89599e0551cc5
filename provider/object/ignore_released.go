package object

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// releaseIgnored releases the ignored fields among all that we own on the live object, if the state does not know
// which they are.
func (t target) releaseIgnored(ctx context.Context, in inputs, uid types.UID) error {
	return t.edit(ctx, in, uid, func(live *unstructured.Unstructured) ([]byte, error) {
		owned, _, err := ownership.Applied(live, t.Manager)
		if err != nil || owned == nil {
			return nil, err
		}
		_, ignored := in.ignore.Split(owned)
		return ownership.Release(live, t.Manager, ignored)
	})
}

// unreleased returns the fields that are now ignored and that we have applied.
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

// topsOf lists the fields of a set that are not inside another field of it.
func topsOf(fields *fieldpath.Set) []fieldpath.Path {
	var tops []fieldpath.Path
	// A set lists a field before the fields inside it.
	fields.Iterate(func(path fieldpath.Path) {
		if !slices.ContainsFunc(tops, func(top fieldpath.Path) bool { return len(top) <= len(path) && top.Equals(path[:len(top)]) }) {
			tops = append(tops, path.Copy())
		}
	})
	return tops
}

// newlyIgnored returns fields that were compared until now and are ignored from now on.
func (in inputs) newlyIgnored(old state) *fieldpath.Set {
	if old.fields == nil {
		return fieldpath.NewSet()
	}
	_, ignored := in.ignore.Split(old.fields)
	return ignored
}

// unignored returns fields of ours that were ignored until now and no longer are.
func (in inputs) unignored(old state) *fieldpath.Set {
	if old.ignored == nil {
		return fieldpath.NewSet()
	}
	unignored, _ := in.ignore.Split(old.ignored)
	return unignored
}

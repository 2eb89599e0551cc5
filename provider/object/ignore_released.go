package object

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// releaseIgnored releases the ignored fields among everything that we own on the live object, if the state does not
// know which those are.
func (w *write) releaseIgnored(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	owned, _, err := ownership.Applied(live, w.Manager)
	if err != nil || owned == nil {
		return live, err
	}
	_, ignored := w.in.ignore.Split(owned)
	return ownership.Release(w.Manager, ignored)(live)
}

// assumesReleased reports whether a preview that sent ignored fields with the manifest's values was refused. The update
// does not send them.
func (w *write) assumesReleased(err error) bool {
	return err != nil && w.releasing != nil && !w.releasing.Empty() && !tracked.IsRefusal(err) && !isOtherObject(err)
}

// sendAsReleased tries a refused preview again, with the ignored fields as they are on the object.
func (w *write) sendAsReleased(ctx context.Context, refused error) (*unstructured.Unstructured, error) {
	live, err := w.Cluster.Get(ctx, w.Ref)
	if err != nil || live.GetUID() != w.uid {
		return nil, refused
	}
	if err := w.see(live); err != nil {
		return nil, err
	}
	return w.sendShielded(ctx, w.body(live))
}

// bodyOfPreview returns what a preview sends. A dry-run cannot release the ignored fields first, and must not look as if it
// deleted them. So it sends them with their live values, or with the manifest's values if the live object was not read.
func (w *write) bodyOfPreview(live *unstructured.Unstructured) map[string]any {
	tops := topsOf(w.releasing)
	if live == nil {
		return ownership.With(w.in.sent(), w.in.applied, tops)
	}
	return ownership.With(w.in.sent(), live.Object, tops)
}

// unreleased returns the fields that are now ignored and that we have applied.
func (in inputs) unreleased(old state) *fieldpath.Set {
	owned := fieldpath.NewSet()
	for _, fields := range []*fieldpath.Set{old.fields, old.ignored} {
		if fields != nil {
			owned = owned.Union(fields)
		}
	}
	_, ignored := in.named.Split(owned)
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
	_, ignored := in.named.Split(old.fields)
	return ignored
}

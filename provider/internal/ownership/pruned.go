package ownership

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// PrunedByApply returns the leaves that manager alone has applied on object and that next lacks: its apply of next
// removes them from the object.
func PrunedByApply(object *unstructured.Unstructured, manager string, next *fieldpath.Set) (*fieldpath.Set, error) {
	applied, kept := fieldpath.NewSet(), fieldpath.NewSet()
	if next != nil {
		kept = kept.Union(next)
	}
	for _, entry := range object.GetManagedFields() {
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		if isApplied(entry, manager) {
			applied = fields
		} else {
			kept = kept.Union(fields)
		}
	}
	abandoned := fieldpath.NewSet()
	Leaves(applied.Difference(kept)).Iterate(func(path fieldpath.Path) {
		// A map or list that others partly keep stays, and so does everything inside something that they keep as a
		// whole.
		if !touches(kept, path) {
			abandoned.Insert(path.Copy())
		}
	})
	return abandoned, nil
}

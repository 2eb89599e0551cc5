package ownership

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Unrecorded returns the leaves that manager has applied to object besides those in known: the additions of an apply
// with a lost state. It excludes the leaf of a map or list that was applied empty and that others have filled since;
// that is not such an addition.
func Unrecorded(object *unstructured.Unstructured, manager string, known *fieldpath.Set) (*fieldpath.Set, error) {
	unrecorded, parts := fieldpath.NewSet(), []*fieldpath.Set{known}
	var applied *fieldpath.Set
	for _, entry := range object.GetManagedFields() {
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		parts = append(parts, fields)
		if isApplied(entry, manager) {
			applied = fields
		}
	}
	if applied == nil {
		return unrecorded, nil
	}
	applied.Difference(known).Leaves().Iterate(func(path fieldpath.Path) {
		if _, leaf := find(known, path); leaf {
			return
		}
		for _, fields := range parts {
			if hasPart(fields, path) {
				return
			}
		}
		if _, _, ok := Locate(object.Object, path); ok {
			unrecorded.Insert(path.Copy())
		}
	})
	return unrecorded, nil
}

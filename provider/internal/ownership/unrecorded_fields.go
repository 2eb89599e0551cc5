package ownership

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Unrecorded returns the leaves that manager has applied to object beside those in known: what an apply has added whose
// state was lost. Whoever applied an empty map or list owns a leaf, too, in which others have put something by now; that
// is not what was added.
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

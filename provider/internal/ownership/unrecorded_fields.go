package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Entries selects entries of managedFields.
type Entries func(entry metav1.ManagedFieldsEntry) bool

// AppliedBy selects what managers have set by apply.
func AppliedBy(managers ...string) Entries {
	return func(entry metav1.ManagedFieldsEntry) bool {
		return slices.ContainsFunc(managers, func(manager string) bool { return isApplied(entry, manager) })
	}
}

// WrittenBy selects what managers have set in any way, without subresources.
func WrittenBy(managers ...string) Entries {
	return func(entry metav1.ManagedFieldsEntry) bool {
		return slices.Contains(managers, entry.Manager) && entry.Subresource == ""
	}
}

// Owned returns the fields of the selected entries.
func (e Entries) Owned(object *unstructured.Unstructured) (*fieldpath.Set, error) {
	owned := fieldpath.NewSet()
	for _, entry := range object.GetManagedFields() {
		if !e(entry) {
			continue
		}
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		owned = owned.Union(fields)
	}
	return owned, nil
}

// Unrecorded returns the leaves that entries of ours have on object beyond known: a run whose state was lost has
// written them. It excludes the leaf of a map or list that was applied empty and that others have filled since, because
// that is not an addition.
func Unrecorded(object *unstructured.Unstructured, ours Entries, known *fieldpath.Set) (*fieldpath.Set, error) {
	unrecorded := fieldpath.NewSet()
	owned, err := ours.Owned(object)
	if err != nil || owned.Empty() {
		return unrecorded, err
	}
	parts := []*fieldpath.Set{known}
	for _, entry := range object.GetManagedFields() {
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		parts = append(parts, fields)
	}
	owned.Difference(known).Leaves().Iterate(func(path fieldpath.Path) {
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

// UpToSet cuts a path before an item of a set: such an item is its own name.
func UpToSet(path fieldpath.Path) fieldpath.Path {
	if n := slices.IndexFunc(path, func(element fieldpath.PathElement) bool { return element.Value != nil }); n >= 0 {
		return path[:n]
	}
	return path
}

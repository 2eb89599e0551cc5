package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Claim makes fields the manager's if no one else owns any part of them. The manager's next apply, which does not send
// them, then removes them. Claim changes nothing if the manager already owns the fields, or if another manager now owns
// one of them.
func Claim(manager string, paths []fieldpath.Path) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		raw, entries, err := writtenEntries(object)
		if err != nil {
			return nil, err
		}
		claimed := fieldpath.NewSet(paths...)
		table := entryTable{byIdentity: map[entryIdentity]int{}}
		for i, entry := range entries {
			fields, err := entryFields(entry)
			if err != nil {
				return nil, err
			}
			if isApplied(entry, manager) {
				if claimed.Difference(fields).Empty() {
					return object, nil
				}
			} else if entry.Manager != releasedManager && slices.ContainsFunc(paths, func(path fieldpath.Path) bool { return touches(fields, path) }) {
				return object, nil
			}
			text, _ := raw[i].(map[string]any) // a copy of the object's entry
			table.add(text, fields)
		}
		table.add(appliedEntry(manager, object.GetAPIVersion()), claimed)
		left, err := table.encode()
		if err != nil {
			return nil, err
		}
		return withEntries(object, left), nil
	}
}

// AsApplied returns a copy of object on which manager owns exactly fields, by apply, like the answer to an apply.
func AsApplied(object *unstructured.Unstructured, manager string, fields *fieldpath.Set) (*unstructured.Unstructured, error) {
	text, err := Encode(fields)
	if err != nil {
		return nil, err
	}
	var entries []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if !isApplied(entry, manager) {
			entries = append(entries, entry)
		}
	}
	result := object.DeepCopy()
	result.SetManagedFields(append(entries, metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: object.GetAPIVersion(),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(text),
	}))
	return result, nil
}

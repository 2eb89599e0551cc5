package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Claim returns the JSON patch that makes fields ours if nobody else owns any part of them, so that the next apply,
// which does not send them, removes them. It returns nil if they are ours already, or if another manager now owns one
// of them. As with [Release], the object's resourceVersion guards the patch.
func Claim(object *unstructured.Unstructured, manager string, paths []fieldpath.Path) ([]byte, error) {
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
				return nil, nil
			}
		} else if entry.Manager != releasedManager && slices.ContainsFunc(paths, func(path fieldpath.Path) bool { return touches(fields, path) }) {
			return nil, nil
		}
		text, _ := raw[i].(map[string]any) // a copy of the object's entry
		table.add(text, fields)
	}
	table.add(appliedEntry(manager, object.GetAPIVersion()), claimed)
	left, err := table.encode()
	if err != nil {
		return nil, err
	}
	return guarded(object, patchOperation{"add", "/metadata/managedFields", left})
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

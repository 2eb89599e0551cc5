package ownership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Claim returns the JSON patch that makes fields ours of which nobody else owns anything,
// so that the next apply, which does not send them, takes them away. It returns nil if
// manager has not applied the object, or if any manager owns one of them by now. As with
// [Release], the patch is guarded by the object's resourceVersion.
func Claim(object *unstructured.Unstructured, manager string, paths []fieldpath.Path) ([]byte, error) {
	claimed := fieldpath.NewSet()
	for _, path := range paths {
		claimed.Insert(path)
	}
	for _, entry := range object.GetManagedFields() {
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if !isApplied(entry, manager) && entry.Manager != releasedManager && touches(fields, path) {
				return nil, nil
			}
		}
	}
	return edit(object, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		if !isApplied(entry, manager) {
			return owned
		}
		return owned.Union(claimed)
	})
}

// AsApplied returns a copy of object on which manager owns fields, and no others, by
// applying them: what an answer to an apply looks like.
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

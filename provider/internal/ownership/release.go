package ownership

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// patchOperation is one operation of a JSON patch.
type patchOperation struct {
	Operation string `json:"op"`
	Path      string `json:"path"`
	Value     any    `json:"value,omitempty"`
}

// Release returns the JSON patch that takes fields out of what manager owns on
// object and leaves their values as they are. It returns nil if manager owns none
// of them.
//
// Applying less is no way to release: the API server then deletes the fields that
// nobody else owns. So the entry in managedFields is edited, guarded by the
// object's resourceVersion; a conflict means that it has to be read again.
func Release(object *unstructured.Unstructured, manager string, fields *fieldpath.Set) ([]byte, error) {
	entries := object.GetManagedFields()
	for i, entry := range entries {
		if !isApplied(entry, manager) {
			continue
		}
		owned, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		kept := owned.Difference(fields)
		if kept.Equals(owned) {
			return nil, nil
		}
		return releasePatch(object.GetResourceVersion(), i, len(entries), kept)
	}
	return nil, nil
}

func releasePatch(resourceVersion string, entry, entries int, kept *fieldpath.Set) ([]byte, error) {
	operation := patchOperation{Operation: "remove", Path: fmt.Sprintf("/metadata/managedFields/%d", entry)}
	// Without any entry the API server forgets all ownership, and the next apply of
	// anybody conflicts with "before-first-apply". An entry that owns nothing does not.
	if !kept.Empty() || entries == 1 {
		text, err := Encode(kept)
		if err != nil {
			return nil, err
		}
		operation = patchOperation{"replace", operation.Path + "/fieldsV1", json.RawMessage(text)}
	}
	return encodePatch(operation, patchOperation{"replace", "/metadata/resourceVersion", resourceVersion})
}

// WithoutFinalizers returns the JSON patch that removes all finalizers of object,
// guarded by its resourceVersion, or nil if it has none. They are a set list, but
// the API server does not let an apply remove another manager's.
func WithoutFinalizers(object *unstructured.Unstructured) ([]byte, error) {
	if len(object.GetFinalizers()) == 0 {
		return nil, nil
	}
	return encodePatch(
		patchOperation{Operation: "remove", Path: "/metadata/finalizers"},
		patchOperation{"replace", "/metadata/resourceVersion", object.GetResourceVersion()},
	)
}

func encodePatch(operations ...patchOperation) ([]byte, error) {
	patch, err := json.Marshal(operations)
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return patch, nil
}

package ownership

import (
	"encoding/json"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// An Edit changes who owns which field of an object, and no value. It returns the resulting object: the same object if
// nothing changes, otherwise a copy. It needs no cluster.
//
// Applying cannot change ownership: the API server deletes what an apply leaves out if no one else owns it. So an edit
// rewrites metadata.managedFields, by the patch that [Edit.Patch] makes.
type Edit func(object *unstructured.Unstructured) (*unstructured.Unstructured, error)

// InOrder returns the edit that carries out edits one after the other. It skips nil edits.
func InOrder(edits ...Edit) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		for _, edit := range edits {
			if edit == nil {
				continue
			}
			var err error
			if object, err = edit(object); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
}

// Patch returns the JSON patch that carries out the edit on object, or nil if the edit changes nothing. The API server
// refuses the patch with 409 if object has changed since it was read; then read it again.
//
// The patch writes the list of entries as a whole. It is valid regardless of how the object has changed: a position
// beyond the end of a shortened list would be a 422, and only the stale resourceVersion in the patch may decide.
func (e Edit) Patch(object *unstructured.Unstructured) ([]byte, error) {
	edited, err := e(object)
	if err != nil || edited == object {
		return nil, err
	}
	entries, _, err := unstructured.NestedFieldNoCopy(edited.Object, "metadata", "managedFields")
	if err != nil {
		return nil, fmt.Errorf("managed fields: %w", err)
	}
	return guarded(object, patchOperation{"add", "/metadata/managedFields", entries})
}

// withEntries returns a copy of object with these entries as its managedFields. It shares everything else.
func withEntries(object *unstructured.Unstructured, entries []any) *unstructured.Unstructured {
	before, _ := object.Object["metadata"].(map[string]any)
	metadata, edited := map[string]any{}, map[string]any{}
	maps.Copy(metadata, before)
	maps.Copy(edited, object.Object)
	metadata["managedFields"], edited["metadata"] = entries, metadata
	return &unstructured.Unstructured{Object: edited}
}

// setFields writes a set as the fields of an entry.
func setFields(entry map[string]any, fields *fieldpath.Set) error {
	text, err := fields.ToJSON()
	if err != nil {
		return fmt.Errorf("field set: %w", err)
	}
	var written map[string]any
	if err := json.Unmarshal(text, &written); err != nil {
		return fmt.Errorf("field set: %w", err)
	}
	entry["fieldsV1"] = written
	return nil
}

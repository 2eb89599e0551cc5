package ownership

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// patchOperation is one operation of a JSON patch.
type patchOperation struct {
	Operation string `json:"op"`
	Path      string `json:"path"`
	Value     any    `json:"value,omitempty"`
}

// releasedManager stands in managedFields where nobody else does. See [edit].
const releasedManager = "released-by-k8sconnect"

// Kept says what a manager goes on owning after [ReleaseExcept], by operation. nil is nothing.
type Kept struct{ Applied, Updated *fieldpath.Set }

// Release returns the JSON patch that takes fields out of what manager applied on
// object and leaves their values as they are. It returns nil if manager owns none
// of them.
//
// Applying less is no way to release: the API server then deletes the fields that
// nobody else owns. So the entry in managedFields is edited, guarded by the
// object's resourceVersion; a conflict means that it has to be read again.
func Release(object *unstructured.Unstructured, manager string, fields *fieldpath.Set) ([]byte, error) {
	return edit(object, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		if !isApplied(entry, manager) {
			return owned
		}
		return owned.Difference(fields)
	})
}

// ReleaseExcept returns the JSON patch after which manager owns nothing on object but what
// is kept, whether by apply or by update and in whatever apiVersion. Values stay as they
// are. It returns nil if that is so already.
//
// A field is kept if keep has it, or has a leaf above it, or names a part of a value
// that is owned as a whole. As with [Release], the patch
// is guarded by the object's resourceVersion.
func ReleaseExcept(object *unstructured.Unstructured, manager string, keep Kept) ([]byte, error) {
	return edit(object, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		switch {
		case entry.Manager != manager || entry.Subresource != "":
			return owned
		case entry.Operation == metav1.ManagedFieldsOperationApply:
			return within(owned, keep.Applied)
		default:
			return within(owned, keep.Updated)
		}
	})
}

// within returns the fields of owned that kept has, or has a leaf above, and the leaves
// that kept has a part of: a plain list is owned as a whole, and an operation of a JSON
// patch names one item of it.
func within(owned, kept *fieldpath.Set) *fieldpath.Set {
	result := fieldpath.NewSet()
	if kept == nil {
		return result
	}
	owned.Iterate(func(path fieldpath.Path) {
		has, leaf := find(kept, path)
		if has || leaf || hasPart(kept, path) && !hasPart(owned, path) {
			result.Insert(path.Copy())
		}
	})
	return result
}

func hasPart(set *fieldpath.Set, path fieldpath.Path) bool {
	parts := at(set, path)
	return parts != nil && !parts.Empty()
}

// edit returns the JSON patch that leaves to every entry in managedFields what keep
// says, and removes entries that own nothing then. It returns nil if all stay.
//
// The list is written as a whole, which fits whatever the object has become meanwhile:
// positions in a list that is shorter by now are a 422, and only the stale
// resourceVersion in it may decide, which is a 409.
//
// The API server drops an entry that owns nothing, and an object without entries counts
// as never applied: all its fields become those of "before-first-apply", with which the
// next apply of anybody conflicts. So where nobody else is left, an entry stands in that
// owns the object's name: it is kept, and no apply can conflict with it. (The object's
// metadata as a whole would do as well, but looks like owning every label.)
func edit(
	object *unstructured.Unstructured, keep func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set,
) ([]byte, error) {
	left, changed, err := editedEntries(object, keep)
	if err != nil || !changed {
		return nil, err
	}
	return guarded(object, patchOperation{"add", "/metadata/managedFields", left})
}

// editedEntries returns the entries as [edit] writes them, and whether any of them changes.
func editedEntries(
	object *unstructured.Unstructured, keep func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set,
) (left []any, changed bool, err error) {
	raw, entries, err := writtenEntries(object)
	if err != nil {
		return nil, false, err
	}
	left = make([]any, 0, len(raw))
	for i, entry := range entries {
		owned, err := entryFields(entry)
		if err != nil {
			return nil, false, err
		}
		kept := keep(entry, owned)
		if kept == owned || (kept.Equals(owned) && !kept.Empty()) {
			left = append(left, raw[i])
			continue
		}
		changed = true
		if kept.Empty() {
			continue
		}
		text, err := Encode(kept)
		if err != nil {
			return nil, false, err
		}
		edited, _ := raw[i].(map[string]any) // a copy of the object's
		edited["fieldsV1"] = json.RawMessage(text)
		left = append(left, edited)
	}
	if changed && len(left) == 0 {
		entry, err := nobodysEntry(object, nobodysFields())
		if err != nil {
			return nil, false, err
		}
		left = append(left, entry)
	}
	return left, changed, nil
}

// WithoutFinalizers returns the JSON patch that removes these finalizers of object,
// guarded by its resourceVersion, or nil if it has none of them. They are a set list, but
// the API server does not let an apply remove another manager's.
//
// The list is written as a whole, where need be empty: removing the field would be a 422
// where the last finalizer went meanwhile.
func WithoutFinalizers(object *unstructured.Unstructured, removed []string) ([]byte, error) {
	left := []any{}
	for _, finalizer := range object.GetFinalizers() {
		if !slices.Contains(removed, finalizer) {
			left = append(left, finalizer)
		}
	}
	if len(left) == len(object.GetFinalizers()) {
		return nil, nil
	}
	return guarded(object, patchOperation{"add", "/metadata/finalizers", left})
}

// guarded returns a JSON patch that is refused with 409 if object has changed since it was read.
func guarded(object *unstructured.Unstructured, operations ...patchOperation) ([]byte, error) {
	version := object.GetResourceVersion()
	if version == "" || version == "0" {
		// The API server takes these for "whatever it is now".
		return nil, errors.New("patch: the object has no resourceVersion")
	}
	patch, err := json.Marshal(append(operations, patchOperation{"replace", "/metadata/resourceVersion", version}))
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return patch, nil
}

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

// releasedManager is the field manager of an entry for an object that nobody else has an entry on. See [edit].
const releasedManager = "released-by-k8sconnect"

// Kept is what a manager continues to own after [ReleaseExcept], by operation. nil is nothing.
type Kept struct{ Applied, Updated *fieldpath.Set }

// Release returns the JSON patch that removes fields from what manager applied on object and leaves their values. It
// returns nil if manager owns none of them.
//
// Applying less does not release: the API server would delete the fields that nobody else owns. So the patch edits
// the entry in managedFields, guarded by the object's resourceVersion; after a conflict, read the object again.
func Release(object *unstructured.Unstructured, manager string, fields *fieldpath.Set) ([]byte, error) {
	return edit(object, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		if !isApplied(entry, manager) {
			return owned
		}
		return owned.Difference(fields)
	})
}

// ReleaseExcept returns the JSON patch after which manager owns nothing on object except keep, whether by apply or by
// update and in any apiVersion. Values stay as they are. It returns nil if that is already so.
//
// A field is kept if keep has it, or has a leaf above it, or names part of a value that is owned as a whole. As with
// [Release], the object's resourceVersion guards the patch.
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

// within returns the fields of owned that are in kept or below a leaf of it, and the leaves that kept has a part of:
// a plain list is owned as a whole, and an operation of a JSON patch names one item of it.
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

// edit returns the JSON patch that reduces every entry in managedFields to what keep returns, and removes entries
// that then own nothing. It returns nil if all stay.
//
// It writes the list as a whole, which works whatever the object has become meanwhile: a position beyond the end of a
// shortened list is a 422, and only the stale resourceVersion in the patch may decide, which is a 409.
//
// The API server drops an entry that owns nothing, and treats an object without entries as never applied: all its
// fields go to "before-first-apply", and the next apply by anyone conflicts with it. So if nobody else is left, edit
// adds an entry that owns the object's name: the API server keeps it, and no apply can conflict with it. (The
// object's metadata as a whole would work as well, but looks like owning every label.)
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
		edited, _ := raw[i].(map[string]any) // a copy of the object's entry
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

// WithoutFinalizers returns the JSON patch that removes these finalizers from object, guarded by its resourceVersion,
// or nil if it has none of them. Finalizers are a set list, but the API server does not let an apply remove another
// manager's.
//
// It writes the list as a whole, if necessary empty: removing the field would be a 422 if the last finalizer went
// meanwhile.
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

// guarded returns a JSON patch that the API server refuses with 409 if object has changed since it was read.
func guarded(object *unstructured.Unstructured, operations ...patchOperation) ([]byte, error) {
	version := object.GetResourceVersion()
	if version == "" || version == "0" {
		// The API server would take this to mean "whatever it is now".
		return nil, errors.New("patch: the object has no resourceVersion")
	}
	patch, err := json.Marshal(append(operations, patchOperation{"replace", "/metadata/resourceVersion", version}))
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return patch, nil
}

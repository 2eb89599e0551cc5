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

// releasedManager is the field manager of a placeholder entry, on an object that otherwise would have no entry. See
// [reduce].
const releasedManager = "released-by-k8sconnect"

// Kept is what a manager continues to own after [ReleaseExcept], by operation. nil means nothing.
type Kept struct{ Applied, Updated *fieldpath.Set }

// Release removes fields from what manager has applied, and leaves their values.
func Release(manager string, fields *fieldpath.Set) Edit {
	return reduce(func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
		if !isApplied(entry, manager) {
			return owned
		}
		return owned.Difference(fields)
	})
}

// ReleaseExcept leaves manager owning nothing except keep, in any apiVersion, by apply and by update. A field is kept
// if keep contains it or a leaf above it, or if keep names part of a value that is owned as a whole.
func ReleaseExcept(manager string, keep Kept) Edit {
	return reduce(func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
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

// within returns the fields of owned that are in kept or below a leaf of it. It also returns a leaf if kept names a
// part of it: a plain list is owned as a whole, and an operation of a JSON patch names one item of it.
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

// reduce reduces every entry in managedFields to what keep returns, and removes entries that then own nothing.
//
// The API server drops an entry that owns nothing, and treats an object without entries as never applied: all its
// fields go to "before-first-apply", and the next apply by anyone conflicts with it. So if no other entry is left,
// reduce adds a placeholder entry that owns the object's name: the API server keeps it, and no apply can conflict with
// it. (Owning the object's metadata as a whole would also work, but would look like owning every label.)
func reduce(keep func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		left, changed, err := reducedEntries(object, keep)
		if err != nil || !changed {
			return object, err
		}
		return withEntries(object, left), nil
	}
}

// reducedEntries returns the entries as [reduce] leaves them, and whether any of them changes.
func reducedEntries(
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
		reduced, _ := raw[i].(map[string]any) // a copy of the object's entry
		if err := setFields(reduced, kept); err != nil {
			return nil, false, err
		}
		left = append(left, reduced)
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
// or nil if the object has none of them. Finalizers are a set list, but the API server does not let an apply remove
// another manager's.
//
// The patch writes the list as a whole, empty if necessary: removing the field would be a 422 if the last finalizer
// were removed in the meantime.
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
		// The API server would take this to mean "any version".
		return nil, errors.New("patch: the object has no resourceVersion")
	}
	patch, err := json.Marshal(append(operations, patchOperation{"replace", "/metadata/resourceVersion", version}))
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	return patch, nil
}

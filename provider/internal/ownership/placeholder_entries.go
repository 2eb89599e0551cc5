package ownership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// IsNobody reports whether a field manager is a placeholder, which holds fields that their owners gave up.
func IsNobody(manager string) bool { return manager == LeftManager || manager == releasedManager }

// Reclaim removes what manager has applied from the placeholder entries. Otherwise it would stay on the object when it
// leaves the manifest.
func Reclaim(manager string) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		ours, applied, err := Applied(object, manager)
		if err != nil || !applied {
			return object, err
		}
		return reduce(func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
			if !IsNobody(entry.Manager) || owned.Intersection(ours).Empty() {
				return owned
			}
			return owned.Difference(ours)
		})(object)
	}
}

// EntryFields returns the fields of an entry in managedFields.
func EntryFields(entry metav1.ManagedFieldsEntry) (*fieldpath.Set, error) { return entryFields(entry) }

// Touches reports whether set has path, a leaf above it or anything below it.
func Touches(set *fieldpath.Set, path fieldpath.Path) bool { return touches(set, path) }

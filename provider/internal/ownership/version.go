package ownership

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// OtherVersions lists the versions of the object's own group in which managed fields are recorded, other than the
// version that it was read in.
func OtherVersions(object *unstructured.Unstructured) []string {
	var versions []string
	for _, entry := range object.GetManagedFields() {
		if isOtherVersion(entry, object) && !slices.Contains(versions, entry.APIVersion) {
			versions = append(versions, entry.APIVersion)
		}
	}
	slices.Sort(versions)
	return versions
}

func isOtherVersion(entry metav1.ManagedFieldsEntry, object *unstructured.Unstructured) bool {
	group, _, grouped := strings.Cut(object.GetAPIVersion(), "/")
	return grouped && entry.APIVersion != object.GetAPIVersion() && strings.HasPrefix(entry.APIVersion, group+"/")
}

// InOneVersion moves all managed fields to the version that the object was read in.
//
// At every apply, the API server converts the object to each version in which managed fields are recorded. If such a
// version does not know all fields of the object, or if its definition no longer has the version, the conversion fails,
// and the API server refuses every apply by anyone. This does not happen to Kubernetes' own kinds: their versions hold
// the same fields, and the API server forgets the entries of versions that it no longer has.
func InOneVersion(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return inThisVersion(object, func(_ metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set { return owned })
}

// InThisVersion moves what one manager owns to the version that the object was read in. If a field has another name
// there, the object lacks it under the recorded name, and it is no longer owned.
func InThisVersion(manager string) Edit {
	return func(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		if !slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
			return entry.Manager == manager && isOtherVersion(entry, object)
		}) {
			return object, nil
		}
		return inThisVersion(object, func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set {
			if entry.Manager != manager {
				return nil
			}
			return present(object, owned)
		})
	}
}

// present returns the fields of a set that an object has.
func present(object *unstructured.Unstructured, fields *fieldpath.Set) *fieldpath.Set {
	has := fieldpath.NewSet()
	fields.Iterate(func(path fieldpath.Path) {
		if _, _, ok := Locate(object.Object, path); ok {
			has.Insert(path.Copy())
		}
	})
	return has
}

// inThisVersion moves entries of other versions to this one. moved selects the fields that an entry keeps. If it
// selects none, the entry stays unchanged.
func inThisVersion(
	object *unstructured.Unstructured, moved func(entry metav1.ManagedFieldsEntry, owned *fieldpath.Set) *fieldpath.Set,
) (*unstructured.Unstructured, error) {
	if len(OtherVersions(object)) == 0 {
		return object, nil
	}
	raw, entries, err := writtenEntries(object)
	if err != nil {
		return nil, err
	}
	table := entryTable{byIdentity: map[entryIdentity]int{}}
	for i, entry := range entries {
		owned, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		text, _ := raw[i].(map[string]any) // a copy of the object's entry
		if isOtherVersion(entry, object) {
			if now := moved(entry, owned); now != nil && !now.Empty() {
				text["apiVersion"], owned = object.GetAPIVersion(), now
			}
		}
		table.add(text, owned)
	}
	left, err := table.encode()
	if err != nil {
		return nil, err
	}
	return withEntries(object, left), nil
}

package ownership

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// OtherVersions lists the versions of the object's own group, other than the one that it was read in, that managed
// fields are recorded in.
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
// The API server converts the object to each of these versions at every apply. If a version does not know all fields
// of the object, that conversion fails, and the API server refuses every apply by anyone. This does not happen to
// Kubernetes' own kinds: their versions hold the same fields.
func InOneVersion(object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
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
			text["apiVersion"] = object.GetAPIVersion()
		}
		table.add(text, owned)
	}
	left, err := table.encode()
	if err != nil {
		return nil, err
	}
	return withEntries(object, left), nil
}

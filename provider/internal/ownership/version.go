package ownership

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// OtherVersions lists the versions of the object's own group, beside the one that it was read in, in which managers have
// noted their fields.
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

// InOneVersion returns the JSON patch after which all managers own what they own in the version that the object was read
// in. It returns nil if that is so already. As with [Release], values stay, and the patch is guarded by the object's
// resourceVersion.
//
// The API server converts the object to each of these versions at every apply. Where a version does not know all fields
// that the object has, it can do so no more, and refuses every apply by anybody. For kinds of Kubernetes' own that does
// not happen: their versions hold the same.
func InOneVersion(object *unstructured.Unstructured) ([]byte, error) {
	if len(OtherVersions(object)) == 0 {
		return nil, nil
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
		text, _ := raw[i].(map[string]any) // a copy of the object's
		if isOtherVersion(entry, object) {
			text["apiVersion"] = object.GetAPIVersion()
		}
		table.add(text, owned)
	}
	left, err := table.encode()
	if err != nil {
		return nil, err
	}
	return guarded(object, patchOperation{"add", "/metadata/managedFields", left})
}

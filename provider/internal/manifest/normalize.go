package manifest

import (
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// serverOwned are the members of metadata that only the API server writes.
var serverOwned = []string{
	"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields",
	"resourceVersion", "selfLink", "uid",
}

// IsServerOwned reports whether only the API server writes this member of metadata.
func IsServerOwned(name string) bool { return slices.Contains(serverOwned, name) }

// Normalize copies the object without the noise in real manifests: null members at any depth, the top-level status,
// and the metadata that only the API server writes. Whole numbers become int64.
//
// dropped are the paths, in stable order, of the non-empty parts of the last two, so that the caller can report them
// once; null and empty ones are dropped silently. Null list items stay, for [Validate] to refuse: dropping one would
// shift the items after it.
func Normalize(object map[string]any) (clean map[string]any, dropped []string) {
	clean = withoutNulls(object)
	if metadata, isMap := clean["metadata"].(map[string]any); isMap {
		for _, key := range serverOwned {
			if !isEmpty(metadata[key]) {
				dropped = append(dropped, "metadata."+key)
			}
			delete(metadata, key)
		}
	}
	if !isEmpty(clean["status"]) {
		dropped = append(dropped, "status")
	}
	delete(clean, "status")
	return clean, dropped
}

// SayDropped explains why parts of a manifest are not sent. A status of a custom kind without a status subresource could be: but
// manifests that were exported from a cluster have what the controller has reported, and it would be fought for.
func SayDropped(dropped []string) string {
	return strings.Join(dropped, ", ") + " ignored, because only the API server and controllers write it."
}

// withoutNulls copies a map without null members at any depth.
func withoutNulls(object map[string]any) map[string]any {
	clean := make(map[string]any, len(object))
	for key, value := range object {
		if value != nil {
			clean[key] = tidy(value)
		}
	}
	return clean
}

// tidy copies a value; numbers get the type that Kubernetes stores them in.
func tidy(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return withoutNulls(value)
	case []any:
		clean := make([]any, len(value))
		for i, item := range value {
			clean[i] = tidy(item)
		}
		return clean
	case float64:
		return values.Number(value)
	case int:
		return int64(value)
	default:
		return value
	}
}

// isEmpty reports whether a value carries no information: null, "", or only such values in maps and lists, as in the
// status that generators write.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return !slices.ContainsFunc(value, func(item any) bool { return !isEmpty(item) })
	case map[string]any:
		for _, member := range value {
			if !isEmpty(member) {
				return false
			}
		}
		return true
	}
	return false
}

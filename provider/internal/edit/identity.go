package edit

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/kustomize/api/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// identity stands for the identity of an object, even if its parts are not texts.
func identity(content map[string]any) string {
	metadata, _ := content["metadata"].(map[string]any)
	return fmt.Sprintf("%#v", []any{content["apiVersion"], content["kind"], metadata["namespace"], metadata["name"]})
}

// keepNames restores the kind, name and namespace after a strategic merge: the library takes those in the patch only as
// the name of the patched object, and writes the old values back as plain text.
func keepNames(content, edited map[string]any) {
	keep(content, edited, "kind")
	before, _ := content["metadata"].(map[string]any)
	after, isMap := edited["metadata"].(map[string]any)
	if isMap {
		keep(before, after, "name")
		keep(before, after, "namespace")
	}
}

func keep(before, after map[string]any, key string) {
	if value, found := before[key]; found {
		after[key] = value
	} else {
		delete(after, key)
	}
}

// dropBuildAnnotations removes the annotations that the library uses for its own notes.
func dropBuildAnnotations(content map[string]any) {
	metadata, _ := content["metadata"].(map[string]any)
	annotations, isMap := metadata["annotations"].(map[string]any)
	if !isMap {
		return
	}
	maps.DeleteFunc(annotations, func(key string, _ any) bool { return slices.Contains(resource.BuildAnnotations, key) })
	if len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// obstacle says why a patch cannot be merged: mostly because it is deeper or less deep than the object at some place.
// It names only fields of the object.
func (m *merge) obstacle(content map[string]any) string {
	if reason := mismatch(nil, m.patch, content); reason != "" {
		return ": " + reason
	}
	return "; correct its lists and its $patch directives"
}

func mismatch(path []any, patch, content map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		wanted, found := patch[key], content[key]
		if wanted == nil || found == nil {
			continue
		}
		at := append(slices.Clone(path), key)
		if shape(wanted) != shape(found) {
			return fmt.Sprintf("at %s, the patch has a %s and the object a %s; make them the same",
				values.FormatSegments(at...), shape(wanted), shape(found))
		}
		inner, isMap := wanted.(map[string]any)
		if !isMap {
			continue
		}
		if reason := mismatch(at, inner, found.(map[string]any)); reason != "" {
			return reason
		}
	}
	return ""
}

func shape(value any) string {
	switch value.(type) {
	case map[string]any:
		return "map"
	case []any:
		return "list"
	default:
		return "plain value"
	}
}

package edit

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/kustomize/api/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// identity says which object it is, by values that are no text as well.
func identity(content map[string]any) string {
	metadata, _ := content["metadata"].(map[string]any)
	return fmt.Sprintf("%#v", []any{content["apiVersion"], content["kind"], metadata["namespace"], metadata["name"]})
}

// keepNames puts the kind, name and namespace back that a strategic merge leaves: the library takes those of the patch
// for a way to say which object it is for, and writes the old ones back as plain text.
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

// dropBuildAnnotations removes what the library notes in annotations while it works.
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

// obstacle says why a patch cannot be merged: mostly because it goes deeper than the object somewhere, or less deep. It
// names fields of the object only.
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

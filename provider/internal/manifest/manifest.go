package manifest

import (
	"regexp"
	"strings"
)

// splitHint explains what to do with more than one object.
const splitHint = "give each object a KubeObject of its own; the function splitYaml takes them apart"

// bareVersion is the apiVersion of the core group, such as v1.
var bareVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// isList reports whether the object is a wrapper around other objects, as `kubectl get -o yaml` writes for several
// objects. A custom kind may also end in List, so isList checks the items as well.
func isList(object map[string]any) bool {
	kind, _ := object["kind"].(string)
	if kind == "List" {
		return true
	}
	_, hasItems := object["items"].([]any)
	return hasItems && strings.HasSuffix(kind, "List")
}

// member returns the value behind a sequence of map keys.
func member(object map[string]any, keys ...string) any {
	var value any = object
	for _, key := range keys {
		inner, isMap := value.(map[string]any)
		if !isMap {
			return nil
		}
		value = inner[key]
	}
	return value
}

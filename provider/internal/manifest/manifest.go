// Package manifest knows what a Kubernetes manifest is, without asking a cluster: how it is written,
// which object it is about, what in it is noise, and what is wrong with it.
//
// A manifest is a plain JSON tree (see package values) in which values.Unknown may stand anywhere: what
// is not known yet is never judged, dropped or rewritten.
//
// Real manifests are not tidy. Generators write `creationTimestamp: null`, `kubectl get -o yaml` leaves
// status, uid and managedFields. kubectl takes all that; so do we, by dropping it before anything looks
// at it ([Normalize]). What kubectl would take and then do something else with than was written, above
// all duplicate keys, is refused ([ParseYAML], [Validate]), with every problem told at once.
//
// The laws of the package:
//
//   - No function changes its argument.
//   - Normalize only ever drops members of maps. No list item moves and no key is renamed, so each
//     property path that is left leads to the value it led to before, and marks on paths (secrets) stay
//     valid. Normalizing twice is normalizing once.
//   - ParseID and Identity.String are each other's inverse.
//   - Reasons and errors quote keys, kinds and names, never values: a value may be secret.
package manifest

import (
	"regexp"
	"strings"
)

// splitHint says what to do with more than one object.
const splitHint = "give each object a KubeObject of its own; the function splitYaml takes them apart"

// bareVersion is the apiVersion of the core group, such as v1.
var bareVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// isList reports whether the object is a wrapper around other objects, as `kubectl get -o yaml` writes
// for several. A kind of one's own may end in List too, so it takes the items as well.
func isList(object map[string]any) bool {
	kind, _ := object["kind"].(string)
	if kind == "List" {
		return true
	}
	_, hasItems := object["items"].([]any)
	return hasItems && strings.HasSuffix(kind, "List")
}

// member follows keys down through maps.
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

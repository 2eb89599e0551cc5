// Package manifest understands Kubernetes manifests without asking a cluster: how they are written,
// which object they describe, what in them is noise, and what is wrong with them.
//
// A manifest is a plain JSON tree (see package values) with values.Unknown in any place: the package
// never judges, drops or rewrites a value that is not known yet.
//
// Real manifests are not tidy. Generators write `creationTimestamp: null`, and `kubectl get -o yaml`
// leaves status, uid and managedFields. kubectl accepts all that; so do we, by dropping it before
// anything reads it ([Normalize]). Input that kubectl would accept but not treat as written, above all
// duplicate keys, is refused ([ParseYAML], [Validate]), and every problem is reported at once.
//
// The laws of the package:
//
//   - No function changes its argument.
//   - Normalize only drops members of maps. No list item moves and no key is renamed, so each remaining
//     property path leads to the same value as before, and marks on paths (secrets) stay valid.
//     Normalizing twice is the same as normalizing once.
//   - ParseID and Identity.String are inverses.
//   - Reasons and errors quote keys, kinds and names, never values: a value may be secret.
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

package mutation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Why some fields cannot be patched.
const (
	statusReason = "The status cannot be patched here, of no kind: the controller of the object reports it, and would write it again. " +
		"Remove it."
	serverOwnedReason = "Only the API server writes metadata.%s. Remove it from the patch."
	nullReason        = "A null cannot remove a field here. To remove it, use mergePatch with null, or jsonPatch with the operation remove; " +
		"else leave it out."
	wholeMetadataReason = "The metadata cannot be patched as a whole: the server's part of it would be lost. " +
		"Name the fields in it, as in /metadata/labels/app."
)

// CheckContent lists what a patch in the form of a tree (patch or mergePatch) may not set. It does not judge unknown
// values. An empty apiVersion, kind or name of the target is not known yet; an empty namespace means none.
func CheckContent(document map[string]any, target manifest.Identity, allowNull bool) []Problem {
	c := content{allowNull: allowNull}
	c.identity(document, "apiVersion", target.APIVersion, "apiVersion")
	c.identity(document, "kind", target.Kind, "kind")
	c.metadata(document, target)
	if _, has := document["status"]; has {
		c.add(statusReason, "status")
	}
	for _, key := range slices.Sorted(maps.Keys(document)) {
		if key == "status" {
			continue
		}
		c.leaves(document[key], key)
	}
	return c.problems
}

// CheckContent lists what the operations may not set. A test may read anything.
func (p JSONPatch) CheckContent() []Problem {
	c := content{allowNull: true}
	for i, operation := range p.operations {
		if operation.name == opTest {
			continue
		}
		c.pointer(operation.path, i, "path")
		if operation.name == opMove { // copy only reads it
			c.pointer(operation.from, i, "from")
		}
		c.leaves(operation.value, i, "value")
	}
	return c.problems
}

// WithoutIdentity returns a copy of the document without the object's identity, for a document that [CheckContent] has
// found to be about the target.
func WithoutIdentity(document map[string]any) map[string]any {
	result, _ := values.DeepCopy(document).(map[string]any)
	delete(result, "apiVersion")
	delete(result, "kind")
	metadata, isMap := result["metadata"].(map[string]any)
	if !isMap || len(metadata) == 0 {
		return result
	}
	delete(metadata, "name")
	delete(metadata, "namespace")
	if len(metadata) == 0 {
		delete(result, "metadata")
	}
	return result
}

// content collects the problems with the values that a patch sets.
type content struct {
	allowNull bool
	problems  []Problem
}

// add records a problem, at most one for each path.
func (c *content) add(reason string, at ...any) {
	path := values.FormatSegments(at...)
	if !slices.ContainsFunc(c.problems, func(p Problem) bool { return p.Path == path }) {
		c.problems = append(c.problems, Problem{Path: path, Reason: reason})
	}
}

// identity checks one part of the identity in the document.
func (c *content) identity(object map[string]any, key, target, input string, above ...any) {
	value, has := object[key]
	if !has || values.IsUnknown(value) || target == "" && input != "namespace" {
		return
	}
	at := append(slices.Clip(above), key)
	text, isText := value.(string)
	switch {
	case !isText:
		c.add(fmt.Sprintf("The %s of an object is text, not %s, and a patch cannot change it. Remove it.", key, describe(value)), at...)
	case text == target:
	case target == "":
		c.add(fmt.Sprintf("The patch is for an object in the namespace %q, the target has no namespace. "+
			"Write it as target.namespace, or remove it here.", text), at...)
	default:
		c.add(fmt.Sprintf("The patch is for the %s %q, the target has %q. A patch cannot change which object it is about: "+
			"remove it here, or correct target.%s.", key, text, target, input), at...)
	}
}

func (c *content) metadata(document map[string]any, target manifest.Identity) {
	value, has := document["metadata"]
	if !has || values.IsUnknown(value) {
		return
	}
	metadata, isMap := value.(map[string]any)
	if !isMap {
		c.add(fmt.Sprintf("The metadata must be an object with the fields to change, not %s.", describe(value)), "metadata")
		return
	}
	c.identity(metadata, "name", target.Name, "name", "metadata")
	c.identity(metadata, "namespace", target.Namespace, "namespace", "metadata")
	for _, name := range slices.Sorted(maps.Keys(metadata)) {
		if manifest.IsServerOwned(name) {
			c.add(fmt.Sprintf(serverOwnedReason, name), "metadata", name)
		}
	}
}

// leaves checks everything in a value.
func (c *content) leaves(v any, at ...any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := append(slices.Clip(at), key)
			if reason := directiveReason(key); reason != "" {
				c.add(reason, below...)
				continue
			}
			c.leaves(v[key], below...)
		}
	case []any:
		for i, item := range v {
			c.leaves(item, append(slices.Clip(at), i)...)
		}
	case nil:
		if !c.allowNull {
			c.add(nullReason, at...)
		}
	}
	if key, isKey := at[0].(string); isKey && len(at) == 1 {
		if reason := directiveReason(key); reason != "" {
			c.add(reason, at...)
		}
	}
}

// directiveReason says what to use instead of a directive of strategic merge patches.
func directiveReason(key string) string {
	name, _, _ := strings.Cut(key, "/")
	switch name {
	case "$patch":
		return "$patch is a directive of strategic merge patches, which are not supported. To remove a field, use mergePatch with null " +
			"or jsonPatch with the operation remove; to replace one as a whole, use jsonPatch with the operation replace."
	case "$retainKeys":
		return "$retainKeys is a directive of strategic merge patches, which are not supported. " +
			"Use mergePatch, with null for each field that shall go."
	case "$setElementOrder":
		return "$setElementOrder is a directive of strategic merge patches, which are not supported. " +
			"To change the order of a list, write the whole list in mergePatch, or use jsonPatch with the operation move."
	case "$deleteFromPrimitiveList":
		return "$deleteFromPrimitiveList is a directive of strategic merge patches, which are not supported. " +
			"Use jsonPatch with the operation remove, or write the whole list in mergePatch."
	}
	return ""
}

// pointer checks a place that an operation changes.
func (c *content) pointer(p pointer, at ...any) {
	for _, part := range p {
		if reason := directiveReason(part); reason != "" {
			c.add(reason, at...)
		}
	}
	switch {
	case len(p) == 0:
	case p[0] == "status":
		c.add(statusReason, at...)
	case p[0] == "apiVersion" || p[0] == "kind":
		c.add(fmt.Sprintf("A patch cannot change the %s of an object. Remove the operation; target says which object it is.", p[0]), at...)
	case p[0] != "metadata":
	case len(p) == 1:
		c.add(wholeMetadataReason, at...)
	case p[1] == "name" || p[1] == "namespace":
		c.add(fmt.Sprintf("A patch cannot change the %s of an object. Remove the operation; target says which object it is.", p[1]), at...)
	case manifest.IsServerOwned(p[1]):
		c.add(fmt.Sprintf(serverOwnedReason, p[1]), at...)
	}
}

package cluster

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// node is a value in a manifest, with its path: keys of maps (string) and positions in lists (int).
type node struct {
	path  []any
	value any
}

// String formats the path for people: spec.containers[0].image, metadata.annotations["example.com/a"].
func (n node) String() string { return values.FormatSegments(n.path...) }

// plain formats the path as the API server does, without quoting keys.
func (n node) plain() string {
	var text strings.Builder
	for _, segment := range n.path {
		if key, isKey := segment.(string); isKey {
			text.WriteString("." + key)
		} else {
			text.WriteString(values.FormatSegments(segment))
		}
	}
	return strings.TrimPrefix(text.String(), ".")
}

// remove removes the node from the object. In a list it leaves null, so that the other items keep their positions.
func (n node) remove(object map[string]any) {
	var tree any = object
	for i, segment := range n.path {
		last := i == len(n.path)-1
		switch container := tree.(type) {
		case map[string]any:
			if last {
				delete(container, segment.(string))
				return
			}
			tree = container[segment.(string)]
		case []any:
			if last {
				container[segment.(int)] = nil
				return
			}
			tree = container[segment.(int)]
		}
	}
}

// nodes lists the values of a manifest, containers before their contents and maps by their sorted keys. It leaves out
// the identity of the object.
func nodes(object map[string]any) []node {
	var found []node
	var walk func(tree any, path []any)
	visit := func(tree any, path []any) {
		if !isIdentity(path) {
			found = append(found, node{path, tree})
		}
		walk(tree, path)
	}
	walk = func(tree any, path []any) {
		switch tree := tree.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(tree)) {
				visit(tree[key], append(slices.Clip(path), key))
			}
		case []any:
			for i, item := range tree {
				visit(item, append(slices.Clip(path), i))
			}
		}
	}
	walk(object, nil)
	return found
}

// isIdentity reports whether a path is part of the object's identity, or contains it.
func isIdentity(path []any) bool {
	switch len(path) {
	case 1:
		return path[0] == "apiVersion" || path[0] == "kind" || path[0] == "metadata"
	case 2:
		return path[0] == "metadata" && (path[1] == "name" || path[1] == "namespace")
	default:
		return false
	}
}

// beginning returns the object with its identity and its first n nodes. List items among the later nodes become null.
func beginning(object map[string]any, n int) map[string]any {
	object = runtime.DeepCopyJSON(object)
	for _, later := range slices.Backward(nodes(object)[n:]) { // contents before their containers
		later.remove(object)
	}
	return object
}

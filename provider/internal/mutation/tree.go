package mutation

import (
	"maps"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// A tree is never changed: an edit copies the containers on the way to a place, and shares the rest with the former
// tree.

// edit copies the containers on the way to a place and changes the last of them.
func edit(tree any, at ownership.Location, change func(container, last any) any) any {
	if len(at) == 1 {
		return change(tree, at[0])
	}
	switch tree := tree.(type) {
	case map[string]any:
		return with(tree, at[0], edit(tree[at[0].(string)], at[1:], change))
	case []any:
		return with(tree, at[0], edit(tree[at[0].(int)], at[1:], change))
	}
	return tree
}

// with copies a container and sets one value in the copy.
func with(container, segment, value any) any {
	switch container := container.(type) {
	case map[string]any:
		result := make(map[string]any, len(container)+1)
		maps.Copy(result, container)
		result[segment.(string)] = value
		return result
	case []any:
		result := slices.Clone(container)
		result[segment.(int)] = value
		return result
	}
	return container
}

// inserted copies a container with a value at a new place; in a list, the items from that position on move back by one.
func inserted(container, segment, value any) any {
	if list, isList := container.([]any); isList {
		return slices.Insert(slices.Clone(list), segment.(int), value)
	}
	return with(container, segment, value)
}

// dropped copies a container without the value at a place; in a list, the items behind it move up.
func dropped(container, segment any) any {
	switch container := container.(type) {
	case map[string]any:
		result := maps.Clone(container)
		delete(result, segment.(string))
		return result
	case []any:
		index := segment.(int)
		return slices.Delete(slices.Clone(container), index, index+1)
	}
	return container
}

package mutation

import (
	"maps"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// A tree is never changed: an edit copies the containers on the way to a place, and shares the rest with what was before.

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

// with copies a container with one other value in it.
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

// inserted copies a container with a value at a place that is new: in a list, what is there and behind it moves on.
func inserted(container, segment, value any) any {
	if list, isList := container.([]any); isList {
		return slices.Insert(slices.Clone(list), segment.(int), value)
	}
	return with(container, segment, value)
}

// dropped copies a container without what is at a place of it: in a list, what is behind it moves up.
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

package chart

import (
	"maps"
	"reflect"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// renamedKeys reports whether each of two maps has keys that the other one lacks: then the keys are made of values.
func renamedKeys(one, other map[string]any) bool {
	return hasOwnKey(one, other) && hasOwnKey(other, one)
}

func hasOwnKey(one, other map[string]any) bool {
	for key := range one {
		if _, there := other[key]; !there {
			return true
		}
	}
	return false
}

// withUnknown copies the known tree, with unknown values where two trees differ. A key that only one of them has is kept, with an unknown
// value. A list is unknown if the lengths differ, and a map is unknown if its keys are made of values.
func withUnknown(known, one, other any) any {
	if values.IsUnknown(known) {
		return known
	}
	switch one := one.(type) {
	case map[string]any:
		theirs, isMap := other.(map[string]any)
		held, stillMap := known.(map[string]any)
		if isMap && stillMap && !renamedKeys(one, theirs) {
			return membersWithUnknown(held, one, theirs)
		}
	case []any:
		theirs, isList := other.([]any)
		held, stillList := known.([]any)
		if isList && stillList && len(one) == len(theirs) {
			copied := make([]any, len(one))
			for i := range one {
				copied[i] = withUnknown(held[i], one[i], theirs[i])
			}
			return copied
		}
	default:
		if reflect.DeepEqual(one, other) {
			return known
		}
	}
	return values.Unknown{}
}

// membersWithUnknown is [withUnknown] for maps.
func membersWithUnknown(known, one, other map[string]any) map[string]any {
	copied := maps.Clone(known)
	for key := range other {
		if _, there := one[key]; !there {
			copied[key] = values.Unknown{}
		}
	}
	for key, member := range one {
		if theirs, there := other[key]; there {
			copied[key] = withUnknown(known[key], member, theirs)
		} else {
			copied[key] = values.Unknown{}
		}
	}
	return copied
}

// differences are the paths at which one tree differs from the other. If only the other one has a key, there is nothing to hide.
func differences(one, other any) (paths [][]any) {
	var walk func(one, other any, at []any)
	walk = func(one, other any, at []any) {
		switch one := one.(type) {
		case map[string]any:
			theirs, isMap := other.(map[string]any)
			if !isMap || renamedKeys(one, theirs) {
				break
			}
			for _, key := range slices.Sorted(maps.Keys(one)) {
				below := append(slices.Clip(at), key)
				if member, there := theirs[key]; there {
					walk(one[key], member, below)
				} else {
					paths = append(paths, below)
				}
			}
			return
		case []any:
			theirs, isList := other.([]any)
			if !isList || len(one) != len(theirs) {
				break
			}
			for i := range one {
				walk(one[i], theirs[i], append(slices.Clip(at), i))
			}
			return
		default:
			if reflect.DeepEqual(one, other) {
				return
			}
		}
		paths = append(paths, at)
	}
	walk(one, other, nil)
	return paths
}

// isIdentity reports whether a path leads to a field that identifies an object.
func isIdentity(path []any) bool {
	return slices.ContainsFunc([][]any{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}}, func(part []any) bool {
		return slices.Equal(part, path)
	})
}

// butIdentity are the paths to all fields of an object except the ones that identify it.
func butIdentity(object map[string]any) (paths [][]any) {
	for key, member := range object {
		metadata, isMap := member.(map[string]any)
		switch {
		case isIdentity([]any{key}):
		case key == "metadata" && isMap:
			for name := range metadata {
				if path := []any{key, name}; !isIdentity(path) {
					paths = append(paths, path)
				}
			}
		default:
			paths = append(paths, []any{key})
		}
	}
	return paths
}

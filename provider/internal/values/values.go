package values

import (
	"errors"
	"slices"
)

// Unknown represents, in a plain tree, a value that becomes known only after the apply. It can replace anything: a
// leaf, a list or a whole map.
type Unknown struct{}

// errUnknown says why an Unknown cannot be encoded.
var errUnknown = errors.New("a value that is known only after the apply cannot be sent to the cluster")

// MarshalJSON always fails, so that an unknown value can never reach the API server as "" or 0.
func (Unknown) MarshalJSON() ([]byte, error) { return nil, errUnknown }

// IsUnknown reports whether the value itself, not something inside it, is unknown.
func IsUnknown(plain any) bool {
	_, unknown := plain.(Unknown)
	return unknown
}

// HasUnknown reports whether anything in the plain tree is unknown.
func HasUnknown(plain any) bool {
	switch plain := plain.(type) {
	case Unknown:
		return true
	case map[string]any:
		for _, member := range plain {
			if HasUnknown(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(plain, HasUnknown)
	}
	return false
}

// CountUnknown counts the unknown values in the plain tree. An unknown map or list counts as one.
func CountUnknown(plain any) int {
	if !HasUnknown(plain) {
		return 0 // nearly always, and found out without building paths
	}
	return len(UnknownPaths(plain, Marks{}))
}

// DeepCopy copies the maps and lists of a plain tree, like runtime.DeepCopyJSONValue, which panics on an [Unknown].
func DeepCopy(plain any) any {
	switch plain := plain.(type) {
	case map[string]any:
		if plain == nil {
			return plain
		}
		clone := make(map[string]any, len(plain))
		for key, member := range plain {
			clone[key] = DeepCopy(member)
		}
		return clone
	case []any:
		if plain == nil {
			return plain
		}
		clone := make([]any, len(plain))
		for i, item := range plain {
			clone[i] = DeepCopy(item)
		}
		return clone
	default:
		return plain
	}
}

// Package values carries values between Pulumi and Kubernetes.
//
// Pulumi passes a provider a property.Value: a tree in which every node may be secret, and every node
// may be unknown before the apply. Kubernetes wants plain JSON. In between, two things must never
// happen: a secret must not appear in clear text, and an unknown must not reach the API server as ""
// or 0. Conversions that drop the marks and try to recover them by comparing values or by appending
// to shared path slices get both wrong, and only at some depths. So this package splits a value into
// two trees of the same shape:
//
//   - the plain tree, made of map[string]any, []any, string, bool, int64, float64 and nil, with
//     [Unknown] in place of an unknown value, and
//   - the [Marks], which say which paths are secret.
//
// The laws of the package:
//
//   - ToProperty(FromProperty(v)) equals v, up to the dependency lists that Pulumi attaches to values.
//   - A mark is never lost, moved or invented. A mark on a map or a list stays on it, and every path
//     below it counts as secret.
//   - An unknown stays where it is, also when it is a whole map or list; one that is secret is both.
//   - An [Unknown] cannot be encoded as JSON: a request that still holds one fails before it is sent.
//   - Whole numbers within ±2^53 become int64, as Kubernetes keeps them; all others stay float64.
//
// What the wire does to a value on its way was measured (the tests repeat it): dependency lists come
// and go, the type of an unknown is forgotten (an unknown typed null arrives as null), an unknown never
// has children, and "output values", secrets in secrets and unknown secrets arrive as one node with
// flags. The relations "this leaf is secret" and "this leaf is unknown" survive, and only those are
// promised.
package values

import "slices"

import "errors"

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

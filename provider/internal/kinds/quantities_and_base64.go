package kinds

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// EncodedValue is a new value of the type that the API server decodes a field of a built-in kind into, if that is a
// quantity or base64: what the server says of a text that is neither does not name the field. It is nil for all other
// fields, and for those that are rarely written.
//
// The path leads to the field by keys of maps (string) and positions in lists (int).
func EncodedValue(kind schema.GroupKind, path []any) any {
	if len(path) < 2 || path[0] == "metadata" || !encodedGroups[kind.Group] {
		return nil
	}
	above, _ := path[len(path)-2].(string)
	key, isKey := path[len(path)-1].(string)
	is := func(keys ...string) bool { return slices.Contains(keys, key) }
	switch {
	case !isKey:
		return nil
	case quantities[above], above == "emptyDir" && is("sizeLimit"), above == "resourceFieldRef" && is("divisor"),
		above == "target" && is("averageValue", "value"):
		return new(resource.Quantity)
	case above == "binaryData", above == "data" && kind == Secret, above == "clientConfig" && is("caBundle"):
		return new([]byte)
	default:
		return nil
	}
}

// encodedGroups are the API groups whose kinds have such fields, under these names and no other sort of field under them.
var encodedGroups = map[string]bool{
	"":                             true,
	"admissionregistration.k8s.io": true,
	"apps":                         true,
	"autoscaling":                  true,
	"batch":                        true,
}

// quantities are the fields that hold quantities by the names of resources.
var quantities = map[string]bool{
	"capacity":             true, // of a PersistentVolume
	"default":              true, // of a LimitRange, as the next four
	"defaultRequest":       true,
	"max":                  true,
	"maxLimitRequestRatio": true,
	"min":                  true,
	"hard":                 true, // of a ResourceQuota
	"limits":               true, // of containers and volume claims
	"requests":             true,
	"overhead":             true, // of pods
}

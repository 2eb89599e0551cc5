package values

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// UnknownPaths returns the paths of the unknown values in a plain tree, in order. The tree itself is the empty path.
// For a map or list that is secret as a whole, it returns only the path of that, because its keys may be secret.
func UnknownPaths(plain any, secrets Marks) []string {
	var paths []string
	var walk func(at []property.PathSegment, plain any)
	walk = func(at []property.PathSegment, plain any) {
		path := property.PathFromSegments(at...)
		if IsUnknown(plain) || secrets.IsSecret(path) && HasUnknown(plain) {
			paths = append(paths, FormatPath(path))
			return
		}
		switch plain := plain.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(plain)) {
				walk(append(slices.Clone(at), property.NewSegment(key)), plain[key])
			}
		case []any:
			for i, item := range plain {
				walk(append(slices.Clone(at), property.NewSegment(i)), item)
			}
		}
	}
	walk(nil, plain)
	return paths
}

package tracked

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// IgnoredPaths is the resource option ignoreChanges. Its paths are Pulumi's, unlike the paths in the inputs
// ignoreFields and waitFor, which package fieldselect reads. They begin at the inputs of the resource and may contain
// positions, but no keys of list items. The engine itself puts back the values of the last run at these paths, with its
// own parser. If this package read the paths differently, a preview would hide another field than the one that the
// engine keeps.
type IgnoredPaths []resource.PropertyPath

// ParseIgnored reads the option as the engine sends it.
func ParseIgnored(paths []string) IgnoredPaths {
	var ignored IgnoredPaths
	for _, path := range paths {
		// The engine has already parsed the paths, and refused invalid ones.
		if parsed, err := resource.ParsePropertyPath(path); err == nil {
			ignored = append(ignored, parsed)
		}
	}
	return ignored
}

// Covers reports whether a path of a detailed diff is ignored, either itself or as part of an ignored parent.
func (ignored IgnoredPaths) Covers(path string) bool {
	parsed, err := resource.ParsePropertyPath(path)
	return err == nil && slices.ContainsFunc(ignored, func(prefix resource.PropertyPath) bool { return prefix.Contains(parsed) })
}

package typed

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// toManifest returns the place in a manifest of a path of the resource option ignoreChanges, or the options that it names.
func (a adapter) toManifest(path string) []string {
	steps, err := resource.ParsePropertyPath(path)
	if err != nil || len(steps) == 0 || steps[0] == "*" {
		return []string{path}
	}
	if steps[0] == Options {
		if len(steps) == 1 {
			return a.options
		}
		return []string{values.FormatSegments(steps[1:]...)}
	}
	return []string{values.FormatSegments(append([]any{manifestKey}, translate(a.shape, steps, (*shape).field)...)...)}
}

// ignored returns the option ignoreChanges as the object knows it.
func (a adapter) ignored(paths []string) (all []string) {
	for _, path := range paths {
		all = append(all, a.toManifest(path)...)
	}
	return all
}

// fromManifest returns where a property of the object is in a typed resource. "" is the manifest as a whole.
func (a adapter) fromManifest(path string) string {
	steps, err := resource.ParsePropertyPath(path)
	if err != nil || len(steps) == 0 {
		return strings.TrimPrefix(path, manifestKey+".") // a key that ends with a backslash has no path that can be read
	}
	if steps[0] == textKey && len(steps) > 1 && steps[1] != manifestKey {
		// Inside of a big object, which is a text, the engine shows nothing but the path.
		steps[0] = manifestKey
	}
	switch {
	case steps[0] == manifestKey && len(steps) == 1:
		return ""
	case steps[0] == manifestKey && (steps[1] == "apiVersion" || steps[1] == "kind"):
		// They are no fields of the resource. What they were is in the reference to the object.
		return values.FormatSegments(Options, referenceKey, steps[1])
	case steps[0] == manifestKey:
		return values.FormatSegments(translate(a.shape, steps[1:], (*shape).inSchema)...)
	case isHidden(steps[0]):
		return path
	default:
		return values.FormatSegments(append([]any{Options}, steps...)...)
	}
}

// translate translates the names in a path.
func translate(s *shape, steps []any, name func(*shape, string) (string, *shape)) []any {
	var out []any
	for _, step := range steps {
		key, isKey := step.(string)
		if !isKey || key == "*" {
			if s != nil {
				s = s.each
			}
			out = append(out, step)
			continue
		}
		var translated string
		translated, s = name(s, key)
		out = append(out, translated)
	}
	return out
}

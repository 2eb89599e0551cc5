package sets

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

var namespacePath = []string{"metadata", "namespace"}

// identity are the fields that make the key of an object.
var identity = [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, namespacePath}

// Identify reads the parts that make the key of an object. unknown means that one of them is not known yet. secret is the path of
// a part that is secret although the object as a whole is not; otherwise it is empty.
func Identify(object map[string]any, secrets values.Marks) (unknown bool, secret string) {
	whole := secrets.IsSecret(property.Path{})
	for _, path := range identity {
		part, found := at(object, path)
		switch {
		case found && values.HasUnknown(part):
			return true, ""
		case found && !whole && secret == "" && secrets.IsSecret(pathOf(path)):
			secret = values.FormatPath(pathOf(path))
		}
	}
	return false, secret
}

// at returns the value at a path, or the unknown above it.
func at(tree any, path []string) (any, bool) {
	for _, key := range path {
		if values.IsUnknown(tree) {
			return tree, true
		}
		object, _ := tree.(map[string]any)
		member, found := object[key]
		if !found {
			return nil, false
		}
		tree = member
	}
	return tree, true
}

func pathOf(keys []string) property.Path {
	var segments []property.PathSegment
	for _, key := range keys {
		segments = append(segments, property.NewSegment(key))
	}
	return property.PathFromSegments(segments...)
}

package tracked

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Marked is a tree with some secret places.
type Marked struct {
	// Tree is an object, or part of one that starts at the object's root.
	Tree map[string]any
	// Secrets are the secret places in it.
	Secrets values.Marks
}

// SecretPlaces returns the secret places of a projection: every field with a value from a secret place of one of the
// sources, and a Secret's data. It matches fields by path, because the items of a projected list may have other
// positions than in the source.
//
// namesSecret reports whether names of fields are secret too.
func SecretPlaces(projection map[string]any, fields *fieldpath.Set, sources ...Marked) (secrets values.Marks, namesSecret bool) {
	for _, source := range sources {
		if source.Secrets.Empty() {
			continue
		}
		if source.Secrets.IsSecret(property.Path{}) {
			secrets.Add(property.Path{})
			return secrets, true
		}
		fields.Leaves().Iterate(func(path fieldpath.Path) {
			if source.secretKey(path) {
				namesSecret = true
			}
			depth, ok := source.SecretDepth(path)
			if !ok {
				return
			}
			if source.HidesNames(path, depth) {
				namesSecret = true
			}
			if _, at, ok := ownership.Locate(projection, path[:depth]); ok {
				secrets.Add(PropertyPath(at))
			}
		})
	}
	MarkKind(&secrets, manifest.IdentityOf(projection))
	return secrets, namesSecret
}

// SecretDepth returns how many elements of path lead to the outermost secret. A leaf that contains a secret (an
// atomic list, for example) counts as secret as a whole: positions inside it may have changed.
func (m Marked) SecretDepth(path fieldpath.Path) (int, bool) {
	_, at, ok := ownership.Locate(m.Tree, path)
	if !ok {
		return 0, false
	}
	for depth := 0; depth <= len(at); depth++ {
		if m.Secrets.IsSecret(PropertyPath(at[:depth])) {
			return depth, true
		}
	}
	return len(path), !m.Secrets.Sub(Segments(at)...).Empty()
}

// HidesNames reports whether names of fields in path are inside the secret at depth, and so secret too. The keys of a
// Secret are not, only their values.
func (m Marked) HidesNames(path fieldpath.Path, depth int) bool {
	if id := manifest.IdentityOf(m.Tree); depth == 1 && manifest.IsSecretKind(id.APIVersion, id.Kind) {
		if name := path[0].FieldName; name != nil && *name == "data" {
			return false
		}
	}
	return depth < len(path)
}

// secretKey reports whether a list item of path is selected by a secret.
func (m Marked) secretKey(path fieldpath.Path) bool {
	for n := range path {
		element := path[n]
		if element.FieldName != nil || element.Index != nil {
			continue
		}
		_, at, ok := ownership.Locate(m.Tree, path[:n+1])
		if !ok {
			continue
		}
		if element.Value != nil && m.Secrets.IsSecret(PropertyPath(at)) {
			return true
		}
		if element.Key == nil {
			continue
		}
		for _, field := range *element.Key {
			if m.Secrets.IsSecret(PropertyPath(append(slices.Clip(at), field.Name))) {
				return true
			}
		}
	}
	return false
}

// PropertyPath converts a place in a tree to Pulumi's path.
func PropertyPath(at ownership.Location) property.Path {
	return property.PathFromSegments(Segments(at)...)
}

// Segments converts a place in a tree to the segments of Pulumi's path.
func Segments(at ownership.Location) []property.PathSegment {
	result := make([]property.PathSegment, len(at))
	for i, segment := range at {
		switch segment := segment.(type) {
		case int:
			result[i] = property.NewSegment(segment)
		case string:
			result[i] = property.NewSegment(segment)
		}
	}
	return result
}

package object

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// marked is a tree of which some places are secret.
type marked struct {
	tree    map[string]any
	secrets values.Marks
}

// secretPlaces returns what is secret in a projection: every field whose value
// comes from a secret place of one of the sources, and a Secret's data. Fields
// are matched by their paths, since items of a projected list need not stand
// where they stand in the source.
//
// namesSecret reports whether names of fields are secret too.
func secretPlaces(projection map[string]any, fields *fieldpath.Set, sources ...marked) (secrets values.Marks, namesSecret bool) {
	for _, source := range sources {
		if source.secrets.Empty() {
			continue
		}
		if source.secrets.IsSecret(property.Path{}) {
			secrets.Add(property.Path{})
			return secrets, true
		}
		fields.Leaves().Iterate(func(path fieldpath.Path) {
			if source.secretKey(path) {
				namesSecret = true
			}
			depth, ok := source.secretDepth(path)
			if !ok {
				return
			}
			if source.hidesNames(path, depth) {
				namesSecret = true
			}
			if _, at, ok := ownership.Locate(projection, path[:depth]); ok {
				secrets.Add(propertyPath(at))
			}
		})
	}
	id := manifest.IdentityOf(projection)
	if manifest.IsSecretKind(id.APIVersion, id.Kind) {
		secrets.Add(propertyPath(ownership.Location{"data"}))
		secrets.Add(propertyPath(ownership.Location{"stringData"}))
	}
	return secrets, namesSecret
}

// secretDepth returns how many elements of path lead to the outermost secret. A
// leaf with a secret inside (an atomic list, say) counts as secret as a whole:
// what is where inside it may have changed.
func (m marked) secretDepth(path fieldpath.Path) (int, bool) {
	_, at, ok := ownership.Locate(m.tree, path)
	if !ok {
		return 0, false
	}
	for depth := 0; depth <= len(at); depth++ {
		if m.secrets.IsSecret(propertyPath(at[:depth])) {
			return depth, true
		}
	}
	return len(path), !m.secrets.Sub(segments(at)...).Empty()
}

// hidesNames reports whether names of fields in path are inside of the secret at
// depth, and so secret too. The keys of a Secret are not, only their values.
func (m marked) hidesNames(path fieldpath.Path, depth int) bool {
	if id := manifest.IdentityOf(m.tree); depth == 1 && manifest.IsSecretKind(id.APIVersion, id.Kind) {
		if name := path[0].FieldName; name != nil && *name == "data" {
			return false
		}
	}
	return depth < len(path)
}

// secretKey reports whether a list item of path is selected by a secret.
func (m marked) secretKey(path fieldpath.Path) bool {
	for n := range path {
		element := path[n]
		if element.FieldName != nil || element.Index != nil {
			continue
		}
		_, at, ok := ownership.Locate(m.tree, path[:n+1])
		if !ok {
			continue
		}
		if element.Value != nil && m.secrets.IsSecret(propertyPath(at)) {
			return true
		}
		if element.Key == nil {
			continue
		}
		for _, field := range *element.Key {
			if m.secrets.IsSecret(propertyPath(append(at[:len(at):len(at)], field.Name))) {
				return true
			}
		}
	}
	return false
}

// propertyPath turns a place in a tree into Pulumi's path.
func propertyPath(at ownership.Location) property.Path {
	return property.PathFromSegments(segments(at)...)
}

func segments(at ownership.Location) []property.PathSegment {
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

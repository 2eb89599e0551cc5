package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// Identity says which object a manifest describes. Namespace is empty for objects without one.
type Identity struct {
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
}

// IdentityOf reads the identity of an object. Parts that are missing, unknown or not text stay empty.
func IdentityOf(object map[string]any) Identity {
	text := func(keys ...string) string {
		text, _ := member(object, keys...).(string)
		return text
	}
	return Identity{
		APIVersion: text("apiVersion"),
		Kind:       text("kind"),
		Namespace:  text("metadata", "namespace"),
		Name:       text("metadata", "name"),
	}
}

// String returns the ID of the object, apiVersion/kind/namespace/name or apiVersion/kind/name, such as
// apps/v1/Deployment/prod/web, v1/Namespace/prod, rbac.authorization.k8s.io/v1/ClusterRole/system:node.
func (i Identity) String() string {
	if i.Namespace == "" {
		return i.APIVersion + "/" + i.Kind + "/" + i.Name
	}
	return i.APIVersion + "/" + i.Kind + "/" + i.Namespace + "/" + i.Name
}

// In returns the identity in a namespace, unless it has one.
func (i Identity) In(namespace string) Identity {
	i.Namespace = cmp.Or(i.Namespace, namespace)
	return i
}

// Group returns the API group, empty for the core group.
func (i Identity) Group() string {
	group, _, hasGroup := strings.Cut(i.APIVersion, "/")
	if !hasGroup {
		return ""
	}
	return group
}

// ParseID reads an ID written by [Identity.String]. A first segment that is a bare version, such as v1, means the
// core group; every other ID begins with a group.
func ParseID(id string) (Identity, error) {
	segments := strings.Split(id, "/")
	head := 2 // group and version
	if bareVersion.MatchString(segments[0]) {
		head = 1
	}
	var identity Identity
	switch len(segments) - head {
	case 2:
		identity = Identity{Kind: segments[head], Name: segments[head+1]}
	case 3:
		identity = Identity{Kind: segments[head], Namespace: segments[head+1], Name: segments[head+2]}
	default:
		return Identity{}, idError(id, fmt.Sprintf("it has %d parts", len(segments)))
	}
	if slices.Contains(segments, "") {
		return Identity{}, idError(id, "a part of it is empty")
	}
	for _, segment := range segments[head:] {
		if faults := content.IsPathSegmentName(segment); len(faults) > 0 {
			return Identity{}, idError(id, fmt.Sprintf("the part %q %s", segment, faults[0]))
		}
	}
	identity.APIVersion = strings.Join(segments[:head], "/")
	return identity, nil
}

// idError explains why an ID was not understood and what one looks like.
func idError(id, why string) error {
	return fmt.Errorf("object ID %q cannot be read: %s. An ID is apiVersion/kind/namespace/name, "+
		"or apiVersion/kind/name for an object without a namespace: apps/v1/Deployment/prod/web, "+
		"v1/ConfigMap/prod/settings, v1/Namespace/prod, rbac.authorization.k8s.io/v1/ClusterRole/system:node", id, why)
}

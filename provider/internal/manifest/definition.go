package manifest

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// IsDefinition reports whether objects of this kind define kinds.
func IsDefinition(kind schema.GroupKind) bool {
	return kind == kinds.CustomResourceDefinition
}

// Defined returns the kind that a CustomResourceDefinition defines, and whether it is cluster-scoped. It returns
// false for any other object, and for a definition that does not say that much.
func Defined(object map[string]any) (kind schema.GroupKind, clusterScoped, ok bool) {
	if !IsDefinition(IdentityOf(object).GroupKind()) {
		return schema.GroupKind{}, false, false
	}
	group, _ := member(object, "spec", "group").(string)
	name, _ := member(object, "spec", "names", "kind").(string)
	scope, _ := member(object, "spec", "scope").(string)
	return schema.GroupKind{Group: group, Kind: name}, scope == "Cluster", group != "" && name != "" && scope != ""
}

// Served returns the kind that a CustomResourceDefinition defines, in each version that it serves.
func Served(object map[string]any) (served []schema.GroupVersionKind) {
	kind, _, ok := Defined(object)
	if !ok {
		return nil
	}
	versions, _ := member(object, "spec", "versions").([]any)
	for _, version := range versions {
		version, _ := version.(map[string]any)
		if name, named := version["name"].(string); named && version["served"] == true {
			served = append(served, kind.WithVersion(name))
		}
	}
	return served
}

// ResourceOf returns where to list the objects that a CustomResourceDefinition defines: in the version in which they are stored, which
// needs the conversion webhook least, or in any that is served.
func ResourceOf(definition map[string]any) (resource schema.GroupVersionResource, served bool) {
	resource.Group, _ = member(definition, "spec", "group").(string)
	resource.Resource, _ = member(definition, "spec", "names", "plural").(string)
	versions, _ := member(definition, "spec", "versions").([]any)
	for _, version := range versions {
		version, _ := version.(map[string]any)
		if version["served"] != true {
			continue
		}
		if name, _ := version["name"].(string); !served || version["storage"] == true {
			resource.Version, served = name, true
		}
	}
	return resource, served
}

// GroupKind returns the kind without the version.
func (i Identity) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: i.Group(), Kind: i.Kind}
}

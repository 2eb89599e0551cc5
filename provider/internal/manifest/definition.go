package manifest

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// IsDefinition reports whether objects of this kind define kinds.
func IsDefinition(kind schema.GroupKind) bool {
	return kind == kinds.CustomResourceDefinition
}

// Defined is the kind that a CustomResourceDefinition defines, and whether its objects live outside of
// namespaces. It returns false for any other object, and for a definition that does not say so much.
func Defined(object map[string]any) (kind schema.GroupKind, clusterScoped, ok bool) {
	if !IsDefinition(IdentityOf(object).GroupKind()) {
		return schema.GroupKind{}, false, false
	}
	group, _ := member(object, "spec", "group").(string)
	name, _ := member(object, "spec", "names", "kind").(string)
	scope, _ := member(object, "spec", "scope").(string)
	return schema.GroupKind{Group: group, Kind: name}, scope == "Cluster", group != "" && name != "" && scope != ""
}

// GroupKind is the kind without the version.
func (i Identity) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: i.Group(), Kind: i.Kind}
}

package functions

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// scopes are the kinds that are defined among the objects, and whether they are cluster-scoped.
type scopes map[schema.GroupKind]bool

func definedScopes(objects []located) scopes {
	defined := scopes{}
	for _, object := range objects {
		if kind, clusterScoped, ok := manifest.Defined(object.Object); ok {
			defined[kind] = clusterScoped
		}
	}
	return defined
}

// tier returns the tier that a kind is applied in.
func (s scopes) tier(kind schema.GroupKind) string {
	switch {
	case manifest.IsDefinition(kind):
		return keyCRDs
	case kinds.IsClusterScoped(kind) || s[kind]:
		return keyClusterScoped
	default:
		return keyNamespaced
	}
}

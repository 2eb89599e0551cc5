package sources

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// scopes are the kinds that the documents define. The value says whether the kind is cluster-scoped.
type scopes map[schema.GroupKind]bool

func definedScopes(documents []Document) scopes {
	defined := scopes{}
	for _, document := range documents {
		if kind, clusterScoped, ok := manifest.Defined(document.Object); ok {
			defined[kind] = clusterScoped
		}
	}
	return defined
}

// Tier is one of the three parts of a set that are applied one after the other, if the objects ask for no other order.
type Tier string

// The tiers, in their order.
const (
	Definitions   Tier = "crds"
	ClusterScoped Tier = "clusterScoped"
	Namespaced    Tier = "namespaced"
)

// tier returns the tier that a kind is applied in.
func (s scopes) tier(kind schema.GroupKind) Tier {
	switch {
	case manifest.IsDefinition(kind):
		return Definitions
	case kinds.IsClusterScoped(kind) || s[kind]:
		return ClusterScoped
	default:
		return Namespaced
	}
}

// knows reports whether it is known if a kind is namespaced.
func (s scopes) knows(kind schema.GroupKind) bool {
	_, defined := s[kind]
	return defined || kinds.OwnGroup(kind.Group)
}

package tracked

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// GoneWith remembers, for this operation, the Namespaces and the kinds that it has deleted. The objects in them are
// gone as well, although the read at the beginning of the command found them.
type GoneWith struct{ notes Notes }

// NewGoneWith returns the record that all resources share.
func NewGoneWith(memory *Memory) GoneWith { return GoneWith{memory.For("cluster")} }

const goneWith = "what was in it is gone" // Namespace or kind, in a cluster

// Namespace records that a Namespace was deleted.
func (g *GoneWith) Namespace(in Origin, name string) { g.notes.set(goneWith, in.Key()+" "+name, "") }

// Kind records that the definition of a kind was deleted.
func (g *GoneWith) Kind(in Origin, kind schema.GroupKind) {
	g.notes.set(goneWith, in.Key()+" "+kind.String(), "")
}

// Has reports whether an object was in something that was deleted.
func (g *GoneWith) Has(in Origin, id manifest.Identity) bool {
	for _, place := range []string{id.Namespace, id.GroupKind().String()} {
		if _, gone := g.notes.get(goneWith, in.Key()+" "+place); gone && place != "" {
			return true
		}
	}
	return false
}

package tracked

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// IsInSet reports whether a resource is a child of a component with a set of objects. Such a component uses the
// identity of each object as its key.
func IsInSet(urn resource.URN) bool {
	return isBelow(urn, "k8sconnect:index:Manifests") || IsInChart(urn)
}

// IsInChart reports whether a chart has rendered the manifest of a resource.
func IsInChart(urn resource.URN) bool { return isBelow(urn, "k8sconnect:index:Chart") }

func isBelow(urn resource.URN, component string) bool {
	above := strings.Split(string(urn.QualifiedType()), resource.URNTypeDelimiter)
	return slices.Contains(above[:len(above)-1], component)
}

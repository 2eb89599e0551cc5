package tracked

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// IsInSet reports whether a resource is a child of a component with a set of objects, each of which has its identity as its key.
func IsInSet(urn resource.URN) bool {
	above := strings.Split(string(urn.QualifiedType()), resource.URNTypeDelimiter)
	return slices.ContainsFunc(above[:len(above)-1], func(component string) bool {
		return component == "k8sconnect:index:Manifests" || component == "k8sconnect:index:Chart"
	})
}

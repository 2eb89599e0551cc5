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

// RenameOfSet says what to do about a component that was renamed without an alias. The run that fails for this reason
// leaves the component in the state under its new name, and for a name that is in the state, the engine ignores
// aliases. A component cannot know whether that has happened.
const RenameOfSet = "was renamed, give it the old name again and run `pulumi up`; then rename it, with the old name as an alias (the resource option " +
	"`aliases`). With the alias alone it works only if no `up` has failed before: that has left the new name in the state, where it wins over an alias"

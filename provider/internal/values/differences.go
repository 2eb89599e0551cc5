package values

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Differences lists the paths at which two property maps differ, in the engine's notation for a detailed diff, and
// how: added, changed or deleted. An unknown value differs from every other.
func Differences(olds, news property.Map) map[string]plugin.DiffKind {
	differences := map[string]plugin.DiffKind{}
	difference := resource.ToResourcePropertyMap(olds).Diff(resource.ToResourcePropertyMap(news))
	for path, change := range plugin.NewDetailedDiffFromObjectDiff(difference, true) {
		differences[path] = change.Kind
	}
	return differences
}

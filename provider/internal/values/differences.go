package values

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Differences lists the paths at which two property maps differ, in the engine's notation for a detailed diff, and
// how: added, changed or deleted. An unknown value differs from every other.
//
// plugin.NewDetailedDiffFromObjectDiff does the same, but writes paths that the engine cannot read, see [EnginePath].
func Differences(olds, news property.Map) map[string]plugin.DiffKind {
	found := differences{}
	if difference := resource.ToResourcePropertyMap(olds).Diff(resource.ToResourcePropertyMap(news)); difference != nil {
		found.inMap(nil, *difference)
	}
	return found
}

type differences map[string]plugin.DiffKind

func (d differences) add(at []property.PathSegment, kind plugin.DiffKind) {
	path, whole := EnginePath(property.PathFromSegments(at...))
	if !whole {
		kind = plugin.DiffUpdate
	}
	d[path] = kind
}

func (d differences) inMap(at []property.PathSegment, difference resource.ObjectDiff) {
	for key, change := range difference.Updates {
		d.inValue(below(at, string(key)), change)
	}
	for key := range difference.Adds {
		d.add(below(at, string(key)), plugin.DiffAdd)
	}
	for key := range difference.Deletes {
		d.add(below(at, string(key)), plugin.DiffDelete)
	}
}

func (d differences) inList(at []property.PathSegment, difference resource.ArrayDiff) {
	for i, change := range difference.Updates {
		d.inValue(below(at, i), change)
	}
	for i := range difference.Adds {
		d.add(below(at, i), plugin.DiffAdd)
	}
	for i := range difference.Deletes {
		d.add(below(at, i), plugin.DiffDelete)
	}
}

func (d differences) inValue(at []property.PathSegment, difference resource.ValueDiff) {
	switch {
	case difference.Object != nil:
		d.inMap(at, *difference.Object)
	case difference.Array != nil:
		d.inList(at, *difference.Array)
	case difference.Old.V == nil && difference.New.V != nil:
		d.add(at, plugin.DiffAdd)
	case difference.Old.V != nil && difference.New.V == nil:
		d.add(at, plugin.DiffDelete)
	default:
		d.add(at, plugin.DiffUpdate)
	}
}

func below[T string | int](at []property.PathSegment, last T) []property.PathSegment {
	return append(slices.Clip(at), property.NewSegment(last))
}

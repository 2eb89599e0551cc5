package v1alpha1

import (
	"maps"
	"slices"
)

// Dependencies are the names of the Environments that one depends on, sorted.
func (e *Environment) Dependencies() []string {
	names := map[string]bool{}
	for _, other := range e.Spec.DependsOn {
		names[other.Name] = true
	}
	for _, from := range e.Spec.ConfigFrom {
		names[from.EnvironmentRef.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

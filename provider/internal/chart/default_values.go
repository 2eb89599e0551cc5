package chart

import (
	"slices"

	helm "helm.sh/helm/v4/pkg/chart/v2"
)

// globals is the key of the values that subcharts share.
const globals = "global"

// HasDefault reports whether the chart, or one of its subcharts, sets a value at a path of keys.
func (c *Chart) HasDefault(path []string) bool { return hasDefault(c.loaded, path) }

func hasDefault(chart *helm.Chart, path []string) bool {
	if HasValue(chart.Values, path) {
		return true
	}
	for _, child := range chart.Dependencies() {
		isNamed := slices.Contains(keysFor(chart, child), path[0]) && len(path) > 1
		if isNamed && hasDefault(child, path[1:]) || path[0] == globals && hasDefault(child, path) {
			return true
		}
	}
	return false
}

// keysFor are the keys under which a chart has the values of a subchart: its aliases, or its name.
func keysFor(chart, child *helm.Chart) (names []string) {
	for _, dependency := range chart.Metadata.Dependencies {
		if dependency.Name == child.Name() && dependency.Alias != "" {
			names = append(names, dependency.Alias)
		}
	}
	return append(names, child.Name())
}

// HasValue reports whether values contain a value other than null at a path of keys.
func HasValue(values map[string]any, path []string) bool {
	var at any = values
	for _, key := range path {
		table, _ := at.(map[string]any)
		if at = table[key]; at == nil {
			return false
		}
	}
	return true
}

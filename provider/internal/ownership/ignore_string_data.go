package ownership

import (
	"maps"
	"slices"
)

// Folded returns the selection for a Secret in the API server's form, in which stringData is part of data. stringData
// as a whole stands for the keys that written, the user's manifest, has there.
func (ignore Ignore) Folded(written map[string]any) Ignore {
	data, result := "data", make(Ignore, 0, len(ignore))
	texts, _ := written["stringData"].(map[string]any)
	for _, pattern := range ignore {
		first := pattern.steps[0]
		switch {
		case first.name == nil || *first.name != "stringData":
			result = append(result, pattern)
		case len(pattern.steps) > 1 && !pattern.steps[1].all:
			pattern.steps = append([]selector{{name: &data}}, pattern.steps[1:]...)
			result = append(result, pattern)
		default:
			for _, key := range slices.Sorted(maps.Keys(texts)) {
				folded := pattern
				folded.steps = []selector{{name: &data}, {name: &key}}
				result = append(result, folded)
			}
		}
	}
	return result
}

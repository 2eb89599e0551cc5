package ownership

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Reordered lists the lists of fields whose items have a different order in to than in from. It considers only items
// that are in fields and in both trees: other items change no order.
func Reordered(from, to map[string]any, fields *fieldpath.Set) []fieldpath.Path {
	return reordered(nil, from, to, fields)
}

func reordered(at fieldpath.Path, from, to any, fields *fieldpath.Set) []fieldpath.Path {
	var lists []fieldpath.Path
	type placed struct{ before, after int }
	var items []placed
	for element, below := range elements(fields) {
		was, before, had := step(from, element)
		is, after, has := step(to, element)
		if !had || !has || matchesOther(before, element, fields) || matchesOther(after, element, fields) {
			continue
		}
		if i, ok := was.(int); ok && element.Index == nil {
			items = append(items, placed{i, is.(int)})
		}
		if below != nil {
			lists = append(lists, reordered(append(slices.Clip(at), element), before, after, below)...)
		}
	}
	slices.SortFunc(items, func(a, b placed) int { return a.before - b.before })
	if !slices.IsSortedFunc(items, func(a, b placed) int { return a.after - b.after }) {
		lists = append(lists, at)
	}
	return lists
}

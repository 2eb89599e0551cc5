package ownership

import (
	"iter"
	"sort"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Project reduces live to the fields of set. template is what was applied: it determines the order of list items, and
// distinguishes an empty map that the user wrote from an atomic map with content, which look alike in a set.
func Project(live map[string]any, set *fieldpath.Set, template map[string]any) map[string]any {
	result, _ := project(live, set, template).(map[string]any)
	if result == nil {
		result = map[string]any{}
	}
	return result
}

func project(live any, set *fieldpath.Set, template any) any {
	switch live := live.(type) {
	case map[string]any:
		return projectMap(live, set, template)
	case []any:
		return projectList(live, set, template)
	default:
		return live
	}
}

func projectMap(live map[string]any, set *fieldpath.Set, template any) any {
	wanted, _ := template.(map[string]any)
	result := map[string]any{}
	for element, child := range elements(set) {
		if element.FieldName == nil {
			continue
		}
		name := *element.FieldName
		v := live[name]
		if v == nil {
			// Some kinds leave a null in place of an emptied list. It counts as absent, as in a manifest.
			continue
		}
		projected := projectChild(v, child, wanted[name])
		if isEmptyContainer(projected) && !set.Members.Has(element) {
			// We do not own the field itself, only fields below it that are gone.
			continue
		}
		result[name] = projected
	}
	return result
}

func projectList(live []any, set *fieldpath.Set, template any) any {
	wanted, _ := template.([]any)
	type placed struct {
		rank, at int
		item     any
	}
	var items []placed
	byPosition := false
	for element, child := range elements(set) {
		at := indexOf(live, element)
		if at < 0 {
			continue
		}
		rank := len(wanted) + at
		var pattern any
		if i := indexOf(wanted, element); i >= 0 {
			rank, pattern = i, wanted[i]
		}
		items = append(items, placed{rank, at, projectChild(live[at], child, pattern)})
		byPosition = byPosition || element.Index != nil
	}
	if byPosition {
		// An item identified only by position keeps its position; items outside the set are null.
		var result []any
		for _, p := range items {
			result = append(result, make([]any, max(0, p.at+1-len(result)))...)
			result[p.at] = p.item
		}
		return result
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].rank < items[j].rank })
	result := make([]any, 0, len(items))
	for _, p := range items {
		result = append(result, p.item)
	}
	return result
}

// projectChild projects below an element that has children in the set, and copies the value of one without children:
// a scalar, an atomic list or map, or an empty container.
func projectChild(live any, child *fieldpath.Set, template any) any {
	if child != nil && !child.Empty() {
		return project(live, child, template)
	}
	if isEmptyContainer(template) && sameContainer(live, template) {
		// We own its existence. What others put into it is theirs.
		return runtime.DeepCopyJSONValue(template)
	}
	return runtime.DeepCopyJSONValue(live)
}

// elements yields every element of one level of the set, whether it is a member, has members below it, or both,
// together with what is below it. The loop must not end early: the underlying iterators do not stop.
func elements(set *fieldpath.Set) iter.Seq2[fieldpath.PathElement, *fieldpath.Set] {
	return func(yield func(fieldpath.PathElement, *fieldpath.Set) bool) {
		for pe := range set.Children.All() {
			child, _ := set.Children.Get(pe)
			if !yield(pe, child) {
				return
			}
		}
		for pe := range set.Members.All() {
			if child, ok := set.Children.Get(pe); ok && child != nil {
				continue
			}
			if !yield(pe, nil) {
				return
			}
		}
	}
}

func isEmptyContainer(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return v != nil && len(v) == 0
	case []any:
		return v != nil && len(v) == 0
	}
	return false
}

func sameContainer(a, b any) bool {
	switch a.(type) {
	case map[string]any:
		_, ok := b.(map[string]any)
		return ok
	case []any:
		_, ok := b.([]any)
		return ok
	}
	return false
}

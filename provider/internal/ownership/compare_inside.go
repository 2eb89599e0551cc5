package ownership

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Inside splits changes of atomic lists and maps into the differences inside them, for a display beside the written
// value; written returns the written value at a path. The API server adds defaults to an atomic value as well, and the
// written value lacks them, so a change of the whole value would show them as removed. Inside leaves other changes
// unsplit.
//
// It compares the items of lists by position, because an atomic list has no keys.
func Inside(changes []Change, written func(fieldpath.Path) (any, bool)) []Change {
	var result []Change
	for _, change := range changes {
		inside := []Change{change}
		if sent, ok := written(change.Path); ok && change.Kind == Changed && !Equal(sent, change.New) {
			if shown := change.shownInside(sent); len(shown) > 0 {
				inside = shown
			}
		}
		result = append(result, inside...)
	}
	return result
}

// In returns the values of a tree by their paths.
func In(tree any) func(fieldpath.Path) (any, bool) {
	return func(path fieldpath.Path) (any, bool) {
		v, _, ok := Locate(tree, path)
		return v, ok
	}
}

// shownInside lists the differences inside a change. It leaves out a default that appeared: neither the old value nor
// the sent one has it.
func (c Change) shownInside(sent any) []Change {
	var inside []Change
	add := func(element fieldpath.PathElement, before, after, written any, had, has, isSent bool) {
		below := Change{Path: append(slices.Clip(c.Path), element), Old: before, New: after}
		switch {
		case had && has:
			inside = append(inside, below.shownInside(written)...)
		case had:
			below.Kind = Removed
			inside = append(inside, below)
		case has && isSent:
			below.Kind = Added
			inside = append(inside, below)
		}
	}
	switch before := c.Old.(type) {
	case map[string]any:
		after, ok := c.New.(map[string]any)
		if !ok {
			return []Change{c}
		}
		written, _ := sent.(map[string]any)
		for _, name := range sortedNames(before, after) {
			old, had := before[name]
			new, has := after[name]
			own, isSent := written[name]
			add(fieldpath.PathElement{FieldName: &name}, old, new, own, had, has, isSent)
		}
		return inside
	case []any:
		after, ok := c.New.([]any)
		if !ok {
			return []Change{c}
		}
		written, _ := sent.([]any)
		for i := range max(len(before), len(after)) {
			old, had := itemAt(before, i)
			new, has := itemAt(after, i)
			own, isSent := itemAt(written, i)
			add(fieldpath.PathElement{Index: &i}, old, new, own, had, has, isSent)
		}
		return inside
	}
	if Equal(c.Old, c.New) {
		return nil
	}
	return []Change{c}
}

func itemAt(list []any, i int) (any, bool) {
	if i >= len(list) {
		return nil, false
	}
	return list[i], true
}

func sortedNames(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

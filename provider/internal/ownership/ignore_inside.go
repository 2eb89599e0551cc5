package ownership

import (
	"errors"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Within returns the same selection, extended to select items by members that are not merge keys, such as a port by
// its name. trees contain these members, the manifest first; managedFields do not.
func (ignore Ignore) Within(trees ...map[string]any) Ignore {
	result := make(Ignore, len(ignore))
	for i, pattern := range ignore {
		pattern.trees = append(slices.Clip(pattern.trees), trees...)
		result[i] = pattern
	}
	return result
}

// Inside lists the leaves of fields that the patterns reach into: atomic lists and maps that are partly ignored.
func (ignore Ignore) Inside(fields *fieldpath.Set) []fieldpath.Path {
	var leaves []fieldpath.Path
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		for _, pattern := range ignore {
			if pattern.reachesInto(path) {
				leaves = append(leaves, path.Copy())
				return
			}
		}
	})
	return leaves
}

// reachesInto reports whether the pattern selects something below path.
func (p Pattern) reachesInto(path fieldpath.Path) bool {
	if len(path) >= len(p.steps) {
		return false
	}
	shorter := p
	shorter.steps = p.steps[:len(path)]
	return shorter.Matches(path)
}

// ReachesBeyond reports whether a pattern reaches into a list or map of tree that fields does not contain, so that we
// do not know whether it is atomic.
func (ignore Ignore) ReachesBeyond(tree map[string]any, fields *fieldpath.Set) bool {
	return slices.ContainsFunc(ignore, func(pattern Pattern) bool { return reachesBeyond(pattern.steps, tree, fields) })
}

func reachesBeyond(steps []selector, tree any, fields *fieldpath.Set) bool {
	if len(steps) == 1 || !isContainer(tree) {
		return false
	}
	if fields == nil {
		return true
	}
	known := map[any]*fieldpath.Set{}
	for element, below := range elements(fields) {
		if segment, _, ok := step(tree, element); ok {
			known[segment] = below
		}
	}
	for segment, child := range selected(steps[0], tree) {
		below, ok := known[segment]
		if isContainer(child) && !ok || reachesBeyond(steps[1:], child, below) {
			return true
		}
	}
	return false
}

// selected yields the members or items of tree that a step selects, by their segments.
func selected(by selector, tree any) iter.Seq2[any, any] {
	return func(yield func(segment, child any) bool) {
		switch tree := tree.(type) {
		case map[string]any:
			for name, member := range tree {
				if (by.all || by.name != nil && *by.name == name) && !yield(name, member) {
					return
				}
			}
		case []any:
			for i, item := range tree {
				if by.selects(item) && !yield(i, item) {
					return
				}
			}
		}
	}
}

func isContainer(tree any) bool {
	switch tree.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// ErrNoMatch means that the items of two lists could not be matched.
var ErrNoMatch = errors.New("the items cannot be matched")

// Overlay returns the value of wanted at leaf, with its ignored parts taken from live. A part without a counterpart in
// live keeps its initial value. The error is [ErrNoMatch].
func (ignore Ignore) Overlay(wanted, live map[string]any, leaf fieldpath.Path) (any, error) {
	v, _, ok := Locate(wanted, leaf)
	if !ok {
		return nil, nil
	}
	v = runtime.DeepCopyJSONValue(v)
	now, _, ok := Locate(live, leaf)
	if !ok {
		return v, nil
	}
	var inside [][]selector
	for _, pattern := range ignore {
		if pattern.reachesInto(leaf) {
			inside = append(inside, pattern.steps[len(leaf):])
		}
	}
	return overlay(v, now, inside)
}

// overlay copies what paths select from live into wanted.
func overlay(wanted, live any, paths [][]selector) (any, error) {
	switch wanted := wanted.(type) {
	case map[string]any:
		now, ok := live.(map[string]any)
		if !ok {
			return wanted, nil
		}
		return overlayMap(wanted, now, paths)
	case []any:
		now, ok := live.([]any)
		if !ok {
			return wanted, nil
		}
		return overlayList(wanted, now, paths)
	}
	return wanted, nil
}

func overlayMap(wanted, live map[string]any, paths [][]selector) (any, error) {
	names := map[string]bool{}
	for name := range wanted {
		names[name] = true
	}
	for name := range live {
		names[name] = true
	}
	for name := range names {
		var below [][]selector
		whole := false
		for _, steps := range paths {
			if step := steps[0]; step.all || step.name != nil && *step.name == name {
				whole = whole || len(steps) == 1
				below = append(below, steps[1:])
			}
		}
		member, isWanted := wanted[name]
		now, isLive := live[name]
		switch {
		case len(below) == 0:
		case whole && isLive:
			wanted[name] = runtime.DeepCopyJSONValue(now)
		case whole:
			delete(wanted, name)
		case isWanted && isLive:
			v, err := overlay(member, now, below)
			if err != nil {
				return nil, err
			}
			wanted[name] = v
		}
	}
	return wanted, nil
}

func overlayList(wanted, live []any, paths [][]selector) (any, error) {
	// An item without its ignored parts.
	type item struct {
		below [][]selector
		whole bool
		rest  any
	}
	of := func(list []any) []item {
		items := make([]item, len(list))
		for i, v := range list {
			items[i].rest = runtime.DeepCopyJSONValue(v)
			for _, steps := range paths {
				if !steps[0].selects(v) {
					continue
				}
				items[i].whole = items[i].whole || len(steps) == 1
				if len(steps) > 1 {
					items[i].below = append(items[i].below, steps[1:])
					items[i].rest = prune(items[i].rest, steps[1:])
				}
			}
		}
		return items
	}
	own, theirs := of(wanted), of(live)
	pairs, used := make([]int, len(own)), make([]bool, len(theirs))
	for i := range pairs {
		pairs[i] = -1
	}
	pair := func(fits func(own, live item) bool) {
		for i := range own {
			for j := range theirs {
				if pairs[i] < 0 && !used[j] && !own[i].whole && !theirs[j].whole && fits(own[i], theirs[j]) {
					pairs[i], used[j] = j, true
				}
			}
		}
	}
	pair(func(own, live item) bool { return Equal(own.rest, live.rest) })
	pair(func(own, live item) bool { return isPartOf(own.rest, live.rest) })
	pair(func(own, live item) bool { return sameName(own.rest, live.rest) })
	var alone, left []int
	for i := range own {
		if pairs[i] < 0 && !own[i].whole && len(own[i].below) > 0 {
			alone = append(alone, i)
		}
	}
	for j := range theirs {
		if !used[j] && !theirs[j].whole && len(theirs[j].below) > 0 {
			left = append(left, j)
		}
	}
	switch {
	case len(alone) == len(left) && len(wanted) == len(live):
		for n, i := range alone {
			if i != left[n] {
				return nil, ErrNoMatch
			}
			pairs[i] = left[n]
		}
	case len(alone) > 0 && len(left) > 0:
		return nil, ErrNoMatch
	}
	result := make([]any, 0, len(wanted))
	for i, v := range wanted {
		switch {
		case own[i].whole: // replaced by the live one
		case pairs[i] >= 0 && len(own[i].below) > 0:
			v, err := overlay(v, live[pairs[i]], own[i].below)
			if err != nil {
				return nil, err
			}
			result = append(result, v)
		default:
			result = append(result, v)
		}
	}
	for j, v := range live {
		if theirs[j].whole {
			at := min(j, len(result))
			result = append(result[:at], append([]any{runtime.DeepCopyJSONValue(v)}, result[at:]...)...)
		}
	}
	return result, nil
}

// isPartOf reports whether whole contains everything in part: the API server may have added defaults.
func isPartOf(part, whole any) bool {
	switch part := part.(type) {
	case map[string]any:
		object, ok := whole.(map[string]any)
		if !ok {
			return false
		}
		for name, v := range part {
			if other, ok := object[name]; !ok || !isPartOf(v, other) {
				return false
			}
		}
		return true
	case []any:
		list, ok := whole.([]any)
		if !ok || len(list) != len(part) {
			return false
		}
		for i, v := range part {
			if !isPartOf(v, list[i]) {
				return false
			}
		}
		return true
	default:
		return Equal(part, whole)
	}
}

// sameName reports whether two items have the same name or key.
func sameName(a, b any) bool {
	one, ok := a.(map[string]any)
	other, too := b.(map[string]any)
	if !ok || !too {
		return false
	}
	for _, key := range []string{"name", "key", "id"} {
		if v, has := one[key]; has && isScalar(v) {
			return Equal(v, other[key])
		}
	}
	return false
}

// SetAt returns a copy of tree with v at path.
func SetAt(tree map[string]any, path fieldpath.Path, v any) map[string]any {
	object, _ := set(runtime.DeepCopyJSON(tree), path, v).(map[string]any)
	return object
}

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
		below, whole := ignoredIn(paths, name)
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

// ignoredIn returns what the paths select below a member; whole means that one of them ends there.
func ignoredIn(paths [][]selector, name string) (below [][]selector, whole bool) {
	for _, steps := range paths {
		if step := steps[0]; step.all || step.name != nil && *step.name == name {
			whole = whole || len(steps) == 1
			below = append(below, steps[1:])
		}
	}
	return below, whole
}

// SetAt returns a copy of tree with v at path.
func SetAt(tree map[string]any, path fieldpath.Path, v any) map[string]any {
	object, _ := set(runtime.DeepCopyJSON(tree), path, v).(map[string]any)
	return object
}

package ownership

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Ignore selects the fields that others manage.
type Ignore []Pattern

// String returns the paths as written.
func (ignore Ignore) String() string {
	var paths []string
	for _, pattern := range ignore {
		paths = append(paths, pattern.String())
	}
	return strings.Join(paths, "\n")
}

// Covers reports whether path is one of the ignored fields, or below one.
func (ignore Ignore) Covers(path fieldpath.Path) bool {
	for _, pattern := range ignore {
		if pattern.Matches(path) {
			return true
		}
	}
	return false
}

// Split divides a set into the fields that are ignored and those that are kept.
func (ignore Ignore) Split(fields *fieldpath.Set) (kept, ignored *fieldpath.Set) {
	kept, ignored = fieldpath.NewSet(), fieldpath.NewSet()
	fields.Iterate(func(path fieldpath.Path) {
		if ignore.Covers(path) {
			ignored.Insert(path.Copy())
		} else {
			kept.Insert(path.Copy())
		}
	})
	return kept, ignored
}

// Prune returns a manifest without the ignored fields, and without maps that hold nothing else.
func (ignore Ignore) Prune(manifest map[string]any) map[string]any {
	if len(ignore) == 0 {
		return manifest
	}
	result := runtime.DeepCopyJSON(manifest)
	for _, pattern := range ignore {
		prune(result, pattern.steps)
	}
	return result
}

// prune removes what steps select from tree, and returns the rest.
func prune(tree any, steps []selector) any {
	step, rest := steps[0], steps[1:]
	switch tree := tree.(type) {
	case map[string]any:
		for name, member := range tree {
			if !step.all && (step.name == nil || *step.name != name) {
				continue
			}
			if len(rest) == 0 {
				delete(tree, name)
				continue
			}
			wasEmpty := isEmptyContainer(member)
			left := prune(member, rest)
			if isEmptyContainer(left) && !wasEmpty {
				delete(tree, name)
			} else {
				tree[name] = left
			}
		}
	case []any:
		kept := make([]any, 0, len(tree))
		chooses := step.among(tree)
		for _, item := range tree {
			switch {
			case !chooses(item):
				kept = append(kept, item)
			case len(rest) > 0:
				kept = append(kept, prune(item, rest))
			}
		}
		return kept
	}
	return tree
}

// selects reports whether the selector matches an item of a list. A key that the item leaves out has a default, which
// the manifest alone does not show; then the other keys decide.
func (s selector) selects(item any) bool {
	switch {
	case s.all:
		return true
	case s.item != nil:
		return isScalar(item) && value.Equals(value.NewValueInterface(item), value.NewValueInterface(*s.item))
	}
	object, ok := item.(map[string]any)
	if !ok {
		return false
	}
	for name, want := range s.keys {
		have, ok := object[name]
		if !ok {
			have, ok = keyDefaults[name], keyDefaults[name] != nil
		}
		if ok && (!isScalar(have) || !value.Equals(value.NewValueInterface(have), value.NewValueInterface(want))) {
			return false
		}
	}
	return s.agrees(item) > 0
}

// keyDefaults are the defaults of merge keys in Kubernetes' own kinds.
var keyDefaults = map[string]any{"protocol": "TCP"}

// agrees counts the selector's keys that an item has, if the selector selects it.
func (s selector) agrees(item any) int {
	object, _ := item.(map[string]any)
	found := 0
	for name := range s.keys {
		if _, ok := object[name]; ok {
			found++
		}
	}
	return found
}

// among returns which items of a list the selector selects. If an item has all the keys, the selector means that item,
// and not one that leaves some out.
func (s selector) among(list []any) func(item any) bool {
	best := 0
	for _, item := range list {
		if s.keys != nil && s.selects(item) {
			best = max(best, s.agrees(item))
		}
	}
	return func(item any) bool { return s.selects(item) && (s.keys == nil || s.agrees(item) >= best) }
}

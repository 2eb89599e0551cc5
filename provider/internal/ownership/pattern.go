package ownership

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Pattern selects fields of an object, each with everything below it. It is what users write to name fields:
//
//	spec.replicas
//	metadata.annotations["a.b/c"]
//	spec.template.spec.containers[name=web].env[name=X].value
//	spec.template.spec.containers[*].image
//	metadata.finalizers[="example.com/protect"]
//	spec.containers[?(@.name=='web')].image      as in JSONPath
//
// It uses the dialect of [fieldselect], as far as managedFields can tell what is selected: no positions, because items
// of lists move, no filters on anything but keys, and no descendants. What [Format] prints of the fields of an apply is
// always a valid pattern, and selects exactly what was printed.
type Pattern struct {
	text  string
	steps []selector
	// trees contain details of items that managedFields lack. See [Ignore.Within].
	trees []map[string]any
}

// selector selects among the children of one value. Exactly one of its members is set.
type selector struct {
	name  *string        // the member with this name
	keys  map[string]any // list items whose keys have these values
	item  *any           // the item of a set that is this value
	index *int           // the item at this position; not in patterns
	all   bool           // every member and item
}

// String returns the pattern as written.
func (p Pattern) String() string { return p.text }

// Matches reports whether the pattern selects path or something above it.
func (p Pattern) Matches(path fieldpath.Path) bool {
	if len(path) < len(p.steps) {
		return false
	}
	for i, step := range p.steps {
		if !step.matches(path[i]) && !p.selectsItem(step, path[:i+1]) {
			return false
		}
	}
	return true
}

// IsWithin reports whether everything that the pattern selects is at path or below.
func (p Pattern) IsWithin(path fieldpath.Path) bool {
	if len(p.steps) < len(path) {
		return false
	}
	for i, element := range path {
		step := p.steps[i]
		if step.all || !step.matches(element) || element.Key != nil && len(step.keys) < len(*element.Key) {
			return false
		}
	}
	return true
}

// selectsItem reports whether step selects the list item at path, according to the trees.
func (p Pattern) selectsItem(step selector, path fieldpath.Path) bool {
	if step.keys == nil || path[len(path)-1].Key == nil {
		return false
	}
	for _, field := range *path[len(path)-1].Key {
		if want, ok := step.keys[field.Name]; ok && !value.Equals(field.Value, value.NewValueInterface(want)) {
			return false // the tree may leave out this key, which has a default
		}
	}
	for _, tree := range p.trees {
		if item, _, ok := Locate(tree, path); ok && step.selects(item) {
			return true
		}
	}
	return false
}

func (s selector) matches(element fieldpath.PathElement) bool {
	switch {
	case s.all:
		return true
	case s.name != nil:
		return element.FieldName != nil && *element.FieldName == *s.name
	case s.item != nil:
		return element.Value != nil && value.Equals(*element.Value, value.NewValueInterface(*s.item))
	default:
		return element.Key != nil && s.matchesKey(*element.Key)
	}
}

// matchesKey compares a key with the members that the pattern names. It may name fewer: containers have one key,
// ports have two.
func (s selector) matchesKey(key value.FieldList) bool {
	found := 0
	for _, field := range key {
		want, ok := s.keys[field.Name]
		if !ok {
			continue
		}
		if !value.Equals(field.Value, value.NewValueInterface(want)) {
			return false
		}
		found++
	}
	return found == len(s.keys)
}

// ParsePattern reads a pattern. The error says which part is invalid.
func ParsePattern(text string) (Pattern, error) {
	steps, err := parse(text, noPosition)
	if err != nil {
		return Pattern{}, err
	}
	return Pattern{text: text, steps: steps}, nil
}

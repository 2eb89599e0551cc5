package ownership

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Location is a concrete place in a JSON tree: map keys (string) and list
// positions (int).
type Location []any

// Locate finds path in tree and returns its value and its place. It returns false if the tree has no such field.
//
// It finds a list item by its merge keys. The API server writes keys with their defaults (protocol: TCP), which the
// tree may leave out; then Locate picks the item that contradicts none of the keys and agrees with most of them.
func Locate(tree any, path fieldpath.Path) (any, Location, bool) {
	return locateAmong(tree, path, nil)
}

// locateAmong is [Locate] in a projection onto fields, which may be nil. If an item lacks a key that other items have,
// fields may still identify it.
func locateAmong(tree any, path fieldpath.Path, fields *fieldpath.Set) (any, Location, bool) {
	at := make(Location, 0, len(path))
	for _, element := range path {
		segment, child, ok := step(tree, element)
		if !ok || matchesOther(child, element, fields) {
			return nil, nil, false
		}
		at = append(at, segment)
		tree = child
		if fields != nil {
			fields, _ = fields.Children.Get(element)
		}
	}
	return tree, at, true
}

// matchesOther reports whether an item that was found for element belongs to another element. Of two ports with one
// number, the one without a protocol is the one that was applied without a protocol, even if the other is gone.
func matchesOther(item any, element fieldpath.PathElement, fields *fieldpath.Set) bool {
	if element.Key == nil || fields == nil {
		return false
	}
	// fits counts the keys that are present exactly where they were applied.
	fits := func(element fieldpath.PathElement) int {
		if agreement(item, *element.Key) == 0 {
			return 0
		}
		applied, _ := fields.Children.Get(element)
		n := 1
		for _, field := range *element.Key {
			_, has := item.(map[string]any)[field.Name]
			if has == (applied != nil && applied.Members.Has(fieldpath.FieldNameElement(field.Name))) {
				n++
			}
		}
		return n
	}
	own, best := fits(element), 0
	for other := range elements(fields) {
		if other.Key != nil {
			best = max(best, fits(other))
		}
	}
	return best > own
}

// step descends one element.
func step(tree any, element fieldpath.PathElement) (segment, child any, ok bool) {
	if element.FieldName != nil {
		object, isMap := tree.(map[string]any)
		if !isMap {
			return nil, nil, false
		}
		child, ok = object[*element.FieldName]
		return *element.FieldName, child, ok
	}
	list, isList := tree.([]any)
	if !isList {
		return nil, nil, false
	}
	index := indexOf(list, element)
	if index < 0 {
		return nil, nil, false
	}
	return index, list[index], true
}

// indexOf returns the position of the item that element selects, or -1.
func indexOf(list []any, element fieldpath.PathElement) int {
	switch {
	case element.Index != nil:
		if *element.Index >= 0 && *element.Index < len(list) {
			return *element.Index
		}
	case element.Value != nil:
		for i, item := range list {
			if isScalar(item) && value.Equals(*element.Value, value.NewValueInterface(item)) {
				return i
			}
		}
	case element.Key != nil:
		best, most := -1, 0
		for i, item := range list {
			if n := agreement(item, *element.Key); n > most {
				best, most = i, n
			}
		}
		return best
	}
	return -1
}

// agreement counts the key fields in which item agrees with key. It is zero if the item contradicts one of them.
func agreement(item any, key value.FieldList) int {
	object, ok := item.(map[string]any)
	if !ok {
		return 0
	}
	n := 0
	for _, field := range key {
		have, ok := object[field.Name]
		if !ok {
			continue
		}
		if !isScalar(have) || !value.Equals(field.Value, value.NewValueInterface(have)) {
			return 0
		}
		n++
	}
	return n
}

// isScalar guards value.Equals, which reads only JSON values: a placeholder for an unknown value equals nothing.
func isScalar(v any) bool {
	switch v.(type) {
	case string, bool, int64, float64, nil:
		return true
	}
	return false
}

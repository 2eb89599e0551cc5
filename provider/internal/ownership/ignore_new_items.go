package ownership

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// NewItem is a list item of a manifest, or a whole list, that an object does not have. Value is what the apply that
// creates it sends.
type NewItem struct {
	Path  fieldpath.Path
	Value any
}

// NewItems lists the items that an object does not have and that contain ignored fields. The creator of an item gives
// these fields their initial values, just like the creator of an object. Items that are ignored as a whole are not
// included.
//
// tree is the object, or what the state knows of it, and fields are the owned fields in it. They show the merge keys;
// if they do not, the keys in a pattern identify an item. A list has no new items if nothing identifies its items, or
// if it is owned only as a whole, unless all its items are new.
func (ignore Ignore) NewItems(manifest, tree map[string]any, fields *fieldpath.Set) []NewItem {
	var paths [][]selector
	for _, pattern := range ignore {
		paths = append(paths, pattern.steps)
	}
	var found []NewItem
	newItems(paths, manifest, place{tree: tree, fields: fields}, nil, &found)
	return found
}

// WithNewItems returns body, which lacks the ignored fields, with these items complete.
func WithNewItems(body map[string]any, items []NewItem) map[string]any {
	for _, item := range items {
		body = SetAt(body, item.Path, item.Value)
	}
	return body
}

// place is a value of the object; empty if there is none.
type place struct {
	tree any
	// fields are the owned fields in it, and whole means that it is owned without naming a part of it.
	fields *fieldpath.Set
	whole  bool
}

// below descends one element.
func (at place) below(element fieldpath.PathElement) (place, bool) {
	child, _, ok := locateAmong(at.tree, fieldpath.Path{element}, at.fields)
	if !ok || at.fields == nil {
		return place{tree: child}, ok
	}
	fields, parts := at.fields.Children.Get(element)
	return place{child, fields, !parts && at.fields.Members.Has(element) && isContainer(child)}, true
}

// item finds the item that a key selects. The key may lack merge keys that have defaults; then item finds the first one
// with the other keys.
func (at place) item(key value.FieldList, names []string) (item place, ok bool) {
	element := fieldpath.PathElement{Key: &key}
	if len(key) == len(names) || at.fields == nil {
		return at.below(element)
	}
	for owned := range elements(at.fields) {
		if owned.Key != nil && !ok && contains(*owned.Key, key) {
			item, ok = at.below(owned)
		}
	}
	if !ok {
		item, ok = place{tree: at.tree}.below(element)
	}
	return item, ok
}

// contains reports whether a key has all fields of part.
func contains(key, part value.FieldList) bool {
	return !slices.ContainsFunc(part, func(field value.Field) bool {
		return !slices.ContainsFunc(key, func(other value.Field) bool {
			return other.Name == field.Name && value.Equals(other.Value, field.Value)
		})
	})
}

func newItems(paths [][]selector, wanted any, at place, path fieldpath.Path, found *[]NewItem) {
	if at.whole && !isEmptyContainer(at.tree) {
		return
	}
	switch wanted := wanted.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			rest, ignored := rests(paths, func(_ int, step selector) bool { return step.all || step.name != nil && *step.name == name })
			if !ignored && len(rest) > 0 {
				element := fieldpath.FieldNameElement(name)
				member, _ := at.below(element)
				newItems(rest, wanted[name], member, append(slices.Clip(path), element), found)
			}
		}
	case []any:
		newItemsOf(itemsUnder(paths, wanted), at, path, found)
	}
}

// itemUnder is a list item of a manifest, with the remaining steps of the paths that select it.
type itemUnder struct {
	value any
	rest  [][]selector
	names []string // the keys that they use to select it
}

// itemsUnder returns the items of a list that are not ignored as a whole.
func itemsUnder(paths [][]selector, list []any) (items []itemUnder) {
	chooses := make([]func(any) bool, len(paths))
	for i, steps := range paths {
		chooses[i] = steps[0].among(list)
	}
	for _, item := range list {
		var names []string
		rest, ignored := rests(paths, func(i int, step selector) bool {
			chosen := chooses[i](item)
			if chosen && len(step.keys) > len(names) {
				names = slices.Sorted(maps.Keys(step.keys))
			}
			return chosen
		})
		if !ignored {
			items = append(items, itemUnder{item, rest, names})
		}
	}
	return items
}

// hasIgnored reports whether something in the item is ignored.
func (item itemUnder) hasIgnored() bool {
	return slices.ContainsFunc(item.rest, func(steps []selector) bool { return selectsIn(item.value, steps) })
}

func newItemsOf(items []itemUnder, at place, path fieldpath.Path, found *[]NewItem) {
	if live, _ := at.tree.([]any); len(live) == 0 {
		if slices.ContainsFunc(items, itemUnder.hasIgnored) {
			list := make([]any, 0, len(items))
			for _, item := range items {
				list = append(list, runtime.DeepCopyJSONValue(item.value))
			}
			*found = append(*found, NewItem{path, list})
		}
		return
	}
	shape := &shape{}
	if at.fields != nil {
		shape.learn(at.fields, writer{})
	}
	keys, names := make([]value.FieldList, len(items)), make([][]string, len(items))
	for i, item := range items {
		if names[i] = shape.keys; names[i] == nil {
			names[i] = item.names
		}
		keys[i] = keyOf(item.value, names[i])
	}
	for i, item := range items {
		key := keys[i]
		others := slices.Concat(keys[:i], keys[i+1:])
		if len(key) == 0 || len(item.rest) == 0 || shape.set || shape.unclear ||
			slices.ContainsFunc(others, func(other value.FieldList) bool { return contains(other, key) }) {
			continue // nothing identifies the item
		}
		around := append(slices.Clip(path), fieldpath.PathElement{Key: &key})
		if live, has := at.item(key, names[i]); has {
			newItems(item.rest, item.value, live, around, found)
		} else if item.hasIgnored() {
			*found = append(*found, NewItem{around, runtime.DeepCopyJSONValue(item.value)})
		}
	}
}

// keyOf returns the key of an item, without the keys that it leaves out and whose defaults are unknown.
func keyOf(item any, names []string) value.FieldList {
	object, _ := item.(map[string]any)
	var key value.FieldList
	for _, name := range names {
		v, ok := object[name]
		if !ok || v == nil {
			v, ok = keyDefaults[name]
		}
		if ok && isScalar(v) {
			key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
		}
	}
	key.Sort()
	return key
}

// rests returns the remaining steps of the paths whose first step matches, and whether one of them ends there.
func rests(paths [][]selector, matches func(i int, step selector) bool) (rest [][]selector, ends bool) {
	for i, steps := range paths {
		switch {
		case !matches(i, steps[0]):
		case len(steps) == 1:
			ends = true
		default:
			rest = append(rest, steps[1:])
		}
	}
	return rest, ends
}

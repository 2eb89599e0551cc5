package ownership

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Merged is the result that an apply would have on a live object, as far as managedFields show.
//
// The API server merges by the kind's schema, but does not show the result if it refuses it. Merge learns the merge
// keys from the field sets of all managers; anything that they do not show is in doubt.
type Merged struct {
	// Object is the live object without what only the manager owns and no longer sends, and with what it sends merged
	// in by keys.
	Object map[string]any
	// Doubts are the places where we do not know how the API server merges: lists and maps without an owner of any
	// part.
	Doubts []fieldpath.Path

	live    *unstructured.Unstructured
	applied map[string]any
	sent    map[string]any
	shape   *shape
	manager string
}

// Merge merges sent, which manager applies, into live. applied is what the manager applied before; it may be nil.
// Ignored fields that are not sent stay, regardless of their owner.
func Merge(live *unstructured.Unstructured, manager string, applied, sent map[string]any, ignore Ignore) (*Merged, error) {
	shape, err := shapeOf(live, manager)
	if err != nil {
		return nil, err
	}
	ours, others, err := appliedAndOthers(live, manager)
	if err != nil {
		return nil, err
	}
	ours, _ = ignore.Split(ours)
	m := &Merged{live: live, applied: applied, sent: sent, shape: shape, manager: manager}
	object := runtime.DeepCopyJSON(live.Object)
	dropNulls(object)
	drop(object, ours, others, sent, shape)
	m.Object, _ = m.put(object, sent, applied, shape, nil).(map[string]any)
	return m, nil
}

// dropNulls removes members that are null, which some kinds have in place of an absent value.
func dropNulls(tree any) {
	switch tree := tree.(type) {
	case map[string]any:
		for name, v := range tree {
			if v == nil {
				delete(tree, name)
			}
			dropNulls(v)
		}
	case []any:
		for _, item := range tree {
			dropNulls(item)
		}
	}
}

// drop removes what only ours contains and sent lacks. Unowned fields go with the last owned field beside them, as in
// the API server.
func drop(tree any, ours, others *fieldpath.Set, sent any, s *shape) any {
	switch tree := tree.(type) {
	case map[string]any:
		return dropMembers(tree, ours, others, sent, s)
	case []any:
		return dropItems(tree, ours, others, sent, s)
	default:
		return tree
	}
}

// dropMembers is [drop] for maps.
func dropMembers(tree map[string]any, ours, others *fieldpath.Set, sent any, s *shape) map[string]any {
	for element, below := range elements(ours) {
		if element.FieldName == nil {
			continue
		}
		name := *element.FieldName
		live, ok := tree[name]
		if !ok {
			continue
		}
		wanted, isSent := child(sent, name)
		switch {
		case !isSent && !touches(others, fieldpath.Path{element}):
			delete(tree, name)
		case below != nil && !below.Empty():
			tree[name] = drop(live, below, partsAt(others, element), wanted, s.below(name))
		}
	}
	return tree
}

// dropItems is [drop] for lists.
func dropItems(tree []any, ours, others *fieldpath.Set, sent any, s *shape) []any {
	gone := map[int]bool{}
	for element, below := range elements(ours) {
		i := indexOf(tree, element)
		if i < 0 {
			continue
		}
		wanted, isSent := s.itemOf(sent, element)
		switch {
		case !isSent && !touches(others, fieldpath.Path{element}):
			gone[i] = true
		case below != nil && !below.Empty():
			tree[i] = drop(tree[i], withoutKeys(below, element), partsAt(others, element), wanted, s.ofItems())
		}
	}
	kept := make([]any, 0, len(tree))
	for i, item := range tree {
		if !gone[i] {
			kept = append(kept, item)
		}
	}
	return kept
}

// partsAt returns what set has below element.
func partsAt(set *fieldpath.Set, element fieldpath.PathElement) *fieldpath.Set {
	if parts := at(set, fieldpath.Path{element}); parts != nil {
		return parts
	}
	return fieldpath.NewSet()
}

// withoutKeys drops the fields that identify an item: they stay as long as the item does.
func withoutKeys(item *fieldpath.Set, element fieldpath.PathElement) *fieldpath.Set {
	if element.Key == nil {
		return item
	}
	keys := fieldpath.NewSet()
	for _, field := range *element.Key {
		keys.Insert(fieldpath.Path{fieldpath.FieldNameElement(field.Name)})
	}
	return item.Difference(keys)
}

// child is a member of what may be a map.
func child(tree any, name string) (any, bool) {
	object, _ := tree.(map[string]any)
	v, ok := object[name]
	return v, ok
}

// itemOf finds the item that element selects in a list as written.
func (s *shape) itemOf(list any, element fieldpath.PathElement) (any, bool) {
	items, _ := list.([]any)
	for _, item := range items {
		if own, ok := s.elementOf(item); ok && own.Equals(element) {
			return item, true
		}
	}
	return nil, false
}

// put puts sent into tree.
func (m *Merged) put(tree, sent, applied any, s *shape, path fieldpath.Path) any {
	if Equal(tree, sent) {
		return tree
	}
	switch wanted := sent.(type) {
	case map[string]any:
		live, ok := tree.(map[string]any)
		if !ok || len(live) == 0 {
			break
		}
		switch s.granularity(applied) {
		case whole:
			return runtime.DeepCopyJSONValue(sent)
		case notKnown:
			if Equal(sent, applied) {
				return tree // an unchanged value was merged before
			}
			if !mergedByMember(path) && hasMore(live, wanted) {
				m.Doubts = append(m.Doubts, path.Copy())
			}
		}
		for name, v := range wanted {
			if before, ok := live[name]; ok {
				was, _ := child(applied, name)
				v = m.put(before, v, was, s.below(name), append(slices.Clip(path), fieldpath.FieldNameElement(name)))
			}
			live[name] = runtime.DeepCopyJSONValue(v)
		}
		return live
	case []any:
		live, ok := tree.([]any)
		if !ok || len(live) == 0 {
			break
		}
		return m.putList(live, wanted, applied, s, path)
	}
	return runtime.DeepCopyJSONValue(sent)
}

func (m *Merged) putList(live, wanted []any, applied any, s *shape, path fieldpath.Path) any {
	granularity := s.granularity(applied)
	switch {
	case granularity == whole:
		return runtime.DeepCopyJSONValue(wanted)
	case granularity == notKnown && Equal(wanted, applied):
		return live
	case granularity == notKnown:
		m.Doubts = append(m.Doubts, path.Copy())
		return runtime.DeepCopyJSONValue(wanted)
	}
	for _, item := range wanted {
		element, ok := s.elementOf(item)
		at := append(slices.Clip(path), element)
		switch i := indexOf(live, element); {
		case !ok:
			// The item leaves out a key with an unknown default.
			m.Doubts = append(m.Doubts, path.Copy())
			live = append(live, runtime.DeepCopyJSONValue(item))
		case i < 0:
			live = append(live, runtime.DeepCopyJSONValue(item))
		default:
			was, _ := s.itemOf(applied, element)
			live[i] = m.put(live[i], item, was, s.ofItems(), at)
		}
	}
	return live
}

// mergedByMember reports whether every kind merges path member by member: this applies to an object, its metadata, and
// the labels and annotations of the object or of a template.
func mergedByMember(path fieldpath.Path) bool {
	names := Generic(path)
	switch n := len(names); {
	case n == 0, n == 1 && names[0] == "metadata":
		return true
	default:
		return n > 1 && names[n-2] == "metadata" && (names[n-1] == "labels" || names[n-1] == "annotations")
	}
}

// hasMore reports whether live has members that wanted does not write.
func hasMore(live, wanted map[string]any) bool {
	for name := range live {
		if _, ok := wanted[name]; !ok {
			return true
		}
	}
	return false
}

// Without returns a copy of tree in which the fields and list items at paths are missing.
func Without(tree map[string]any, paths []fieldpath.Path) map[string]any {
	result := runtime.DeepCopyJSON(tree)
	for _, path := range paths {
		_, at, ok := Locate(result, path)
		if !ok {
			continue
		}
		around := path[:len(path)-1]
		switch parent, _, _ := Locate(result, around); parent := parent.(type) {
		case map[string]any:
			delete(parent, at[len(at)-1].(string))
		case []any:
			i := at[len(at)-1].(int)
			result, _ = set(result, around, slices.Delete(slices.Clone(parent), i, i+1)).(map[string]any)
		}
	}
	return result
}

// Fields returns the fields that the manager owns after the apply, as far as that is known. A list without an owner
// of any part counts as one field.
func (m *Merged) Fields() *fieldpath.Set {
	fields := fieldpath.NewSet()
	insertFields(m.sent, m.applied, m.shape, nil, fields)
	return fields
}

func insertFields(tree, applied any, s *shape, path fieldpath.Path, fields *fieldpath.Set) {
	switch tree := tree.(type) {
	case map[string]any:
		if len(path) > 0 && (len(tree) == 0 || s.granularity(applied) == whole) {
			fields.Insert(path.Copy())
			return
		}
		for name, v := range tree {
			at := append(slices.Clip(path), fieldpath.FieldNameElement(name))
			if was, _ := child(applied, name); !serverOwned(at) {
				insertFields(v, was, s.below(name), at, fields)
			}
		}
	case []any:
		items := fieldpath.NewSet()
		for _, item := range tree {
			element, ok := s.elementOf(item)
			if !ok {
				fields.Insert(path.Copy())
				return
			}
			at := append(slices.Clip(path), element)
			items.Insert(at.Copy())
			if _, isObject := item.(map[string]any); isObject {
				was, _ := s.itemOf(applied, element)
				insertFields(item, was, s.ofItems(), at, items)
			}
		}
		if len(tree) == 0 {
			items.Insert(path.Copy())
		}
		items.Iterate(func(path fieldpath.Path) { fields.Insert(path.Copy()) })
	default:
		fields.Insert(path.Copy())
	}
}

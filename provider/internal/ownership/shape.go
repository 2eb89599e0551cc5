package ownership

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// shape is what managedFields show of an object's schema: which lists are keyed, and their merge keys, which lists are
// sets, and what is atomic. It does not contain unowned fields.
type shape struct {
	fields map[string]*shape
	// items is the combined shape of all items of a list.
	items *shape
	// keys are the merge keys of a keyed list, sorted, and defaults the values of the keys that an item may leave
	// out.
	keys     []string
	defaults map[string]any
	// set means that a list is a set of values.
	set bool
	// unclear means that the entries contradict each other, or that items have no names.
	unclear bool
	// leaf means that the manager owns it without naming a part of it: it is a scalar, or an atomic list or map, or
	// one that was applied empty.
	leaf bool
}

// shapeOf reads the entries of all managers of object.
func shapeOf(object *unstructured.Unstructured, manager string) (*shape, error) {
	root := &shape{}
	for _, entry := range object.GetManagedFields() {
		if entry.APIVersion != object.GetAPIVersion() {
			continue // another version may have other fields
		}
		fields, err := entryFields(entry)
		if err != nil {
			return nil, err
		}
		root.learn(fields, writer{applied: entry.Operation == metav1.ManagedFieldsOperationApply, itself: isApplied(entry, manager)})
	}
	return root, nil
}

// writer is who owns the fields of an entry: applied means that it has applied them, and itself that it is the manager
// that the shape is for.
type writer struct{ applied, itself bool }

func (s *shape) learn(fields *fieldpath.Set, by writer) {
	for element, below := range elements(fields) {
		var child *shape
		switch {
		case element.FieldName != nil:
			child = s.field(*element.FieldName)
		case element.Key != nil:
			s.learnKeys(*element.Key)
			if by.applied && fields.Members.Has(element) && below != nil {
				s.learnDefaults(*element.Key, below)
			}
			child = s.item()
		case element.Value != nil:
			s.set = true
			continue
		default:
			s.unclear = true
			continue
		}
		if below == nil || below.Empty() {
			child.leaf = child.leaf || by.itself
			continue
		}
		child.learn(below, by)
	}
}

// learnKeys records the merge keys of a list.
func (s *shape) learnKeys(key value.FieldList) {
	var names []string
	for _, field := range key {
		names = append(names, field.Name)
	}
	slices.Sort(names)
	if s.keys != nil && !slices.Equal(s.keys, names) {
		s.unclear = true
	}
	s.keys = names
}

// learnDefaults records the defaults of merge keys. A manager that applied an item but does not own one of its keys left
// that key out: the API server has filled in its default.
func (s *shape) learnDefaults(key value.FieldList, item *fieldpath.Set) {
	for _, field := range key {
		if item.Members.Has(fieldpath.FieldNameElement(field.Name)) {
			continue
		}
		if s.defaults == nil {
			s.defaults = map[string]any{}
		}
		s.defaults[field.Name] = field.Value.Unstructured()
	}
}

func (s *shape) field(name string) *shape {
	if s.fields == nil {
		s.fields = map[string]*shape{}
	}
	if s.fields[name] == nil {
		s.fields[name] = &shape{}
	}
	return s.fields[name]
}

func (s *shape) item() *shape {
	if s.items == nil {
		s.items = &shape{}
	}
	return s.items
}

// below descends without adding anything; the shape of an unknown field is nil.
func (s *shape) below(name string) *shape {
	if s == nil {
		return nil
	}
	return s.fields[name]
}

func (s *shape) ofItems() *shape {
	if s == nil {
		return nil
	}
	return s.items
}

// hasParts reports whether any manager owns a part.
func (s *shape) hasParts() bool {
	return s != nil && (len(s.fields) > 0 || s.keys != nil || s.set)
}

// granularity says how a value is merged.
type granularity int

const (
	// notKnown applies to values without an owner, and to values that were applied empty and filled by others.
	notKnown granularity = iota
	parts                // field by field, or item by item
	whole                // atomic
)

// granularity decides for a list or map how it is merged, where applied is what the manager applied before. Owning a
// map as a whole and having applied it empty look alike in managedFields; only applied tells.
func (s *shape) granularity(applied any) granularity {
	switch {
	case s == nil || s.unclear:
		return notKnown
	case s.hasParts():
		return parts
	case s.leaf && applied != nil && !isEmptyContainer(applied):
		return whole
	default:
		return notKnown
	}
}

// elementOf returns the element that selects an item of a keyed list or a set, with the defaults of the keys that the
// item leaves out. It returns false if that is unknown.
func (s *shape) elementOf(item any) (fieldpath.PathElement, bool) {
	if s == nil || s.unclear {
		return fieldpath.PathElement{}, false
	}
	if s.set && isScalar(item) {
		return fieldpath.ValueElement(value.NewValueInterface(item)), true
	}
	object, ok := item.(map[string]any)
	if !ok || s.keys == nil {
		return fieldpath.PathElement{}, false
	}
	key := make(value.FieldList, 0, len(s.keys))
	for _, name := range s.keys {
		v, ok := object[name]
		if !ok || v == nil {
			if v, ok = s.defaults[name]; !ok {
				return fieldpath.PathElement{}, false
			}
		}
		if !isScalar(v) {
			return fieldpath.PathElement{}, false
		}
		key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
	}
	key.Sort()
	return fieldpath.PathElement{Key: &key}, true
}

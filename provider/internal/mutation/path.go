package mutation

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// namedFields returns the union of what all managers of the object own. It shows how the items of its lists are named:
// by keys, by their values, or, in lists that are owned as a whole, not at all.
func namedFields(live *unstructured.Unstructured) (*fieldpath.Set, error) {
	intended, reported, err := ownership.Imported(live)
	if err != nil {
		return nil, err
	}
	return intended.Union(reported), nil
}

// pathOf returns the path to a place in tree.
func pathOf(tree any, at ownership.Location, fields *fieldpath.Set) fieldpath.Path {
	path := make(fieldpath.Path, 0, len(at))
	for _, segment := range at {
		switch container := tree.(type) {
		case map[string]any:
			name := segment.(string)
			element := fieldpath.FieldNameElement(name)
			path = append(path, element)
			fields, _ = fields.Children.Get(element)
			tree = container[name]
		case []any:
			index := segment.(int)
			path = append(path, elementOf(container, index, fields))
			fields = itemFields(fields)
			tree = container[index]
		}
		if fields == nil {
			fields = fieldpath.NewSet()
		}
	}
	return path
}

// itemFields returns what is owned in any item of a list: lists inside the items name their own items in the same way.
func itemFields(list *fieldpath.Set) *fieldpath.Set {
	union := fieldpath.NewSet()
	for element := range list.Children.All() {
		if item, ok := list.Children.Get(element); ok && item != nil {
			union = union.Union(item)
		}
	}
	return union
}

// elementOf names an item of a list as the managers of the list do. If that name does not lead to this item, or no
// manager names it, elementOf uses its position.
func elementOf(list []any, index int, fields *fieldpath.Set) fieldpath.PathElement {
	for _, element := range candidates(list[index], fields) {
		if _, at, found := ownership.Locate(list, fieldpath.Path{element}); found && at[0] == index {
			return element
		}
	}
	return fieldpath.IndexElement(index)
}

// candidates returns the possible names of an item, the better ones first.
func candidates(item any, fields *fieldpath.Set) []fieldpath.PathElement {
	var named, made []fieldpath.PathElement
	consider := func(element fieldpath.PathElement) {
		switch {
		case element.Key != nil:
			fits, key := keyOf(item, *element.Key)
			if fits {
				named = append(named, element)
			}
			if len(key) > 0 && len(made) == 0 {
				made = append(made, fieldpath.PathElement{Key: &key})
			}
		case element.Value != nil && isScalar(item) && len(made) == 0:
			made = append(made, fieldpath.ValueElement(value.NewValueInterface(item)))
		}
	}
	for element := range fields.Members.All() {
		consider(element)
	}
	for element := range fields.Children.All() {
		consider(element)
	}
	return append(named, made...)
}

// keyOf reads the fields of a key in an item, as far as the item has them, and reports whether the item agrees with the
// key. An item may leave out key fields that have a default.
func keyOf(item any, like value.FieldList) (fits bool, key value.FieldList) {
	object, isMap := item.(map[string]any)
	if !isMap {
		return false, nil
	}
	fits = true
	for _, field := range like {
		have, has := object[field.Name]
		if !has {
			continue
		}
		if !isScalar(have) {
			return false, nil
		}
		v := value.NewValueInterface(have)
		fits = fits && value.Equals(v, field.Value)
		key = append(key, value.Field{Name: field.Name, Value: v})
	}
	return fits && len(key) > 0, key
}

func isScalar(v any) bool {
	switch v.(type) {
	case string, bool, int64, float64:
		return true
	}
	return false
}

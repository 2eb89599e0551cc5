package patch

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// droppedBy returns which values in the operations of a JSON patch are missing from the API server's answer, see
// [ownership.Dropped].
func (s state) droppedBy(in inputs, answer map[string]any) *fieldpath.Set {
	return ownership.Dropped(answer, s.given(in), s.givenFields(in, answer))
}

// again returns the values of a JSON patch that the API server did not keep, so that they can be set once more. The
// operations themselves may not be repeatable.
func (s state) again(in inputs, object map[string]any) []mutation.Value {
	if s.dropped == nil {
		return nil
	}
	var values []mutation.Value
	given := s.given(in)
	s.givenFields(in, object).Iterate(func(path fieldpath.Path) {
		isDropped := false
		for n := range path {
			isDropped = isDropped || s.dropped.Has(path[:n+1])
		}
		if v, has := given(path); isDropped && has && !ownership.IsZero(v) {
			values = append(values, mutation.Value{Path: path.Copy(), Value: v})
		}
	})
	return values
}

// givenFields returns the fields of an object that a JSON patch gives values: the watched fields, and the content of
// named items that the patch has added to lists, or the item itself if it is missing.
func (s state) givenFields(in inputs, object map[string]any) *fieldpath.Set {
	fields := s.touched.set.Leaves()
	given := s.given(in)
	for _, a := range in.additions(s.touched) {
		item, has := given(a.Place)
		if !has || !a.IsNamed() {
			continue
		}
		if _, _, there := ownership.Locate(object, a.Place); !there {
			fields.Insert(a.Place)
			continue
		}
		insertMembers(fields, a.Place, item)
	}
	return fields
}

// insertMembers adds the members of a map, and of the maps below it.
func insertMembers(fields *fieldpath.Set, path fieldpath.Path, v any) {
	members, isMap := v.(map[string]any)
	if !isMap || len(members) == 0 {
		fields.Insert(path)
		return
	}
	for name, member := range members {
		insertMembers(fields, append(slices.Clip(path), fieldpath.FieldNameElement(name)), member)
	}
}

// given returns the value that a JSON patch gives a field: the value of the last operation that works there, if it has
// one.
func (s state) given(in inputs) func(fieldpath.Path) (any, bool) {
	list, _ := in.document.([]any)
	return func(field fieldpath.Path) (any, bool) {
		for i, place := range slices.Backward(s.touched.places) {
			if i >= len(list) || place == nil || !leadsTo(place, field) {
				continue
			}
			operation, _ := list[i].(map[string]any)
			switch operation["op"] {
			case "test":
			case "add", "replace":
				return ownership.In(operation["value"])(field[len(place):])
			default:
				return nil, false
			}
		}
		return nil, false
	}
}

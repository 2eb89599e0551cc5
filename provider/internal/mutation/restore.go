package mutation

import (
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Left is what a patch has left on an object.
type Left struct {
	// Values is a projection of the object on at least Fields.
	Values map[string]any
	// Fields are the tracked fields.
	Fields *fieldpath.Set
	// Places are the places of the operations, see [Touch]. They are nil if they were not kept.
	Places []fieldpath.Path
	// Unchanged reports whether a list in which fields are identified by position still has the same contents beside
	// those fields, see [Beside].
	Unchanged func(List) bool
	// Again are values that the API server did not keep, so that Values lacks them.
	Again []Value
	// Added are the items that the patch has added to lists and that must be there.
	Added []Addition
}

// Value is the value of a field.
type Value struct {
	Path  fieldpath.Path
	Value any
}

// again returns the value of a field that the API server did not keep.
func (l Left) again(path fieldpath.Path) (any, bool) {
	for _, v := range l.Again {
		if v.Path.Equals(path) {
			return normalized(v.Value), true
		}
	}
	return nil, false
}

// Restored is the patch that restores what an earlier patch had left on an object.
type Restored struct {
	// Body is the JSON patch; nil if nothing differs.
	Body []byte
	// Places are the places of the operations after it.
	Places []fieldpath.Path
}

// Restore writes the JSON patch that restores the fields of the live object to the values that p has left there, and
// removes fields that p has left without a value. It adds items again that p has added to lists and that are gone. The
// patch is guarded as by [JSONPatch.Encode].
//
// Restore creates missing maps again, but sets nothing that may be wrong. The error is an [OperationError] if a test of
// the patch no longer holds. It is also one if a field is identified by position in a list that has changed, and no
// test of another place in that list confirms the position. A field in a list item that is gone is another error,
// because the rest of the item is unknown.
func (p JSONPatch) Restore(
	live *unstructured.Unstructured, left Left, uid types.UID, resourceVersion string,
) (Restored, error) {
	r := restoration{tree: normalized(live.Object)}
	result := Restored{Places: left.Places}
	inserted, err := r.addGone(p, left.Added)
	if err != nil {
		if failed := p.CheckTests(live, left.Places); failed != nil {
			err = failed // that a test no longer holds says more
		}
		return result, err
	}
	differing := r.differing(left)
	if len(differing)+len(inserted) == 0 {
		return result, nil
	}
	// The tests expect the list with the added items.
	if err := p.checkTests(r.tree, left.Places); err != nil {
		return result, err
	}
	if err := p.checkInserted(r.tree, left, inserted); err != nil {
		return result, err
	}
	if err := p.checkPositions(r.tree, left, differing); err != nil {
		return result, err
	}
	if err := r.putBack(left, differing); err != nil {
		return result, err
	}
	operations := r.operations
	// Remove from the end, so that no removal shifts the position of another.
	slices.SortFunc(r.removals, func(a, b ownership.Location) int { return -ownership.CompareLocations(a, b) })
	for _, at := range r.removals {
		operations = append(operations, operation{name: opRemove, path: pointerTo(at)})
	}
	result.Places = moved(left.Places, r.tree, left.Added)
	result.Body, err = encodeGuarded(operations, uid, resourceVersion)
	return result, err
}

// differing lists the fields that are not as the patch left them.
func (r *restoration) differing(left Left) []fieldpath.Path {
	paths := slices.DeleteFunc(differing(r.tree, normalized(left.Values), left.Fields), func(path fieldpath.Path) bool {
		_, again := left.again(path)
		return again
	})
	for _, v := range left.Again {
		if have, _, _ := ownership.Locate(r.tree, v.Path); !reflect.DeepEqual(have, normalized(v.Value)) {
			paths = append(paths, v.Path)
		}
	}
	return paths
}

// putBack gives fields the values that the patch left, or removes them.
func (r *restoration) putBack(left Left, fields []fieldpath.Path) error {
	values := normalized(left.Values)
	for _, path := range fields {
		var err error
		if value, again := left.again(path); again {
			err = r.set(path, value)
		} else if value, _, has := ownership.Locate(values, path); has && value != nil {
			err = r.set(path, value)
		} else if have, at, has := ownership.Locate(r.tree, path); has && have != nil {
			err = r.remove(path, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// differing returns the fields whose value differs from the one in values.
func differing(tree, values any, fields *fieldpath.Set) []fieldpath.Path {
	var paths []fieldpath.Path
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		// A null counts as absent, as in every projection, and the content that others put into an empty map is theirs.
		want, _, _ := ownership.Locate(values, path)
		have, _, _ := ownership.Locate(tree, path)
		_, isMap := have.(map[string]any)
		members, wantsMap := want.(map[string]any)
		if !reflect.DeepEqual(have, want) && !(isMap && wantsMap && len(members) == 0) {
			paths = append(paths, path.Copy())
		}
	})
	return paths
}

// restoration collects operations, and the object as it is after them.
type restoration struct {
	tree       any
	operations []operation
	removals   []ownership.Location
}

// set gives a field a value.
func (r *restoration) set(path fieldpath.Path, value any) error {
	have, at, has := ownership.Locate(r.tree, path)
	switch {
	case has && reflect.DeepEqual(have, value):
		return nil
	case has:
		r.write(opReplace, at, value)
		return nil
	}
	parent, err := r.parent(path)
	if err != nil {
		return err
	}
	last := path[len(path)-1]
	container, at, _ := ownership.Locate(r.tree, parent)
	switch container := container.(type) {
	case map[string]any:
		if last.FieldName != nil {
			r.write(opAdd, append(at, *last.FieldName), value)
			return nil
		}
	case []any:
		if last.FieldName == nil && (last.Index == nil || *last.Index == len(container)) {
			r.write(opAdd, append(at, len(container)), value)
			return nil
		}
	}
	return fmt.Errorf("%s cannot be set: there is %s at %s, and no place for it in it",
		ownership.Format(path), describe(container), ownership.Format(parent))
}

// remove removes a field. It refuses an item that only its position identifies, because that may be another item now.
func (r *restoration) remove(path fieldpath.Path, at ownership.Location) error {
	if path[len(path)-1].Index != nil {
		return fmt.Errorf("%s cannot be removed: its position may be that of another item now", ownership.Format(path))
	}
	r.removals = append(r.removals, at)
	return nil
}

// parent makes sure that the container of a field exists, and returns its path.
func (r *restoration) parent(path fieldpath.Path) (fieldpath.Path, error) {
	for n := 1; n < len(path); n++ {
		value, _, has := ownership.Locate(r.tree, path[:n])
		if has && value != nil {
			continue
		}
		if path[n-1].FieldName == nil || path[n].FieldName == nil {
			return nil, fmt.Errorf("%s cannot be set: %s is gone, and what else was in it is not known",
				ownership.Format(path), ownership.Format(path[:n]))
		}
		above, at, _ := ownership.Locate(r.tree, path[:n-1])
		if _, isMap := above.(map[string]any); !isMap {
			return nil, fmt.Errorf("%s cannot be set: there is %s at %s, which has nothing below it",
				ownership.Format(path), describe(above), ownership.Format(path[:n-1]))
		}
		r.write(opAdd, append(at, *path[n-1].FieldName), map[string]any{})
	}
	return path[:len(path)-1], nil
}

// write records an operation and carries it out.
func (r *restoration) write(name string, at ownership.Location, value any) {
	r.operations = append(r.operations, operation{name: name, path: pointerTo(at), value: value})
	r.tree = edit(r.tree, at, func(container, last any) any {
		if list, isList := container.([]any); isList && last.(int) == len(list) {
			return inserted(container, last, value)
		}
		return with(container, last, value)
	})
}

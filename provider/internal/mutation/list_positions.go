package mutation

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// positionReason is why a field in a list is not set by its position.
const positionReason = "the list has changed otherwise too, in its length or in other items, so the position may be that of another item now"

// List is a list in which fields are identified by position, because its items have no names.
type List struct {
	Path fieldpath.Path
	// Rest is the list without the values of the fields. The items that contain them keep their positions.
	Rest any
}

// Beside returns the lists of an object in which fields are identified by position, with the other contents of each
// list. Only these other contents tell whether a position still means the same item.
func Beside(object map[string]any, fields *fieldpath.Set) []List {
	var lists []List
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		list, ok := listAbove(path)
		if !ok || len(lists) > 0 && lists[len(lists)-1].Path.Equals(list) {
			return
		}
		lists = append(lists, beside(object, list.Copy(), fields))
	})
	return lists
}

func beside(object any, list fieldpath.Path, fields *fieldpath.Set) List {
	have, _, _ := ownership.Locate(object, list)
	var ours []fieldpath.Path
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if leadsTo(list, path) {
			ours = append(ours, path[len(list):].Copy())
		}
	})
	return List{Path: list, Rest: without(have, ours)}
}

// listAbove returns the outermost list in which the field is identified by position.
func listAbove(path fieldpath.Path) (fieldpath.Path, bool) {
	for n, element := range path {
		if element.Index != nil {
			return path[:n], true
		}
	}
	return nil, false
}

// without copies a tree without the values at paths. A list keeps its length.
func without(tree any, paths []fieldpath.Path) any {
	for _, path := range paths {
		_, at, has := ownership.Locate(tree, path)
		if !has {
			continue
		}
		tree = edit(tree, at, func(container, last any) any {
			if _, isList := container.([]any); isList {
				return with(container, last, nil)
			}
			return dropped(container, last)
		})
	}
	return tree
}

// checkPositions refuses to set fields by position in a list whose other contents have changed, unless a test of the
// patch is about another place in that list. All tests of the patch hold at this point.
func (p JSONPatch) checkPositions(tree any, left Left, drifted []fieldpath.Path) error {
	for _, path := range drifted {
		list, ok := listAbove(path)
		if !ok || p.tested(list, left.Places) {
			continue
		}
		if left.Unchanged != nil && left.Unchanged(beside(tree, list, left.beside())) {
			continue
		}
		return p.errorAt(path, left.Places, positionReason)
	}
	return nil
}

// tested reports whether a test of the patch guards something in a list.
func (p JSONPatch) tested(list fieldpath.Path, places []fieldpath.Path) bool {
	for i, place := range places {
		if i < len(p.operations) && p.operations[i].name == opTest && len(place) > len(list) && leadsTo(list, place) {
			return true
		}
	}
	return false
}

// errorAt returns an error about the last operation that has written a field.
func (p JSONPatch) errorAt(field fieldpath.Path, places []fieldpath.Path, reason string) error {
	for i := min(len(places), len(p.operations)) - 1; i >= 0; i-- {
		if o := p.operations[i]; o.name != opTest && places[i] != nil && leadsTo(places[i], field) {
			return &OperationError{Index: i, Operation: o.name, Pointer: o.path.String(), Reason: reason, Position: true}
		}
	}
	return fmt.Errorf("%s: %s", ownership.Format(field), reason)
}

package mutation

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// partlyReason is why items are not added again one by one: for example, an option and its argument are two items of a
// list.
const partlyReason = "the patch has added several items to the list, and only some of them are there; what is left of them may belong together"

// Addition is an item that an add operation has put into a list.
type Addition struct {
	// Operation is the position of the operation in the patch.
	Operation int
	// Place is where the item was, by its key, its value or its position.
	Place fieldpath.Path
	// Is reports whether an item is still the added one, if only its position names it. It may be nil.
	Is func(item any) bool

	wanted any
}

// IsNamed reports whether the item has a name: the key that managers use, or its value.
func (a Addition) IsNamed() bool { return a.Place[len(a.Place)-1].Index == nil }

func (a Addition) list() fieldpath.Path { return a.Place[:len(a.Place)-1] }

// is reports whether an item of the list is this addition, which has no name.
func (a Addition) is(item any) bool { return matches(item, a.wanted) || a.Is != nil && a.Is(item) }

// Additions are the items that the patch has added to lists and that can be recognised later. places are the places of
// its operations, see [Touch].
//
// It leaves out an item if another operation works in it or around it, or removes an item from the same list: the
// result is then the work of both operations. It also leaves out an item below a position, because the position may now
// belong to another item.
func (p JSONPatch) Additions(places []fieldpath.Path) []Addition {
	if len(places) != len(p.operations) {
		return nil
	}
	var additions []Addition
	for i, o := range p.operations {
		place := places[i]
		if o.name != opAdd || len(place) < 2 || place[len(place)-1].FieldName != nil {
			continue
		}
		if _, below := listAbove(place[:len(place)-1]); below || p.shares(i, places) || p.takesFrom(o.path, place[len(place)-1].Index == nil) {
			continue
		}
		additions = append(additions, Addition{Operation: i, Place: place, wanted: o.value})
	}
	return additions
}

// shares reports whether another operation works at, in or around the place of this one.
func (p JSONPatch) shares(index int, places []fieldpath.Path) bool {
	for i, place := range places {
		if i != index && place != nil && p.operations[i].name != opTest && (leadsTo(place, places[index]) || leadsTo(places[index], place)) {
			return true
		}
	}
	return false
}

// takesFrom reports whether an operation may remove an item from the list that contains place, or part of the item at
// place. For a named item, the places of the operations already show which parts are removed.
func (p JSONPatch) takesFrom(place pointer, named bool) bool {
	list := place[:len(place)-1]
	return slices.ContainsFunc(p.operations, func(o operation) bool {
		taken := o.from
		switch {
		case o.name == opRemove:
			taken = o.path
		case o.name != opMove:
			return false
		}
		switch {
		case len(taken) == len(place):
			return mayMeet(taken[:len(list)], list)
		case len(taken) < len(place), o.name == opRemove && named:
			return false
		default:
			return mayMeet(taken[:len(place)], place)
		}
	})
}

// Find returns the positions of the items in the lists of an object, by operation. If items are equal, it finds a
// different one for each.
func Find(object map[string]any, additions []Addition) map[int]int {
	return find(normalized(object), additions)
}

func find(tree any, additions []Addition) map[int]int {
	found := map[int]int{}
	for _, group := range byList(additions) {
		value, _, _ := ownership.Locate(tree, group[0].list())
		list, _ := value.([]any)
		var used []int
		for _, a := range group {
			at := -1
			switch last := a.Place[len(a.Place)-1]; {
			case a.IsNamed():
				if _, where, has := ownership.Locate(list, fieldpath.Path{last}); has {
					at, _ = where[0].(int)
				}
			case *last.Index < len(list) && a.is(list[*last.Index]) && !slices.Contains(used, *last.Index):
				at = *last.Index
			default:
				for i, item := range list {
					if at < 0 && a.is(item) && !slices.Contains(used, i) {
						at = i
					}
				}
			}
			if at >= 0 {
				found[a.Operation] = at
				used = append(used, at)
			}
		}
	}
	return found
}

// byList groups additions by list.
func byList(additions []Addition) [][]Addition {
	var groups [][]Addition
	for _, a := range additions {
		i := slices.IndexFunc(groups, func(group []Addition) bool { return group[0].list().Equals(a.list()) })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}

// addGone adds the missing items again, in the order of their operations. It returns the operations that it has
// repeated.
func (r *restoration) addGone(p JSONPatch, additions []Addition) ([]Addition, error) {
	found := find(r.tree, additions)
	var gone []Addition
	for _, a := range additions {
		if _, there := found[a.Operation]; there {
			continue
		}
		if isPartly(a, additions, found) {
			return nil, p.errorOf(a.Operation, partlyReason)
		}
		gone = append(gone, a)
	}
	for _, a := range gone {
		if err := r.insert(p, a); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// isPartly reports whether another nameless item that was added to the same list is still there. It returns false for
// objects, because their meaning does not depend on their neighbours.
func isPartly(gone Addition, additions []Addition, found map[int]int) bool {
	return !gone.IsNamed() && isScalar(gone.wanted) && slices.ContainsFunc(additions, func(a Addition) bool {
		_, there := found[a.Operation]
		return there && !a.IsNamed() && a.list().Equals(gone.list())
	})
}

// insert repeats an operation that adds an item, on the list as it is now. If the list is gone, insert creates it
// again: the item is all that we know to be wanted in it.
func (r *restoration) insert(p JSONPatch, a Addition) error {
	value, at, has := ownership.Locate(r.tree, a.list())
	if !has || value == nil {
		above, err := r.parent(a.list())
		if err != nil {
			return p.errorOf(a.Operation, err.Error())
		}
		_, at, _ = ownership.Locate(r.tree, above)
		name := a.list()[len(above)].FieldName
		if name == nil {
			return p.errorOf(a.Operation, "the list is gone")
		}
		at, value = append(at, *name), []any{}
		r.write(opAdd, at, value)
	}
	list, isList := value.([]any)
	if !isList {
		return p.errorOf(a.Operation, "there is "+describe(value)+", not a list")
	}
	pointer := p.operations[a.Operation].path
	segment, reason := pointer[:len(pointer)-1].segment(list, pointer[len(pointer)-1])
	if reason != "" {
		return p.errorOf(a.Operation, reason)
	}
	at = append(slices.Clip(at), segment)
	r.operations = append(r.operations, operation{name: opAdd, path: pointerTo(at), value: a.wanted})
	r.tree = edit(r.tree, at, func(container, last any) any {
		return slices.Insert(slices.Clone(container.([]any)), last.(int), a.wanted)
	})
	return nil
}

// checkInserted refuses to add an item again between items that only their positions name. It allows that if the rest
// of the list is unchanged, or a test of the patch vouches for the position. It always allows an item at the beginning
// or at the end.
func (p JSONPatch) checkInserted(tree any, left Left, inserted []Addition) error {
	for _, a := range inserted {
		pointer := p.operations[a.Operation].path
		last := pointer[len(pointer)-1]
		if a.IsNamed() || last == endOfList || last == "0" || p.tested(a.list(), left.Places) {
			continue
		}
		if left.Unchanged == nil || !left.Unchanged(beside(tree, a.list(), left.beside())) {
			o := p.operations[a.Operation]
			return &OperationError{Index: a.Operation, Operation: o.name, Pointer: o.path.String(), Reason: positionReason, Position: true}
		}
	}
	return nil
}

// beside returns the fields to leave out when lists are compared: see [List].
func (l Left) beside() *fieldpath.Set {
	return WithAdditions(l.Fields, l.Added)
}

// WithAdditions adds the items that only their positions name to fields.
func WithAdditions(fields *fieldpath.Set, additions []Addition) *fieldpath.Set {
	all := fieldpath.NewSet()
	for _, a := range additions {
		if !a.IsNamed() {
			all.Insert(a.Place)
		}
	}
	return fields.Union(all)
}

// moved returns the places of the operations, with the new positions of the items.
func moved(places []fieldpath.Path, tree any, additions []Addition) []fieldpath.Path {
	result := slices.Clone(places)
	found := find(tree, additions)
	for _, a := range additions {
		if at, there := found[a.Operation]; there && !a.IsNamed() {
			result[a.Operation] = append(a.list().Copy(), fieldpath.IndexElement(at))
		}
	}
	return result
}

// errorOf returns an error about one operation.
func (p JSONPatch) errorOf(index int, reason string) error {
	o := p.operations[index]
	return &OperationError{Index: index, Operation: o.name, Pointer: o.path.String(), Reason: reason}
}

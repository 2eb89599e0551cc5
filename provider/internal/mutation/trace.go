package mutation

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// trace follows the places that operations have written to, while later operations move them.
type trace struct {
	fields   *fieldpath.Set // see namedFields
	places   []place
	tests    []place
	holes    []ownership.Location // members that were removed
	once     []bool               // for each operation
	removed  *fieldpath.Set
	removals []fieldpath.Path // the places that each operation has removed
}

// place is where an operation has written.
type place struct {
	operation int
	at        ownership.Location
	once      bool
	// changed means that a later operation has written below: the value is no longer the one that the operation wrote.
	changed bool
}

func newTrace(fields *fieldpath.Set, operations int) *trace {
	return &trace{fields: fields, once: make([]bool, operations), removed: fieldpath.NewSet(), removals: make([]fieldpath.Path, operations)}
}

// wrote records that an operation has replaced the value at a place.
func (t *trace) wrote(operation int, at ownership.Location) {
	t.forget(at)
	t.change(at)
	t.once[operation] = false
	t.places = append(t.places, place{operation: operation, at: slices.Clone(at)})
}

// wroteOnce is wrote for an operation that is not repeated.
func (t *trace) wroteOnce(operation int, at ownership.Location) {
	t.forget(at)
	t.change(at)
	t.noteOnce(operation, at)
}

// inserted records that an operation has added an item to a list, which moves the items behind it. It is not repeated.
func (t *trace) inserted(operation int, at ownership.Location) {
	t.reshape(at)
	t.shift(at, 1)
	t.change(at)
	t.noteOnce(operation, at)
}

func (t *trace) noteOnce(operation int, at ownership.Location) {
	t.once[operation] = true
	t.places = append(t.places, place{operation: operation, at: slices.Clone(at), once: true})
}

// took records that an operation has removed the value at a place. before is the tree before the operation.
func (t *trace) took(operation int, before any, at ownership.Location) {
	path := pathOf(before, at, t.fields)
	if !t.tracked(at) {
		t.removed.Insert(path)
	}
	t.forget(at)
	t.change(at)
	if _, isItem := at[len(at)-1].(int); isItem {
		t.reshape(at)
		t.shift(at, -1)
	} else {
		t.holes = append(t.holes, slices.Clone(at))
	}
	t.once[operation] = true
	t.removals[operation] = path
}

// tested records that a test holds at a place. It ignores a test of something that the patch has written or removed.
func (t *trace) tested(operation int, at ownership.Location) {
	ours := slices.ContainsFunc(t.places, func(p place) bool { return within(at, p.at) }) ||
		slices.ContainsFunc(t.holes, func(hole ownership.Location) bool { return within(at, hole) })
	if !ours {
		t.tests = append(t.tests, place{operation: operation, at: slices.Clone(at)})
	}
}

// forget drops what was written or tested at or below a place.
func (t *trace) forget(at ownership.Location) {
	below := func(p place) bool { return within(p.at, at) }
	t.places = slices.DeleteFunc(t.places, below)
	t.tests = slices.DeleteFunc(t.tests, below)
	t.holes = slices.DeleteFunc(t.holes, func(hole ownership.Location) bool { return within(hole, at) })
}

// reshape drops the tests of everything that contains an added or removed item.
func (t *trace) reshape(item ownership.Location) {
	t.tests = slices.DeleteFunc(t.tests, func(p place) bool { return len(p.at) < len(item) && within(item, p.at) })
}

// change marks what was written above a place.
func (t *trace) change(at ownership.Location) {
	for i := range t.places {
		if len(t.places[i].at) < len(at) && within(at, t.places[i].at) {
			t.places[i].changed = true
		}
	}
}

// shift moves the places in the items of a list, starting at a position.
func (t *trace) shift(from ownership.Location, by int) {
	last := len(from) - 1
	first, isItem := from[last].(int)
	if !isItem {
		return
	}
	move := func(at ownership.Location) {
		if !within(at, from[:last]) || len(at) <= last {
			return
		}
		if index := at[last].(int); index >= first {
			at[last] = index + by
		}
	}
	for _, p := range slices.Concat(t.places, t.tests) {
		move(p.at)
	}
	for _, hole := range t.holes {
		move(hole)
	}
}

// tracked reports whether a place lies below a place that is tracked as a whole.
func (t *trace) tracked(at ownership.Location) bool {
	return slices.ContainsFunc(t.places, func(p place) bool {
		return !p.once && len(p.at) < len(at) && within(at, p.at)
	})
}

// within reports whether a place is at or below another.
func within(at, other ownership.Location) bool {
	return len(at) >= len(other) && slices.Equal(at[:len(other)], other)
}

// effect returns the combined effect of the operations.
func (t *trace) effect(object map[string]any) Effect {
	effect := newEffect()
	effect.Object = object
	effect.Once = t.removed
	effect.Operations = make([]Touch, len(t.once))
	for i, once := range t.once {
		effect.Operations[i].Once = once
		effect.Operations[i].Place = t.removals[i]
	}
	for _, p := range t.tests {
		effect.Operations[p.operation].Place = pathOf(object, p.at, t.fields)
	}
	for _, p := range t.places {
		path := pathOf(object, p.at, t.fields)
		effect.Operations[p.operation].Place = path
		if !p.changed {
			effect.Operations[p.operation].Path = path
		}
		switch {
		case t.tracked(p.at):
		case p.once:
			insertWithKeys(effect.Once, object, path)
		default:
			value, _, _ := ownership.Locate(object, path)
			insertLeaves(effect.Set, object, path, value)
		}
	}
	effect.Once = effect.Once.Difference(effect.Set)
	return effect
}

// insertLeaves adds the parts of the value at a path. Members that others add to a map that the patch has set remain
// theirs.
func insertLeaves(set *fieldpath.Set, object map[string]any, path fieldpath.Path, v any) {
	members, isMap := v.(map[string]any)
	if !isMap || len(members) == 0 {
		insertWithKeys(set, object, path)
		return
	}
	for name, member := range members {
		insertLeaves(set, object, append(slices.Clip(path), fieldpath.FieldNameElement(name)), member)
	}
}

// insertWithKeys adds a path to the set, and the key fields of the list items on the way.
func insertWithKeys(set *fieldpath.Set, object map[string]any, path fieldpath.Path) {
	set.Insert(path)
	for n := 1; n < len(path); n++ {
		key := path[n-1].Key
		if key == nil {
			continue
		}
		for _, field := range *key {
			below := append(path[:n:n], fieldpath.FieldNameElement(field.Name))
			if _, _, has := ownership.Locate(object, below); has {
				set.Insert(below)
			}
		}
	}
}

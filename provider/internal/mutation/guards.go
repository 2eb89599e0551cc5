package mutation

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// CheckTests runs the tests of a patch that was carried out, on the object as it is now. It leaves out tests of what
// the patch itself has changed. places are the places of the operations when the patch was carried out, see [Touch].
// The error is an [OperationError].
//
// If the places were not kept (nil), CheckTests runs a test at its pointer. It then also leaves out a test if an
// operation works at, above or below its pointer, or moves the items of a list on the way there.
func (p JSONPatch) CheckTests(live *unstructured.Unstructured, places []fieldpath.Path) error {
	return p.checkTests(normalized(live.Object), places)
}

func (p JSONPatch) checkTests(tree any, places []fieldpath.Path) error {
	for i, o := range p.operations {
		if o.name != opTest {
			continue
		}
		reason := ""
		switch {
		case len(places) == len(p.operations):
			if places[i] != nil {
				reason = o.testAt(tree, places[i], p.changedBelow(places[i], places))
			}
		case !p.touches(o.path):
			reason = o.testAtPointer(tree)
		}
		if reason != "" {
			return &OperationError{Index: i, Operation: o.name, Pointer: o.path.String(), Reason: reason, Test: true}
		}
	}
	return nil
}

// changedBelow returns the places below place, relative to it, where operations other than tests have worked.
func (p JSONPatch) changedBelow(place fieldpath.Path, places []fieldpath.Path) []fieldpath.Path {
	var below []fieldpath.Path
	for i, other := range places {
		if p.operations[i].name != opTest && leadsTo(place, other) && len(other) > len(place) {
			below = append(below, other[len(place):])
		}
	}
	return below
}

// testAt runs a test at a place, leaves out what was changed below it, and says how the test fails.
func (o operation) testAt(tree any, place fieldpath.Path, changed []fieldpath.Path) (reason string) {
	have, _, has := ownership.Locate(tree, place)
	if !has && o.value != nil {
		return "what it is about is gone"
	}
	return differs(without(have, changed), without(o.value, changed))
}

// testAtPointer runs a test where its pointer leads, and says how the test fails.
func (o operation) testAtPointer(tree any) (reason string) {
	have, _, reason := o.path.find(tree)
	if reason != "" {
		if _, inList, missing := o.path.findPlace(tree); o.value == nil && missing == "" && !inList {
			return ""
		}
		return reason
	}
	return differs(have, o.value)
}

// touches reports whether an operation may have changed the value at a pointer.
func (p JSONPatch) touches(at pointer) bool {
	related := func(other pointer) bool {
		return reflect.DeepEqual(at, other) || at.below(other) || other.below(at)
	}
	// Adding or removing an item moves the items behind it.
	moves := func(item pointer) bool { return item.isPosition() && at.below(item[:len(item)-1]) }
	for _, o := range p.operations {
		switch {
		case o.name == opTest:
		case related(o.path), o.name == opMove && (related(o.from) || moves(o.from)), o.name != opReplace && moves(o.path):
			return true
		}
	}
	return false
}

// leadsTo reports whether above equals path or is an ancestor of it.
func leadsTo(above, path fieldpath.Path) bool {
	return len(above) <= len(path) && above.Equals(path[:len(above)])
}

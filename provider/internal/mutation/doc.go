// Package mutation evaluates JSON patches (RFC 6902) and merge patches (RFC 7386) on a live Kubernetes
// object, and says what they touch.
//
// The API server keeps no reliable record of what such a patch has set: a value that is equal to the live
// one gets no entry in managedFields, and a field that a patch stops naming stays in its manager's entry.
// So the fields are computed here, from the patch and the object that it is applied to.
//
// # What is tracked
//
// A merge patch touches its leaves: scalars, lists as a whole, and null, which takes a field away. An
// operation of a JSON patch touches what its pointer points at. A pointer names a list item by its
// position, which says nothing once the list changes; where the managers of the object name the items of
// the list by keys, so do the paths here.
//
// # Tests
//
// A test is about the object as it was when the patch was carried out. Drift is put right only where the tests of
// the patch still hold: those that are about what the patch itself leaves alone. A test of something that an
// operation writes, removes, or contains is no guard afterwards, since it would fail, or hold, because of us. What the
// operations change below the place of a test is left out of the comparison; a test of a list to which an operation
// adds an item, or from which it takes one, is no guard. A test is made where the item is now that it was about:
// found by its key, or where items have none, at the position where the operations have left it.
//
// An operation that has another effect each time it is carried out (an item added to a list, remove, move,
// copy) is done once. What it touches is known, but is not the patch's to keep.
//
// Laws:
//
//   - No function changes its arguments.
//   - ownership.Project(effect.Object, effect.Set, document) holds the values that the patch has set, and the
//     keys of the list items that they are in. A null is nothing there, as in every projection.
//   - What differs between the object and effect.Object is at, above or below a path of the effect.
//   - Reasons and errors quote names and pointers, never values: a value may be secret.
package mutation

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// Problem is one reason why a patch cannot be sent. Its path is relative to the patch, such as [1].path or
// metadata.uid.
type Problem = manifest.Problem

// Effect is what a patch does to one object.
type Effect struct {
	// Object is the object after the patch.
	Object map[string]any
	// Set are the fields that the patch gives a value and that are tracked for drift. Items of keyed lists that
	// are not tracked as a whole come with their key fields, so that they are found in a projection too.
	Set *fieldpath.Set
	// Removed are the fields that the patch takes away and that are tracked: those that are null in a merge patch.
	Removed *fieldpath.Set
	// Once are the fields touched by operations that cannot be repeated. They are never tracked.
	Once *fieldpath.Set
	// Operations says of each operation of a JSON patch, by its position, what it touches.
	Operations []Touch
}

// Touch is what one operation of a JSON patch sets.
type Touch struct {
	// Place is where the operation has worked, also if it cannot be repeated or a later one has changed what it
	// left: where it has written, or what it has removed. It is nil if nothing is left of what it wrote. Of a test,
	// it is what the test guards, see [JSONPatch.CheckTests], and nil if it guards nothing.
	Place fieldpath.Path
	// Path is in Effect.Set or below a path in it, or it is in Effect.Once. It is nil if the operation sets
	// nothing (test, remove), or nothing that is left: a later operation has changed or removed it.
	Path fieldpath.Path
	// Once tells that the operation cannot be repeated.
	Once bool
}

func newEffect() Effect {
	return Effect{Set: fieldpath.NewSet(), Removed: fieldpath.NewSet(), Once: fieldpath.NewSet()}
}

// Package mutation evaluates JSON patches (RFC 6902) and merge patches (RFC 7386) on a live Kubernetes object, and says
// what they touch.
//
// The API server keeps no reliable record of what such a patch has set: a value that equals the live one gets no entry
// in managedFields, and a field that the patch no longer names stays in its manager's entry. So this package computes
// the fields from the patch and the object that it is applied to.
//
// # What is tracked
//
// A merge patch touches its leaves: scalars, lists as a whole, and null, which removes a field. An operation of a JSON
// patch touches what its pointer points at. A pointer names a list item by its position, which means nothing once the
// list changes. If the managers of the object name the items of the list by keys, so do the paths here.
//
// # Tests
//
// A test is about the object at the time when the patch was carried out. Drift is corrected only if the tests of the
// patch still hold, except those that the patch itself has made meaningless. A test of something that an operation
// writes, removes, or contains does not count afterwards, because it would fail or hold because of us. Nor does a test
// of a list if an operation adds an item to it or removes one from it. If operations change something below the place
// of a test, the comparison leaves that out. A test follows the item that it was about: it finds the item by its key
// or, if items have none, at the position where the operations have left it.
//
// An operation whose effect differs each time it is carried out (an item added to a list, remove, move, copy) is
// carried out once. We know what it touches, but the patch does not keep it that way.
//
// Laws:
//
//   - No function changes its arguments.
//   - ownership.Project(effect.Object, effect.Set, document) holds the values that the patch has set, and the keys of
//     the list items that contain them. A null counts as absent, as in every projection.
//   - Every difference between the object and effect.Object is at, above or below a path of the effect.
//   - Reasons and errors quote names and pointers, never values: a value may be secret.
package mutation

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// Problem is one reason why a patch cannot be sent. Its path is relative to the patch, such as [1].path or
// metadata.uid.
type Problem = manifest.Problem

// Effect is the effect of a patch on one object.
type Effect struct {
	// Object is the object after the patch.
	Object map[string]any
	// Set are the fields that the patch gives a value and that are tracked for drift. Items of keyed lists that are not
	// tracked as a whole come with their key fields, so that they are found in a projection too.
	Set *fieldpath.Set
	// Removed are the tracked fields that the patch removes: those that are null in a merge patch.
	Removed *fieldpath.Set
	// Once are the fields touched by operations that cannot be repeated. They are never tracked.
	Once *fieldpath.Set
	// Operations says, by position, what each operation of a JSON patch touches.
	Operations []Touch
}

// Touch says what one operation of a JSON patch sets.
type Touch struct {
	// Place is where the operation has written or removed something, even if the operation cannot be repeated or a
	// later one has changed the result. It is nil if nothing remains of what the operation wrote. For a test, it is
	// what the test guards, see [JSONPatch.CheckTests], and nil if it guards nothing.
	Place fieldpath.Path
	// Path is in Effect.Set, below a path in it, or in Effect.Once. It is nil if the operation sets nothing (test,
	// remove), or if a later operation has changed or removed what it set.
	Path fieldpath.Path
	// Once means that the operation cannot be repeated.
	Once bool
}

func newEffect() Effect {
	return Effect{Set: fieldpath.NewSet(), Removed: fieldpath.NewSet(), Once: fieldpath.NewSet()}
}

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

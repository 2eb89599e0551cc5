package patch

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// patchType is one way to patch: how the request is made, and how it is known which
// fields it touches.
type patchType interface {
	// predict finds out what the patch would touch on live. Where that takes a dry-run,
	// its answer is returned too.
	predict(ctx context.Context, t target, live *unstructured.Unstructured) (patchedFields, *unstructured.Unstructured, error)
	// send carries the patch out on live and on no other state of the object, or tries
	// what would happen. foreseen may be empty where sees is true.
	send(ctx context.Context, t target, live *unstructured.Unstructured, dryRun bool) (*unstructured.Unstructured, error)
	// reportsFields reports whether what was touched can be seen in the answer, so that nothing
	// has to be foreseen.
	reportsFields() bool
	// touched reads from an answer what was touched by the field manager.
	touched(answer *unstructured.Unstructured, manager string, foreseen patchedFields) (patchedFields, error)
	// kept is what stays in our entries of metadata.managedFields.
	kept(t patchedFields) ownership.Kept
}

// patchedFields are the fields that a patch is about. No set is nil.
type patchedFields struct {
	// set are fields with a value from the patch. They are watched for drift.
	set *fieldpath.Set
	// removed are fields that the patch takes away. They are watched too.
	removed *fieldpath.Set
	// nonIdempotent are fields that were touched by operations that are not repeated.
	nonIdempotent *fieldpath.Set
	// operations are, for each operation of a JSON patch, the field that it sets and
	// that is watched; nil where there is none.
	operations []fieldpath.Path
	// places are, for each operation of a JSON patch, where it has worked, see
	// [mutation.Touch]. They are nil in a state that does not know them.
	places []fieldpath.Path
}

func nothing() patchedFields {
	return patchedFields{set: fieldpath.NewSet(), removed: fieldpath.NewSet(), nonIdempotent: fieldpath.NewSet()}
}

// leaves are the places of the values in a set, without the keys of list items.
func leaves(set *fieldpath.Set) []fieldpath.Path {
	var paths []fieldpath.Path
	ownership.Leaves(set).Iterate(func(path fieldpath.Path) { paths = append(paths, path.Copy()) })
	return paths
}

// all are all the fields.
func (t patchedFields) all() *fieldpath.Set { return t.set.Union(t.removed).Union(t.nonIdempotent) }

// present are the fields that have a value.
func (t patchedFields) present() *fieldpath.Set { return t.set.Union(t.nonIdempotent) }

// patchType is how the whole patch is carried out.
func (in inputs) patchType() (patchType, error) {
	switch in.kind {
	case keyPatch:
		return ssaPatch{body: in.body()}, nil
	case keyJSONPatch:
		return newOperations(in)
	default:
		return newMerge(in)
	}
}

// repair is how drift is put right. Operations of a JSON patch may not be repeatable;
// only the values that have drifted are set again, where its tests hold.
func (in inputs) repair(old state) (patchType, error) {
	if in.kind == keyJSONPatch {
		return newRestoration(in, old)
	}
	return in.patchType()
}

package patch

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// patchType is one way to patch: how to make the request, and how to find out which fields it touches.
type patchType interface {
	// predict finds out what the patch would touch on live. If that takes a dry-run, it also returns the answer.
	predict(ctx context.Context, t target, live *unstructured.Unstructured) (patchedFields, *unstructured.Unstructured, error)
	// send applies the patch to live, and to no other state of the object.
	send(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// try runs the patch on live as a dry-run.
	try(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// reportsFields reports whether the answer shows what was touched, so that nothing has to be predicted.
	reportsFields() bool
	// touched reads from an answer what the field manager touched. foreseen may be empty if reportsFields is true.
	touched(answer *unstructured.Unstructured, manager string, foreseen patchedFields) (patchedFields, error)
	// kept returns what stays in our entries of metadata.managedFields.
	kept(t patchedFields) ownership.Kept
}

// patchedFields are the fields that a patch concerns. No set is nil.
type patchedFields struct {
	// set are the fields with a value from the patch. They are watched for drift.
	set *fieldpath.Set
	// removed are the fields that the patch removes. They are watched, too.
	removed *fieldpath.Set
	// nonIdempotent are the fields touched by operations that are not repeated.
	nonIdempotent *fieldpath.Set
	// dropped are the fields that the API server accepted but did not keep. It is nil if the answer does not tell.
	dropped *fieldpath.Set
	// operations holds, for each operation of a JSON patch, the watched field that it sets; nil if there is none.
	operations []fieldpath.Path
	// places holds, for each operation of a JSON patch, where it worked, see [mutation.Touch]. It is nil in a state
	// that does not know them.
	places []fieldpath.Path
}

func nothing() patchedFields {
	return patchedFields{set: fieldpath.NewSet(), removed: fieldpath.NewSet(), nonIdempotent: fieldpath.NewSet()}
}

// leaves returns the paths of the values in a set, without the keys of list items.
func leaves(set *fieldpath.Set) []fieldpath.Path {
	var paths []fieldpath.Path
	ownership.Leaves(set).Iterate(func(path fieldpath.Path) { paths = append(paths, path.Copy()) })
	return paths
}

// all returns all the fields.
func (t patchedFields) all() *fieldpath.Set { return t.set.Union(t.removed).Union(t.nonIdempotent) }

// present returns the fields that have a value.
func (t patchedFields) present() *fieldpath.Set { return t.set.Union(t.nonIdempotent) }

// patchType returns how to carry out the whole patch.
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

// repair returns how to correct drift. The operations of a JSON patch may not be repeatable, so only the drifted values
// are set again, and only if its tests hold.
func (in inputs) repair(old state) (patchType, error) {
	if in.kind == keyJSONPatch {
		return newRestoration(in, old)
	}
	return in.patchType()
}

// onlyKind returns the input that holds the patch. There must be exactly one.
func onlyKind(in property.Map, fail fail) (string, bool) {
	var given []string
	for _, kind := range kinds {
		if v := in.Get(kind); !v.IsNull() {
			given = append(given, kind)
		}
	}
	switch len(given) {
	case 1:
		return given[0], true
	case 0:
		fail(keyPatch, "Give the patch as patch, jsonPatch or mergePatch.")
	default:
		fail(given[1], "Give exactly one of patch, jsonPatch and mergePatch; there are "+strings.Join(given, " and ")+".")
	}
	return "", false
}

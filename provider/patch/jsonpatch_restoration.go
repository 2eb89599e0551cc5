package patch

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// restoration restores the values that a JSON patch has set, if they have drifted and certainly belong there.
type restoration struct {
	untraced
	in     inputs
	patch  mutation.JSONPatch
	left   mutation.Left
	fields patchedFields
	// again returns the values that the API server did not keep. They are also set only if they certainly belong there.
	again func(live map[string]any) []mutation.Value
}

func newRestoration(in inputs, old state) (patchType, error) {
	patch, problems := mutation.ParseJSONPatch(in.document)
	return restoration{
		in:     in,
		patch:  patch,
		fields: old.touched,
		again:  func(live map[string]any) []mutation.Value { return old.again(in, live) },
		left: mutation.Left{
			Values: old.Wanted(), Fields: old.touched.set, Places: old.touched.places, Unchanged: old.unchanged,
			Added: old.remembered(in),
		},
	}, firstProblem(keyJSONPatch, problems)
}

// predict refuses drift that cannot be corrected, before anything is written.
func (r restoration) predict(
	_ context.Context, t target, live *unstructured.Unstructured,
) (patchedFields, *unstructured.Unstructured, error) {
	restored, err := r.restore(t, live)
	return r.fields.movedTo(restored.Places), nil, err
}

func (r restoration) send(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return r.by(ctx, t, t.send, live)
}

func (r restoration) try(ctx context.Context, t target, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return r.by(ctx, t, t.try, live)
}

// by sends what restores the values, if anything does.
func (r restoration) by(ctx context.Context, t target, send sender, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	restored, err := r.restore(t, live)
	if err != nil {
		return nil, err
	}
	if restored.Body == nil {
		return live, nil
	}
	return send(ctx, types.JSONPatchType, restored.Body)
}

func (r restoration) restore(t target, live *unstructured.Unstructured) (mutation.Restored, error) {
	left := r.left
	left.Again = r.again(live.Object)
	restored, err := r.patch.Restore(live, left, live.GetUID(), live.GetResourceVersion())
	if err != nil && len(left.Again) > 0 {
		restored, err = r.patch.Restore(live, r.left, live.GetUID(), live.GetResourceVersion())
	}
	if err == nil {
		return restored, nil
	}
	err = r.in.withoutSecrets(err)
	const what = "%s has drifted and is not corrected: %v.\n"
	operation := (*mutation.OperationError)(nil)
	switch {
	case !errors.As(err, &operation):
		err = tracked.Refused(failure.ReasonPatchNotApplicable, what+"The operation that set it cannot be repeated. Change jsonPatch to match the object.", t.Ref, err)
	case operation.Test:
		err = tracked.Refused(failure.ReasonPatchNotApplicable, what+"The object is no longer what the patch was written "+
			"for, and nothing was changed. Check it; then make the test hold again, or change jsonPatch to match the object.", t.Ref, err)
	case !operation.Position:
		err = tracked.Refused(failure.ReasonPatchNotApplicable, what+"Nothing was changed. Check the object, and change jsonPatch to match it.", t.Ref, err)
	default:
		err = tracked.Refused(failure.ReasonPatchNotApplicable, what+"Nothing was changed. Check the list, and change "+
			"jsonPatch to match it. A test of another item in the list can prove from then on that a position is still "+
			"right.", t.Ref, err)
	}
	return mutation.Restored{}, lastingDrift{err}
}

// lastingDrift is drift that cannot be corrected with certainty. It fails the update of this resource. A preview only
// warns: an error there would block the update of everything else in the program.
type lastingDrift struct{ error }

func (d lastingDrift) Unwrap() error { return d.error }

// warnOfLastingDrift reports whether an error of a preview is only lasting drift, and warns about it if so.
func warnOfLastingDrift(ctx context.Context, err error) bool {
	drift := lastingDrift{}
	if !errors.As(err, &drift) {
		return false
	}
	p.GetLogger(ctx).Warningf("%v\nUntil then, `pulumi up` fails for this resource.", err)
	return true
}

// hashNeighbours returns keyed hashes of the other contents of lists, by list name: everything besides the fields and
// added items that only their position identifies.
func (s state) hashNeighbours(in inputs, object map[string]any) (map[string]string, error) {
	if in.kind != keyJSONPatch || s.HashKey == "" {
		return nil, nil
	}
	hashes := map[string]string{}
	for _, list := range mutation.Beside(object, mutation.WithAdditions(s.touched.set, s.remembered(in))) {
		sum, err := tracked.Hash(s.HashKey, list.Rest)
		if err != nil {
			return nil, err
		}
		hashes[ownership.Format(list.Path)] = sum
	}
	return hashes, nil
}

// unchanged reports whether a list still has the same contents beside our fields as when these were set. It returns
// false if that is unknown.
func (s state) unchanged(list mutation.List) bool {
	was, known := s.neighbours[ownership.Format(list.Path)]
	is, err := tracked.Hash(s.HashKey, list.Rest)
	return known && err == nil && is == was
}

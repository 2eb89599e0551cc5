package patch

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// takeAway removes what the patch has added and releases the rest, in one request. found says whether the object
// exists. takeAway also adds to the state what the last read did not know.
func (r *run) takeAway(ctx context.Context, uid types.UID) (done removal, found, readable bool, err error) {
	readable = true
	r.old.unrecorded = fieldpath.NewSet()
	err = cluster.RetryOnConflict(ctx, func() error {
		live, err := r.target.Cluster.Get(ctx, r.target.Ref)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil || live.GetUID() != uid {
			return err
		}
		found, readable = true, tracked.NamesOwners(live)
		if live, err = r.convertible(ctx, live); err != nil {
			return err
		}
		unrecorded, err := r.unrecorded(live)
		if err != nil {
			return err
		}
		r.old.unrecorded = r.old.unrecorded.Union(unrecorded)
		planned, err := r.removable(live)
		if err != nil {
			return err
		}
		after, err := r.remove(ctx, live, &planned, r.target.Own()...)
		if err != nil {
			return err
		}
		// Others may have written the object after an earlier attempt.
		planned.paths, planned.restored = append(done.paths, planned.paths...), append(done.restored, planned.restored...)
		done = planned
		return r.strip(ctx, after, planned.owners)
	})
	return done, found, readable, err
}

// convertible keeps the managed fields of other managers: the API server drops all managed fields of an object that it
// cannot convert.
func (r run) convertible(ctx context.Context, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	body, err := ownership.InOrder(r.target.Convertible(ctx, live)).Patch(live)
	if err != nil || body == nil {
		return live, err
	}
	return r.target.send(ctx, types.JSONPatchType, body)
}

// remove carries out the plan, after which managers own nothing. If the API server refuses the result, everything stays
// and is only released: a destroy must end.
func (r run) remove(
	ctx context.Context, live *unstructured.Unstructured, planned *removal, managers ...string,
) (*unstructured.Unstructured, error) {
	body, err := ownership.TakeAway(live, managers, planned.puts, planned.places)
	if err != nil || body == nil {
		return live, err
	}
	after, err := r.target.send(ctx, types.JSONPatchType, body)
	if err == nil || len(planned.places)+len(planned.puts) == 0 || !isRefused(err) {
		return after, err
	}
	// A list that is now shorter is refused in the same way as a missing value that a test requires.
	now, lookErr := r.target.Cluster.Get(ctx, r.target.Ref)
	if lookErr != nil {
		return nil, lookErr
	}
	if now.GetResourceVersion() != live.GetResourceVersion() {
		return nil, apierrors.NewConflict(schema.GroupResource{Resource: live.GetKind()}, live.GetName(), err)
	}
	planned.refusal = r.target.Explain("remove fields of", err, append(r.in.sensitive(), r.old.formerTexts()...)).Error()
	for _, path := range planned.paths {
		planned.kept = append(planned.kept, keptField{path: path, why: "the API server refuses the object without it, or without another one of these"})
	}
	for _, path := range planned.restored {
		planned.kept = append(planned.kept, keptField{path: path, why: "the API server refuses its earlier value, or that of another one of these"})
	}
	planned.places, planned.paths, planned.puts, planned.restored, planned.owners = nil, nil, nil, nil, nil
	return r.remove(ctx, live, planned, managers...)
}

// strip releases the fields that the API server recorded for us because of the removal itself. What was put back belongs
// to its owners again.
func (r run) strip(ctx context.Context, after *unstructured.Unstructured, owners []ownership.FormerOwner) error {
	body, err := ownership.InOrder(ownership.GiveBack(owners), r.target.ReleaseAll()).Patch(after)
	if err != nil || body == nil {
		return err
	}
	_, err = r.target.send(ctx, types.JSONPatchType, body)
	return err
}

// isRefused reports whether the API server, or admission, refuses the resulting object. If we may not write the
// object at all, the second attempt is refused, too.
func isRefused(err error) bool {
	return failure.Outcome(err) == failure.Refused && !failure.Gone(err) && !apierrors.IsConflict(err) &&
		!apierrors.IsUnauthorized(err) && !apierrors.IsTooManyRequests(err)
}

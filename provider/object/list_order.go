package object

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// reordered lists the lists whose order in a dry-run differs from the live object. Order is part of the manifest:
// init containers run in it, and $(VAR) in a variable sees only the variables before it.
//
// The state does not know the live order, because it stores items in manifest order. One read finds it out, but only
// if the program has changed the order: a change by others is not drift.
func (o outcome) reordered(ctx context.Context, in inputs, saved property.Map) ([]ownership.Change, error) {
	was, err := decodeInputs(saved)
	if err != nil || len(ownership.Reordered(was.applied, in.applied, o.state.fields)) == 0 {
		return nil, nil
	}
	live, err := o.target.Cluster.Get(ctx, o.target.Ref)
	switch {
	case failure.Gone(err):
		return nil, nil // the update recreates the object
	case err != nil:
		return nil, o.target.Explain("read", err, in.sensitive())
	case live.GetUID() != o.answer.GetUID():
		return nil, nil // the dry-run was for another object
	}
	var changes []ownership.Change
	for _, list := range ownership.Reordered(live.Object, o.answer.Object, o.state.fields) {
		changes = append(changes, ownership.Change{Kind: ownership.Changed, Path: list})
	}
	return changes, nil
}

package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// moved reports whether the program wants the object in another cluster than it is in. Where that cannot be told without a
// look at the object, the state is marked, so that Diff looks.
func (r *kubeObject) moved(ctx context.Context, clu *cluster.Cluster, urn resource.URN, old *state) (bool, error) {
	t := target{tracked.Target{Cluster: clu, Ref: tracked.RefOf(old.Ref.Identity)}}
	moved, undecided, err := old.Origin.Moved(ctx, r.source, t.Target, old.Pending)
	switch {
	case moved:
		r.moves.Note(urn, old.State)
	case undecided && !old.Pending:
		old.Stale = true
		return false, nil
	case err != nil:
		return false, t.explain("read", err, inputs{})
	}
	return moved, nil
}

// elsewhere makes a replacement of a look or a dry-run that has found another cluster than that of the object. Any other
// error stays one.
func (r *kubeObject) elsewhere(ctx context.Context, urn resource.URN, old state, err error) (p.DiffResponse, error) {
	if !tracked.IsElsewhere(err) && !tracked.IsForgotten(err) {
		return p.DiffResponse{}, err
	}
	tracked.WarnMoved(ctx, r.source, err)
	r.moves.Note(urn, old.State)
	return tracked.ElsewhereDiff(), nil
}

// leaveElsewhere decides about an update that has not found its object. An object that is gone is made again, and so is,
// in a real update, one that is in another cluster: it is left alone there.
func (r *kubeObject) leaveElsewhere(ctx context.Context, t target, old state, preview bool) error {
	err := old.Origin.RequireIn(ctx, r.source, t.Target)
	switch {
	case err == nil:
		p.GetLogger(ctx).Warningf("%s: the object that this resource applied is gone, it was deleted outside of Pulumi.", t.Ref)
		return nil
	case !preview && tracked.IsElsewhere(err):
		old.Origin.WarnLeft(ctx, r.source)
		return nil
	default:
		return err
	}
}

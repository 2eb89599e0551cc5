package patch

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// Update carries out a changed patch, corrects drift, resolves a patch with a lost reply, and waits again. It does
// not touch an object that is already as wanted.
func (r *patchResource) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	in, old, err := decode(req.Inputs, req.State)
	if err == nil {
		err = in.waitErr
	}
	if err != nil {
		return p.UpdateResponse{}, err
	}
	if req.DryRun && old.pendingWait && !r.calls.WasRead(req.Urn) {
		waitfor.SayAgain(ctx)
	}
	clu, err := r.source.Cluster(req.Inputs)
	asked := request{urn: req.Urn, cluster: clu, in: in, old: old, preview: req.DryRun}
	if unknown, err := asked.isUnknown(ctx, err); unknown || err != nil {
		open := tracked.UnknownIn(req.Inputs.Get(keyTarget)).Apart(old.Ref.Identity)
		return p.UpdateResponse{Properties: open.Hide(unknownOutputs(in, old.Ref.Identity, old.Ref.UID))}, err
	}
	result, ok := r.dryRuns.Pop(req.Urn, old.Ref.UID, func(o outcome) bool { return o.unresolved || o.state.upToDate(in) })
	if !ok || !req.DryRun {
		result, err = r.patch(ctx, asked)
	}
	if err != nil {
		return p.UpdateResponse{}, err
	}
	if !ok { // otherwise Diff has already reported it
		result.sayDropped(ctx)
		result.sayUnrecorded(ctx)
	}
	if req.DryRun && old.Pending {
		// The dry-run served only to find refusals.
		return p.UpdateResponse{Properties: unknownOutputs(in, old.Ref.Identity, old.Ref.UID)}, nil
	}
	if result.unresolved {
		return p.UpdateResponse{Properties: unknownOutputs(in, old.Ref.Identity, result.state.Ref.UID)}, nil
	}
	var resp p.UpdateResponse
	if result.state.Origin = old.Origin; !req.DryRun {
		result.state.Origin = old.OriginAfter(ctx, clu, result.state.Ref.UID)
	}
	if req.DryRun {
		resp.Properties, err = result.state.encode(in)
		return resp, err
	}
	result, unfinished := r.finish(ctx, result, in)
	result.state.Ahead = unfinished != nil // the engine keeps the previous inputs
	resp.Properties, resp.PartialState, err = result.saved(in, unfinished)
	return resp, err
}

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
	result, err := r.answeredOrPatch(ctx, asked)
	switch {
	case err != nil:
		return p.UpdateResponse{}, err
	case req.DryRun && old.Pending:
		// The dry-run served only to find refusals.
		return p.UpdateResponse{Properties: unknownOutputs(in, old.Ref.Identity, old.Ref.UID)}, nil
	case result.unresolved:
		return p.UpdateResponse{Properties: unknownOutputs(in, old.Ref.Identity, result.state.Ref.UID)}, nil
	}
	var resp p.UpdateResponse
	if req.DryRun {
		result.state.Origin = old.Origin
		resp.Properties, err = result.state.encode(in)
		return resp, err
	}
	result.state.Origin = old.OriginAfter(ctx, clu, result.state.Ref.UID)
	result, unfinished := r.finish(ctx, result, in)
	result.state.Ahead = unfinished != nil // the engine keeps the previous inputs
	resp.Properties, resp.PartialState, err = result.saved(in, unfinished)
	return resp, err
}

// answeredOrPatch patches the object, unless the dry-run of the Diff before is also the one of this preview. What Diff has reported is not
// reported again.
func (r *patchResource) answeredOrPatch(ctx context.Context, asked request) (outcome, error) {
	answered, reported := r.dryRuns.Pop(asked.urn, asked.old.Ref.UID, func(o outcome) bool { return o.unresolved || o.state.upToDate(asked.in) })
	if reported && asked.preview {
		return answered, nil
	}
	result, err := r.patch(ctx, asked)
	if err == nil && !reported {
		result.sayDropped(ctx)
		result.sayUnrecorded(ctx)
		result.sayLeft(ctx)
	}
	return result, err
}

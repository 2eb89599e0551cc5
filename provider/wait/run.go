package wait

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// Create waits. It saves the goal even if it is not reached, so that the next run waits again instead of asking what
// happened.
func (r *waitResource) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	in, err := r.decodeInputs(req.Properties)
	if err != nil {
		return p.CreateResponse{}, err
	}
	if req.DryRun {
		return p.CreateResponse{Properties: in.planned()}, nil
	}
	now, err := r.wait(ctx, req.Urn, req.Properties, in, state{})
	resp := p.CreateResponse{ID: in.id(), Properties: now.encode()}
	if err != nil {
		resp.PartialState, err = tracked.Unfinished(err)
	}
	return resp, err
}

// Update waits again.
func (r *waitResource) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	in, err := r.decodeInputs(req.Inputs)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	if req.DryRun {
		if decodeState(req.State).pending && !r.calls.WasRead(req.Urn) {
			waitfor.SayAgain(ctx)
		}
		return p.UpdateResponse{Properties: in.planned()}, nil
	}
	now, err := r.wait(ctx, req.Urn, req.Inputs, in, decodeState(req.State))
	resp := p.UpdateResponse{Properties: now.encode()}
	if err != nil {
		resp.PartialState, err = tracked.Unfinished(err)
	}
	return resp, err
}

// known are the program's secret texts that this process has seen.
func (r *waitResource) known() tracked.KnownSecrets {
	return tracked.NewKnownSecrets(r.source.Secrets())
}

// wait waits until everything holds. If it returns an error, the state says that not everything held.
func (r *waitResource) wait(
	ctx context.Context, urn resource.URN, properties property.Map, in inputs, before state,
) (now state, err error) {
	pending := state{pending: true, uid: in.object.UID}
	clu, err := r.source.Cluster(properties)
	if errors.Is(err, connection.ErrUnknown) || !in.known {
		return pending, p.InternalErrorf("the engine asked to wait for something that is unknown")
	}
	if err != nil {
		return pending, err
	}
	defer func() { now.origin = tracked.OriginOf(ctx, clu) }()
	if in.selected != nil {
		return r.waitForMany(ctx, clu, in)
	}
	if in.heldAtTheEnd(&r.ended) {
		return state{uid: in.object.UID}, nil
	}
	live, err := waitfor.Run(ctx, waitfor.Request{
		Cluster: clu, Object: in.object.Identity, UID: types.UID(in.object.UID), Spec: in.spec,
		Sensitive: r.source.Secrets(), LogLines: waitfor.LogLines, GoesOn: in.goesOn, InSet: tracked.IsInSet(urn),
	})
	if failed, ok := errors.AsType[*waitfor.Error](err); ok && in.goesOn && failed.Decided() {
		return in.givenUp(ctx, failed), nil
	}
	if err != nil {
		return pending, err
	}
	now, err = in.observed(live, before, r.known())
	if err != nil {
		return pending, err
	}
	return now, nil
}

// givenUp warns that the goal was not reached, and returns a state with which the engine continues with what depends on the Wait.
// Such a Wait waits again for the same reasons as one that has succeeded.
func (in inputs) givenUp(ctx context.Context, failed *waitfor.Error) state {
	p.GetLogger(ctx).Warningf("%v\nWhat depends on this Wait goes on, because its onFailure is %q.", failed, failureWarns)
	given := state{gaveUp: true, uid: in.object.UID}
	if last := failed.Err.Last; last != nil {
		given.uid = string(last.GetUID())
	}
	return given
}

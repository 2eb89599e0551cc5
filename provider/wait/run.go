package wait

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
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
	now, err := r.wait(ctx, req.Properties, in)
	resp := p.CreateResponse{ID: in.object.String(), Properties: now.encode()}
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
	now, err := r.wait(ctx, req.Inputs, in)
	resp := p.UpdateResponse{Properties: now.encode()}
	if err != nil {
		resp.PartialState, err = tracked.Unfinished(err)
	}
	return resp, err
}

// wait waits until everything holds. If it returns an error, the state says that not everything held.
func (r *waitResource) wait(ctx context.Context, properties property.Map, in inputs) (now state, err error) {
	pending := state{pending: true, uid: in.object.UID}
	clu, err := r.source.Cluster(properties)
	if errors.Is(err, connection.ErrUnknown) || !in.known {
		return pending, p.InternalErrorf("the engine asked to wait for something that is unknown")
	}
	if err != nil {
		return pending, err
	}
	defer func() { now.origin = tracked.OriginOf(ctx, clu) }()
	live, err := waitfor.Run(ctx, waitfor.Request{
		Cluster: clu, Object: in.object.Identity, UID: types.UID(in.object.UID), Spec: in.spec,
		Sensitive: r.source.Secrets(),
	})
	if err != nil {
		return pending, err
	}
	now, err = in.observed(live)
	if err != nil {
		return pending, err
	}
	return now, nil
}

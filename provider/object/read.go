package object

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Read looks at the live object once. Without inputs and state it is an import.
func (r *kubeObject) Read(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	if asksForExistence(req.Urn) {
		return r.exists(ctx, req)
	}
	r.calls.Read(req.Urn)
	r.deleting.Forget(req.Urn)
	if isLeftOut(req.Inputs) {
		return p.ReadResponse{ID: req.ID, Properties: req.Properties, Inputs: req.Inputs}, nil
	}
	if req.Inputs.Len() == 0 && req.Properties.Len() == 0 {
		return r.importObject(ctx, req)
	}
	in, old, err := r.decode(req.Inputs, req.Properties)
	if err != nil {
		return p.ReadResponse{}, err
	}
	r.source.Remember(in.sensitive())
	if old.Ref.Identity, err = old.IdentityIn(req.ID); err != nil {
		return p.ReadResponse{}, err
	}

	r.moves.Forget(old.State)
	r.guard.Observe(req.Urn, old.Ref.UID, old.HashKey)
	manager, next := old.OnObject(tracked.ManagerOf(req.Urn))
	t, live, err := observeLive(ctx, r.source, req.Inputs, old.Ref.Identity, manager)
	t.Also = next
	switch err = old.Origin.Located(ctx, r.source, t.Target, old.Ref.UID, live, err); {
	case tracked.IsForgotten(err):
		return p.ReadResponse{}, nil
	case tracked.IsGone(err):
		return r.readGone(ctx, req, t, in, old)
	case err != nil:
		return r.keepStale(ctx, req, t.Cluster, old, t.Explain("read", err, in.sensitive()))
	default:
		return r.readLive(ctx, req, in, old, t, live)
	}
}

// readGone answers for an object that is not there.
func (r *kubeObject) readGone(ctx context.Context, req p.ReadRequest, t target, in inputs, old state) (p.ReadResponse, error) {
	if ended, err := r.readEnded(ctx, req, t, in, old); err != nil || ended.ID != "" {
		return ended, err
	}
	if wasSeen := old.Ref.UID != "" && !old.Pending; wasSeen {
		t.warnGone(ctx)
	}
	return p.ReadResponse{}, nil
}

// readLive answers for an object that is there.
func (r *kubeObject) readLive(
	ctx context.Context, req p.ReadRequest, in inputs, old state, t target, live *unstructured.Unstructured,
) (p.ReadResponse, error) {
	t.WarnTerminating(ctx, live)
	r.looks.Read(req.Urn, live.GetResourceVersion())
	t.warnForeign(ctx, in, live)
	if err := t.warnReturned(ctx, in, old, live); err != nil {
		return p.ReadResponse{}, err
	}
	now, err := old.observe(t, live, in)
	switch {
	case errors.Is(err, errNotOurs):
		return p.ReadResponse{}, nil
	case errors.Is(err, errUnconfirmed):
		resp := p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}
		resp.PartialState, err = stillPending(old, err)
		return resp, err
	case err != nil:
		return p.ReadResponse{}, err
	}
	if err := in.leaveOn(live, nil, t.asOn(live).Own()...); err != nil {
		return p.ReadResponse{}, err
	}
	t.sayHidden(ctx, in, live)
	if !now.unsettled.isEmpty() {
		t.sayUnsettled(ctx, in, live, now.unsettled.fields)
	}
	if now.Ref.UID == string(live.GetUID()) {
		now.Origin = old.Origin.Seen(ctx, t.Cluster)
	}
	out, err := now.encode(in)
	if err != nil {
		return p.ReadResponse{}, err
	}
	return p.ReadResponse{ID: req.ID, Properties: out, Inputs: req.Inputs}, nil
}

// readEnded answers for a Job that has ended and is gone. If there is no such Job, the answer has no ID.
func (r *kubeObject) readEnded(ctx context.Context, req p.ReadRequest, t target, in inputs, old state) (p.ReadResponse, error) {
	job, ended, err := old.endedAndGone(ctx, t)
	if err != nil {
		return r.keepStale(ctx, req, t.Cluster, old, t.Explain("read", err, in.sensitive()))
	}
	if !ended {
		t.sayFailed(ctx, job)
		return p.ReadResponse{}, nil
	}
	t.sayEnded(ctx, old.job, job)
	old.job, old.Stale = job, false
	out, err := old.encode(in)
	return p.ReadResponse{ID: req.ID, Properties: out, Inputs: req.Inputs}, err
}

var (
	// errNotOurs means that the object in our place was not made by the unconfirmed apply that tried to create it.
	errNotOurs = errors.New("the object was not made by this resource")
	// errUnconfirmed means that a read of the object does not settle an apply.
	errUnconfirmed = errors.New("the object does not carry the field manager of this resource")
)

// keepStale answers a failed read with what was known before.
func (r *kubeObject) keepStale(
	ctx context.Context, req p.ReadRequest, clu *cluster.Cluster, old state, explained error,
) (p.ReadResponse, error) {
	resp := tracked.KeepStale(ctx, r.source, clu, req, explained)
	if !old.Pending {
		return resp, nil
	}
	var err error
	resp.PartialState, err = stillPending(old, errors.New("the object could not be read"))
	return resp, err
}

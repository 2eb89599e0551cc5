package task

import (
	"context"
	"errors"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Create runs, if the Task runs when it is created.
func (r *taskResource) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	in, err := decodeInputs(req.Properties)
	if err != nil {
		return p.CreateResponse{}, err
	}
	s := state{hashKey: tracked.NewHashKey(), secret: in.secret}
	d := decision{why: "it is new"}
	d.runs = in.runsOn(onCreate)
	if req.DryRun {
		return p.CreateResponse{Properties: in.preview(ctx, d, s)}, nil
	}
	s, err = r.do(ctx, req.Urn, in, s, d, func() (*cluster.Cluster, error) { return r.source.Cluster(req.Properties) })
	if err != nil && !s.begun() {
		return p.CreateResponse{}, err
	}
	resp := p.CreateResponse{ID: in.id().String(), Properties: s.encode()}
	if err != nil {
		resp.PartialState, err = tracked.Unfinished(err)
	}
	return resp, err
}

// do does what was decided, and returns the state after it. If the state names an object, it is to be saved although there is an
// error.
func (r *taskResource) do(
	ctx context.Context, urn resource.URN, in inputs, s state, d decision, connect func() (*cluster.Cluster, error),
) (state, error) {
	if len(in.unknown) > 0 {
		return s.without(), p.InternalErrorf("the engine asked to run something that is unknown")
	}
	content, err := tracked.Hash(s.hashKey, in.content)
	if err != nil {
		return s.without(), err
	}
	s.content = content
	clu, err := connect()
	if !d.runs {
		if err == nil && s.origin.IsZero() && in.runsOn(onDelete) {
			s.origin = tracked.OriginOf(ctx, clu) // the cluster in which it is to run at the end
		}
		return s, nil
	}
	if errors.Is(err, connection.ErrUnknown) {
		return s.without(), p.InternalErrorf("the engine asked to run in a cluster that is unknown")
	}
	if err != nil {
		return s.without(), err
	}
	id := in.id()
	if d.goesOn && s.object.Name != "" {
		id = s.object.Identity // under the name of the run, also if the resource has another URN by now
	} else if id.Name, err = runName(id.Name, urn, in.content, s.number); err != nil {
		return s.without(), err
	}
	current, err := r.runOf(ctx, urn, in, clu, id)
	if err != nil {
		return s.without(), err
	}
	e, err := current.execute(tracked.Asking(ctx, r.source, urn, in.sensitive, false))
	s.unfinished, s.result, s.stays, s.secret = e.unfinished, e.result, e.stays, in.secret
	if !e.begun {
		return s.without(), err
	}
	s.object = refOf(current.target.Identity(), "")
	if e.live != nil {
		s.object.UID = string(e.live.GetUID())
	}
	s.origin = tracked.OriginOf(ctx, clu)
	return s, err
}

// runOf prepares a run whose object has this identity.
func (r *taskResource) runOf(ctx context.Context, urn resource.URN, in inputs, clu *cluster.Cluster, id manifest.Identity) (*run, error) {
	r.source.Remember(in.sensitive)
	manager := ownership.Manager(string(urn.Project()), string(urn.Stack()), urn.Name(), string(urn))
	t, err := tracked.Resolve(ctx, clu, id, manager)
	if err != nil {
		return nil, t.Explain("create", err, in.sensitive)
	}
	return &run{in: in, target: t, sensitive: slices.Concat(in.sensitive, r.source.Secrets())}, nil
}

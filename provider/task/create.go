package task

import (
	"cmp"
	"context"
	"errors"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Create runs, if the Task runs when it is created.
func (r *taskResource) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	in, err := decodeInputs(req.Properties)
	if err != nil {
		return p.CreateResponse{}, err
	}
	s := state{life: beginLife(tracked.NewHashKey()), secret: in.secret}
	d := in.decideNew()
	was, replaces := r.former.replacedBy(req.Urn)
	if replaces {
		d = in.decideReplacement()
		s.number = was.state.number + 1 // Otherwise the new Task would take the last run for its own.
	}
	if err := r.passedOn.note(in, d); err != nil {
		return p.CreateResponse{}, err
	}
	next := plan{decision: d, urn: req.Urn, in: in, connect: func() (*cluster.Cluster, error) { return r.source.Cluster(req.Properties) }}
	if req.DryRun {
		return p.CreateResponse{Properties: in.preview(ctx, d, s)}, r.try(ctx, next)
	}
	if replaces && d.runs && was.state.unfinished == interrupted {
		kept, err := in.kept(was.state, d)
		if err != nil {
			return p.CreateResponse{}, err
		}
		if err := r.stop(ctx, req.Urn, req.Properties, was, kept); err != nil {
			return p.CreateResponse{}, err
		}
	}
	r.former.create(req.Urn, s)
	s, err = r.do(ctx, next, s)
	if err != nil && !s.begun() {
		return p.CreateResponse{}, err
	}
	resp := p.CreateResponse{ID: in.id().String(), Properties: s.encode()}
	if err != nil {
		resp.PartialState, err = tracked.Unfinished(err)
	}
	return resp, err
}

// stop removes a run that may still be running: two runs of one Task never overlap, even if one Task replaces the other.
func (r *taskResource) stop(ctx context.Context, urn resource.URN, properties property.Map, was formerTask, kept []needed) error {
	clu, err := r.source.Cluster(properties)
	if err != nil {
		return err
	}
	moved, _, err := was.state.origin.Moved(ctx, r.source, tracked.Target{Cluster: clu, Ref: tracked.RefOf(was.state.object.Identity)})
	if err != nil || moved {
		return err
	}
	in, err := decodeInputs(was.inputs)
	if err != nil {
		return err
	}
	return r.removeRun(ctx, urn, previous{in, was.state}, kept, clu)
}

// plan is what a Create or an Update is about to do.
type plan struct {
	decision

	urn resource.URN
	in  inputs
	// connect returns the cluster in which the Task runs.
	connect func() (*cluster.Cluster, error)
}

// do carries out the decision, and returns the state after it. If the state names an object, the state must be saved even if
// there is an error.
func (r *taskResource) do(ctx context.Context, next plan, s state) (state, error) {
	in, urn := next.in, next.urn
	if len(in.unknown) > 0 {
		return s.without(), p.InternalErrorf("the engine asked to run something that is unknown")
	}
	content, err := tracked.Hash(s.hashKey, in.content)
	if err != nil {
		return s.without(), err
	}
	s.content, s.operation = content, next.operation
	clu, err := next.connect()
	if !next.runs {
		if err == nil && s.origin.IsZero() && in.runsOn(onDelete) {
			s.origin = tracked.OriginOf(ctx, clu) // the cluster in which it runs when it is deleted
		}
		return s, nil
	}
	if errors.Is(err, connection.ErrUnknown) {
		return s.without(), p.InternalErrorf("the engine asked to run in a cluster that is unknown")
	}
	if err != nil {
		return s.without(), err
	}
	id, err := next.runID(s)
	if err != nil {
		return s.without(), err
	}
	current, err := newRun(ctx, r.source, in, clu, id)
	if err != nil {
		return s.without(), err
	}
	e, err := current.execute(tracked.Writing(ctx, r.source, urn, in.sensitive))
	s.unfinished, s.result, s.stays, s.secret = e.unfinished, e.result, e.stays, in.secret
	if !e.begun {
		return s.without(), err
	}
	s.origin = tracked.OriginOf(ctx, clu)
	return s.ofRun(current, id, e), err
}

// runID names the run. One that goes on keeps its name, even if the resource has got another URN.
func (next plan) runID(s state) (runID, error) {
	if next.goesOn && s.begun() {
		return runID{object: s.object.Identity, name: s.name, manager: cmp.Or(s.manager, tracked.ManagerOf(next.urn))}, nil
	}
	id := runID{object: next.in.id(), manager: tracked.ManagerOf(next.urn)}
	name, err := runName(id.object.Name, next.urn, next.in.content, s.number)
	if err != nil {
		return id, err
	}
	id.name, id.object.Name = name, next.in.objectName(name)
	return id, nil
}

// ofRun is the state of a run that has begun.
func (s state) ofRun(current *run, id runID, e end) state {
	s.object, s.name, s.manager, s.with = refOf(current.target.Identity(), ""), id.name, id.manager, current.with
	if s.unfinished == "" {
		s.with = which(current.with, func(n needed) bool { return n.left })
		if e := current.in.event(); e != nil {
			s.event = e.number
		}
	}
	if e.live != nil {
		s.object.UID = string(e.live.GetUID())
	}
	return s
}

// runID identifies a run in its cluster.
type runID struct {
	object manifest.Identity
	// name distinguishes the run from all others, and manager is the field manager that makes its objects.
	name, manager string
}

// newRun prepares a run.
func newRun(ctx context.Context, source *connection.Source, in inputs, clu *cluster.Cluster, id runID) (*run, error) {
	source.Remember(in.sensitive)
	t, err := tracked.Resolve(ctx, clu, id.object, id.manager)
	if err != nil {
		return nil, t.Explain("create", err, in.sensitive)
	}
	with, err := in.needs(id.name)
	return &run{in: in, name: id.name, with: with, target: t, sensitive: slices.Concat(in.sensitive, source.Secrets())}, err
}

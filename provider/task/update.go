package task

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Update runs if the content has changed, and continues a run that was interrupted.
func (r *taskResource) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	in, err := decodeInputs(req.Inputs)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	was := previous{state: decodeState(req.State)}
	if was.in, err = decodeInputs(req.OldInputs); err != nil {
		return p.UpdateResponse{}, err
	}
	moved, err := r.moved(ctx, req, was.state)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	d, err := in.decide(was.state, change{moved: moved, renamed: in.isRenamed(was.in)})
	if err != nil {
		return p.UpdateResponse{}, err
	}
	if err := r.passedOn.note(in, d); err != nil {
		return p.UpdateResponse{}, err
	}
	next := plan{decision: d, urn: req.Urn, in: in, connect: func() (*cluster.Cluster, error) { return r.source.Cluster(req.Inputs) }}
	if req.DryRun {
		return p.UpdateResponse{Properties: in.preview(ctx, d, was.state)}, r.try(ctx, next)
	}
	s, err := r.clearFor(ctx, req, was, next, moved)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	s, err = r.do(ctx, next, s)
	if err != nil && !s.begun() {
		return p.UpdateResponse{}, err
	}
	resp := p.UpdateResponse{Properties: s.encode()}
	if err != nil {
		resp.PartialState, err = tracked.Unfinished(err)
	}
	return resp, err
}

// clearFor removes what the last run has left and the next one does not need, and returns the state after that.
func (r *taskResource) clearFor(ctx context.Context, req p.UpdateRequest, was previous, next plan, moved bool) (s state, err error) {
	s = was.state
	if (next.runs || next.drops || moved) && !next.goesOn {
		if s, err = r.begin(ctx, req, was, next, moved); err != nil {
			return s, err
		}
	}
	if !next.runs {
		return r.tidy(ctx, req, was.in, next.in, s)
	}
	return s, nil
}

// begin removes what the last run has left, and returns the state in which no run has begun yet.
func (r *taskResource) begin(ctx context.Context, req p.UpdateRequest, was previous, next plan, moved bool) (state, error) {
	old := was.state
	kept, err := next.in.kept(old, next.decision)
	if err != nil {
		return old, err
	}
	if moved {
		r.warnLeft(ctx, old)
	} else if err := r.clear(ctx, req, was, kept); err != nil {
		return old, err
	}
	s := old.without()
	if old.begun() || old.content != "" {
		s.number++
	}
	if e := next.in.event(); e != nil && moved {
		s.event = e.number // An upgrade hook has nothing to do in the new cluster.
	}
	return s, nil
}

// moved reports whether the connection leads to another cluster than the last run's.
func (r *taskResource) moved(ctx context.Context, req p.UpdateRequest, old state) (bool, error) {
	clu, err := r.source.Cluster(req.Inputs)
	if errors.Is(err, connection.ErrUnknown) && req.DryRun {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	moved, _, err := old.origin.Moved(ctx, r.source, tracked.Target{Cluster: clu, Ref: tracked.RefOf(old.object.Identity)})
	return moved, err
}

// clear removes what the last run has left, except kept, before another run begins: two runs of one Task never overlap.
func (r *taskResource) clear(ctx context.Context, req p.UpdateRequest, was previous, kept []needed) error {
	clu, err := r.source.Cluster(req.Inputs)
	if err != nil {
		return err
	}
	return r.removeRun(ctx, req.Urn, was, kept, clu)
}

// warnLeft says that the last run stays in the cluster that the connection led to.
func (r *taskResource) warnLeft(ctx context.Context, old state) {
	if old.begun() {
		old.origin.WarnLeft(ctx, r.source)
	}
}

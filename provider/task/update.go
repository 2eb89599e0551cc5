package task

import (
	"context"
	"errors"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// decision is what an operation does.
type decision struct {
	// runs means that there is a run.
	runs bool
	// goesOn means that it is the one that was interrupted.
	goesOn bool
	// moved means that the last run was in another cluster.
	moved bool
	// why is the reason for the run.
	why string
}

// decide says what an update does. moved means that the connection leads to another cluster than that of the last run, renamed that the
// release of the hook is.
func (in inputs) decide(old state, moved, renamed bool) (decision, error) {
	content, known := "", len(in.unknown) == 0
	if known {
		var err error
		if content, err = tracked.Hash(old.hashKey, in.content); err != nil {
			return decision{}, err
		}
	}
	same := known && content == old.content
	switch {
	case moved:
		// To a release, another cluster is an installation, not an upgrade.
		runs := in.runsOn(onCreate) || in.runsOn(onUpdate) && in.hook == nil
		return decision{runs: runs, moved: true, why: "the connection leads to another cluster"}, nil
	case old.unfinished == interrupted && same:
		return decision{runs: true, goesOn: true, why: fmt.Sprintf("it was interrupted, and goes on with %s", tracked.RefOf(old.object.Identity))}, nil
	case old.unfinished == interrupted:
		return decision{runs: true, why: fmt.Sprintf("it was interrupted, and what it runs has changed: %s is stopped, and another run begins", tracked.RefOf(old.object.Identity))}, nil
	case old.unfinished == failed:
		return decision{runs: true, why: "the last run has failed"}, nil
	case renamed:
		return decision{runs: in.runsOn(onCreate), why: "the release has another name or namespace, so it is installed"}, nil
	case in.hook != nil && in.hook.installing:
		return decision{runs: !old.begun() && in.runsOn(onCreate), why: "it is new"}, nil
	case !in.runsOn(onUpdate):
		return decision{}, nil
	case !known:
		return decision{runs: true, why: "values of it are known only after the apply: " + strings.Join(in.unknown, ", ")}, nil
	case !same:
		return decision{runs: true, why: "what it runs has changed"}, nil
	default:
		return decision{}, nil
	}
}

// preview says what will run, and returns the outputs as far as they are known.
func (in inputs) preview(ctx context.Context, d decision, old state) property.Map {
	if !d.runs {
		return old.encode()
	}
	what := "It"
	if id := in.id(); id.Name != "" {
		what = tracked.RefOf(id).String()
	}
	p.GetLogger(ctx).Infof("%s will run: %s.", what, d.why)
	return planned()
}

// Update runs if what is run has changed, and goes on with what was interrupted.
func (r *taskResource) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	in, err := decodeInputs(req.Inputs)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	old := decodeState(req.State)
	moved, err := r.moved(ctx, req, old)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	was, err := decodeInputs(req.OldInputs)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	d, err := in.decide(old, moved, in.isRenamed(was))
	if err != nil {
		return p.UpdateResponse{}, err
	}
	connect := func() (*cluster.Cluster, error) { return r.source.Cluster(req.Inputs) }
	if req.DryRun {
		return p.UpdateResponse{Properties: in.preview(ctx, d, old)}, r.try(ctx, req.Urn, in, d, connect)
	}
	s := old
	if (d.runs || moved) && !d.goesOn {
		if err := r.clear(ctx, req, was, old, moved); err != nil {
			return p.UpdateResponse{}, err
		}
		s = old.without()
		if old.begun() || old.content != "" {
			s.number++
		}
	}
	s, err = r.do(ctx, req.Urn, in, s, d, connect)
	if err != nil && !s.begun() {
		return p.UpdateResponse{}, err
	}
	resp := p.UpdateResponse{Properties: s.encode()}
	if err != nil {
		resp.PartialState, err = tracked.Unfinished(err)
	}
	return resp, err
}

// moved reports whether the connection leads to another cluster than that of the last run.
func (r *taskResource) moved(ctx context.Context, req p.UpdateRequest, old state) (bool, error) {
	clu, err := r.source.Cluster(req.Inputs)
	if errors.Is(err, connection.ErrUnknown) && req.DryRun {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	moved, _, err := old.origin.Moved(ctx, r.source, tracked.Target{Cluster: clu, Ref: tracked.RefOf(old.object.Identity)}, false)
	return moved, err
}

// clear removes what the last run has left, before another one begins: two runs of one Task never overlap.
func (r *taskResource) clear(ctx context.Context, req p.UpdateRequest, was inputs, old state, moved bool) error {
	if moved {
		if old.begun() {
			old.origin.WarnLeft(ctx, r.source)
		}
		return nil
	}
	clu, err := r.source.Cluster(req.Inputs)
	if err != nil {
		return err
	}
	return r.removeRun(ctx, req.Urn, was, old, clu)
}

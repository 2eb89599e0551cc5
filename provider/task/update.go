package task

import (
	"cmp"
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
	// runs means that the Task runs.
	runs bool
	// goesOn means that this continues the run that was interrupted.
	goesOn bool
	// drops means that the last run is not done, and that nothing asks for it now.
	drops bool
	// operation is the member of runOn that causes the run.
	operation string
	// why is the reason for the run.
	why string
}

// decideNew says what a new Task does.
func (in inputs) decideNew() decision {
	runs := in.runsOn(onCreate)
	if e := in.event(); e != nil {
		runs = e.asksForNew()
	}
	return decision{runs: runs, operation: onCreate, why: "it is new"}
}

// decideReplacement says what a new Task does that replaces an old one because a user has asked for it. A hook still runs only in
// its events.
func (in inputs) decideReplacement() decision {
	operation := in.first(onCreate, onUpdate)
	d := decision{runs: operation != "", operation: operation, why: "it is replaced"}
	if e := in.event(); e != nil {
		d.runs = e.asksForNew()
	}
	return d
}

// change is how an update differs from the last run.
type change struct {
	// moved means that the connection leads to another cluster.
	moved bool
	// renamed means that the release of the hook has got another name or namespace.
	renamed bool
	// same means that what is run has not changed. decide finds it out.
	same bool
}

// decide says what an update does.
func (in inputs) decide(old state, c change) (decision, error) {
	content, known := "", len(in.unknown) == 0
	if known {
		var err error
		if content, err = tracked.Hash(old.hashKey, in.content); err != nil {
			return decision{}, err
		}
	}
	e := in.event()
	c.same = known && content == old.content
	switch {
	case c.moved:
		return in.decideMoved(), nil
	case old.unfinished != "":
		return in.decideUnfinished(old, c), nil
	case e != nil:
		d := e.decide(in, old, c)
		d.operation = in.first(onCreate, onUpdate)
		return d, nil
	case !in.runsOn(onUpdate) || c.same:
		return decision{}, nil
	case !known:
		return decision{runs: true, operation: onUpdate, why: "values of it are known only after the apply: " + strings.Join(in.unknown, ", ")}, nil
	default:
		return decision{runs: true, operation: onUpdate, why: "what it runs has changed"}, nil
	}
}

// decideMoved says what an update in another cluster does. For a release, it is an installation, not an upgrade.
func (in inputs) decideMoved() decision {
	d := decision{runs: in.runsOn(onCreate) || in.runsOn(onUpdate), operation: in.first(onCreate, onUpdate), why: "the connection leads to another cluster"}
	if in.hook != nil {
		d.runs, d.operation = in.runsOn(onCreate), onMove
	}
	return d
}

// decideUnfinished says what an update does about a run that is not done.
func (in inputs) decideUnfinished(old state, c change) decision {
	again := decision{runs: true, operation: cmp.Or(old.operation, in.first(onCreate, onUpdate))}
	asks := in.asksAgain(old)
	if e := in.event(); e != nil {
		asks = e.asksAgain(in, old)
	}
	switch {
	case !asks && in.hook == nil && in.runsOn(onUpdate) && !c.same:
		again.operation, again.why = onUpdate, "what it runs has changed"
	case !asks && in.hook == nil:
		return decision{drops: true, why: "the last run has not succeeded, but runOn no longer asks for it"}
	case !asks:
		return decision{drops: true, why: "the last run has not succeeded, but what happens to the release does not ask for it"}
	case old.unfinished == failed:
		again.why = "the last run has failed"
	case c.same:
		again.goesOn, again.why = true, fmt.Sprintf("it was interrupted, and goes on with %s", tracked.RefOf(old.object.Identity))
	default:
		again.why = fmt.Sprintf("it was interrupted, and what it runs has changed: %s is stopped, and another run begins", tracked.RefOf(old.object.Identity))
	}
	return again
}

// asksAgain reports whether the Task still runs in the operation that caused the last run. Older states do not name the
// operation: then it is either create or update.
func (in inputs) asksAgain(old state) bool {
	if old.operation == "" {
		return in.runsOn(onCreate) || in.runsOn(onUpdate)
	}
	return in.runsOn(old.operation)
}

// first is the first of these operations in which the Task runs.
func (in inputs) first(operations ...string) string {
	for _, operation := range operations {
		if in.runsOn(operation) {
			return operation
		}
	}
	return ""
}

// preview says what will run, and returns the outputs as far as they are known.
func (in inputs) preview(ctx context.Context, d decision, old state) property.Map {
	what := "It"
	if id := in.id(); id.Name != "" {
		what = tracked.RefOf(id).String()
	}
	if d.drops {
		p.GetLogger(ctx).Infof("%s will not run: %s.", what, d.why)
	}
	if !d.runs {
		return old.encode()
	}
	p.GetLogger(ctx).Infof("%s will run: %s.", what, d.why)
	return planned()
}

// Update runs if the content has changed, and continues a run that was interrupted.
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
	d, err := in.decide(old, change{moved: moved, renamed: in.isRenamed(was)})
	if err != nil {
		return p.UpdateResponse{}, err
	}
	if err := r.passedOn.note(in, d); err != nil {
		return p.UpdateResponse{}, err
	}
	next := plan{decision: d, urn: req.Urn, in: in, connect: func() (*cluster.Cluster, error) { return r.source.Cluster(req.Inputs) }}
	if req.DryRun {
		return p.UpdateResponse{Properties: in.preview(ctx, d, old)}, r.try(ctx, next)
	}
	s := old
	if (d.runs || d.drops || moved) && !d.goesOn {
		kept, err := in.kept(old, d)
		if err != nil {
			return p.UpdateResponse{}, err
		}
		if moved {
			r.warnLeft(ctx, old)
		} else if err := r.clear(ctx, req, previous{was, old}, kept); err != nil {
			return p.UpdateResponse{}, err
		}
		s = old.without()
		if old.begun() || old.content != "" {
			s.number++
		}
		if e := in.event(); e != nil && moved {
			s.event = e.number // An upgrade hook has nothing to do in the new cluster.
		}
	}
	if !d.runs {
		if s, err = r.tidy(ctx, req, was, in, s); err != nil {
			return p.UpdateResponse{}, err
		}
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

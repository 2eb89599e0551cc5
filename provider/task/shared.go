package task

import (
	"context"
	"fmt"
	"slices"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Hooks of one event may need the same object, such as a claim that one of them fills and another one reads. Helm deletes what is there
// for hooks alone when all hooks of the event have run. So such an object is made for the event: the first hook that needs it makes it,
// and the last one removes it. A hook that fails leaves what hooks in front of it have used, because the event goes on with the next
// command, and they do not run again.

// needed is an object of with.
type needed struct {
	// object is its manifest or, if it comes from the state, what identifies it.
	object map[string]any
	// madeFor is the name of the run that it is there for, or of the event. It is empty in older states.
	madeFor string
	// found means that hooks in front of this one need it, too, left that hooks behind this one do.
	found, left bool
}

// needs are the objects of with, for a run of this name.
func (in inputs) needs(run string) (all []needed, err error) {
	for i, object := range in.with {
		n := needed{object: object, madeFor: run}
		if e := in.event(); e != nil {
			n.found, n.left = slices.Contains(e.found, i), slices.Contains(e.left, i)
			if n.madeFor, err = e.nameFor(object); err != nil {
				return nil, err
			}
		}
		all = append(all, n)
	}
	return all, nil
}

// nameFor is the name of the event for an object that is made for it. One with another content is another object.
func (e *event) nameFor(object map[string]any) (string, error) {
	sum, err := digest(e.number, e.stage, object)
	return fmt.Sprintf("event-%d-%s", e.number, sum), err
}

// which selects some of what is needed.
func which(all []needed, is func(n needed) bool) []needed {
	return slices.DeleteFunc(slices.Clone(all), func(n needed) bool { return !is(n) })
}

// except leaves out what is among others.
func except(all, others []needed) []needed {
	return which(all, func(n needed) bool {
		return !slices.ContainsFunc(others, func(o needed) bool { return o.madeFor == n.madeFor })
	})
}

// unneeded is what no hook needs after a run that has succeeded, or has not.
func unneeded(all []needed, succeeded bool) []needed {
	return which(all, func(n needed) bool { return succeeded && !n.left || !succeeded && !n.found })
}

// kept is what the last run has found, and what is still needed: by hooks behind this one or, if it runs again, by itself. What that run
// alone has used is not: it may have come half of the way.
func (in inputs) kept(old state, runs bool) ([]needed, error) {
	all, err := in.needs("")
	all = which(all, func(n needed) bool { return n.left || runs && n.found })
	found := which(old.with, func(n needed) bool { return n.found })
	return except(found, except(found, all)), err
}

// isInEvent reports whether an event is open whose hooks share what they need.
func (in inputs) isInEvent() bool {
	e := in.event()
	return e != nil && e.open && !e.unsure && len(in.unknown) == 0
}

// stale is what a hook that is done has left in an event, and what no hook behind it needs any more: something else is open now, or the
// chart has changed.
func (in inputs) stale(old state) ([]needed, error) {
	if !in.isInEvent() || old.unfinished != "" || old.event <= in.hook.event.ended {
		return nil, nil
	}
	all, err := in.needs("")
	return except(old.with, which(all, func(n needed) bool { return n.left })), err
}

// last is what hooks in front of this one need, and none behind it does.
func (in inputs) last() ([]needed, error) {
	if !in.isInEvent() {
		return nil, nil
	}
	all, err := in.needs("")
	return which(all, func(n needed) bool { return n.found && !n.left }), err
}

// passedOn knows what the hooks that run in this operation leave for those behind them. If one of these is done already, it has nothing
// to run, and still removes that.
type passedOn struct{ made sync.Map }

// note notes what a run leaves, if there is one. In a preview, what is left is not told from other objects while it is not known.
func (p *passedOn) note(in inputs, d decision) error {
	if !d.runs || in.event() == nil || len(in.unknown) > 0 {
		return nil
	}
	all, err := in.needs("")
	for _, n := range all {
		if n.left {
			p.made.Store(in.hook.release+" "+n.madeFor, true)
		}
	}
	return err
}

// has reports whether a hook in front of this one has left it.
func (p *passedOn) has(in inputs, n needed) bool {
	_, has := p.made.Load(in.hook.release + " " + n.madeFor)
	return has
}

// tidy removes what no hook needs any more, where this one has nothing to run. was are the inputs of the last run.
func (r *taskResource) tidy(ctx context.Context, req p.UpdateRequest, was, in inputs, s state) (state, error) {
	stale, err := in.stale(s)
	if err != nil {
		return s, err
	}
	last, err := in.last()
	if err != nil || len(stale)+len(last) == 0 {
		return s, err
	}
	clu, err := r.source.Cluster(req.Inputs)
	if err != nil {
		return s, err
	}
	if len(stale) > 0 {
		run, err := r.lastRun(ctx, req.Urn, was, s, clu)
		if err != nil {
			return s, err
		}
		if err := run.removeWith(ctx, stale); err != nil {
			return s, err
		}
		s.with = except(s.with, stale)
	}
	if len(last) == 0 {
		return s, nil
	}
	run, err := newRun(ctx, r.source, in, clu, in.id(), s.name, tracked.ManagerOf(req.Urn))
	if err != nil {
		return s, err
	}
	return s, run.removeWith(ctx, last)
}

// isUntidy reports whether a hook that has nothing to run has something to remove.
func (r *taskResource) isUntidy(in inputs, old state) bool {
	stale, err := in.stale(old)
	if err != nil || len(stale) > 0 {
		return err == nil
	}
	last, err := in.last()
	return err == nil && slices.ContainsFunc(last, func(n needed) bool { return r.passedOn.has(in, n) })
}

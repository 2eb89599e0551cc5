package task

import (
	"context"
	"fmt"
	"slices"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Hooks of one event may need the same object, such as a claim that one hook fills and another hook reads. Helm deletes objects
// that exist only for hooks when all hooks of the event have run. So such an object is made for the event: the first hook that
// needs it makes it, and the last one removes it. A hook that fails leaves what hooks in front of it have used, because the next
// command continues the event without running those hooks again.

// needed is an object in `with`.
type needed struct {
	// object is its manifest or, if it comes from the state, only what identifies it.
	object map[string]any
	// madeFor is the name of the run, or of the event, that the object exists for. It is empty in older states.
	madeFor string
	// found means that hooks in front of this one need the object, too, left that hooks behind this one do.
	found, left bool
}

// needs are the objects in `with`, for a run with this name.
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

// nameFor is the name of the event for an object that is made for it. An object with different content gets a different name.
func (e *event) nameFor(object map[string]any) (string, error) {
	sum, err := digest(e.number, e.stage, object)
	return fmt.Sprintf("event-%d-%s", e.number, sum), err
}

// which selects the objects for which is returns true.
func which(all []needed, is func(n needed) bool) []needed {
	return slices.DeleteFunc(slices.Clone(all), func(n needed) bool { return !is(n) })
}

// except leaves out the objects that are among others.
func except(all, others []needed) []needed {
	return which(all, func(n needed) bool { return !contains(others, n) })
}

// contains reports whether an object made for the same run or event is among all.
func contains(all []needed, n needed) bool {
	return slices.ContainsFunc(all, func(o needed) bool { return o.madeFor == n.madeFor })
}

// unneeded is what no hook needs after a run: hooks behind it go on after a success, and hooks in front of it do not run again after a
// failure.
func unneeded(all []needed, end outcome) []needed {
	return which(all, func(n needed) bool { return end == afterSuccess && !n.left || end == afterFailure && !n.found })
}

// kept are the objects of the last run that are still needed: by hooks behind this one or, if this hook runs again, by itself.
// Objects that only the last run used are not kept, because it may have stopped in the middle of its work on them, unless a hook
// in front of this one uses them now: it has just filled them.
func (in inputs) kept(old state, d decision) ([]needed, error) {
	all, err := in.needs("")
	all = which(all, func(n needed) bool { return n.left || d.runs && n.found })
	inFront := which(all, func(n needed) bool { return n.found })
	return which(old.with, func(n needed) bool { return contains(inFront, n) || n.found && contains(all, n) }), err
}

// isInEvent reports whether an event is open in which hooks share objects.
func (in inputs) isInEvent() bool {
	e := in.event()
	return e != nil && e.open && !e.unsure && len(in.unknown) == 0
}

// stale are the objects that a finished hook has left in an event and that no hook behind it needs, because another event is open
// now or the chart has changed.
func (in inputs) stale(old state) ([]needed, error) {
	if !in.isInEvent() || old.unfinished != "" || old.event <= in.hook.event.ended {
		return nil, nil
	}
	all, err := in.needs("")
	return except(old.with, which(all, func(n needed) bool { return n.left })), err
}

// last are the objects that hooks in front of this one need and no hook behind it needs.
func (in inputs) last() ([]needed, error) {
	if !in.isInEvent() {
		return nil, nil
	}
	all, err := in.needs("")
	return which(all, func(n needed) bool { return n.found && !n.left }), err
}

// passedOn knows what the hooks that run in this operation leave for the hooks behind them. If a hook behind them is done
// already, it has nothing to run, but it still removes what they left.
type passedOn struct{ made sync.Map }

// note notes what a run leaves, if there is a run. In a preview with unknown values, the objects cannot be identified, and
// nothing is noted.
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

// has reports whether a hook in front of this one has left the object.
func (p *passedOn) has(in inputs, n needed) bool {
	_, has := p.made.Load(in.hook.release + " " + n.madeFor)
	return has
}

// tidy removes what no hook needs, if this hook has nothing to run. was are the inputs of the last run.
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
		run, err := r.lastRun(ctx, req.Urn, previous{was, s}, clu)
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
	run, err := newRun(ctx, r.source, in, clu, runID{object: in.id(), name: s.name, manager: tracked.ManagerOf(req.Urn)})
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

package task

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

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

// change is how an update differs from the last run.
type change struct {
	// moved means that the connection leads to another cluster.
	moved bool
	// renamed means that the release of the hook has got another name or namespace.
	renamed bool
	// same means that what is run has not changed. decide finds it out.
	same bool
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

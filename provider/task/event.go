package task

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// keyEventOutput is the hidden output that names the last event in which a hook has succeeded. The Chart reads it.
const keyEventOutput = "__event"

// onMove stands for runOn in the state of a hook whose release was moved to another cluster. The Chart does not know of such a
// move.
const onMove = "move"

// event is an install or an upgrade of a release. The Chart remembers the event that has begun and is not finished; each hook
// remembers the last event in which it has succeeded. So a hook runs once in each event that is its own, and never outside such
// an event.
type event struct {
	// unknown means that the event is known only after the apply.
	unknown bool
	// number distinguishes the event from the other events of the release.
	number int
	// open means that the event has begun and is not finished, runs that the hook is one of its hooks.
	open, runs bool
	// unsure means that it is not known what was installed before, because an older version of the provider did it. Then a hook
	// runs if what it runs has changed.
	unsure bool
	// ended is the last finished event before this one.
	ended int
	// stage is the part of the event in which the hook runs: before the objects of the release, or after them.
	stage string
	// found and left are indexes in `with`: the objects that hooks in front of this one need, too, and the objects that hooks
	// behind it need.
	found, left []int
}

// decodeEvent reads the event; nil if there is none, as in older programs.
func decodeEvent(v property.Value) *event {
	switch {
	case v.HasComputed():
		return &event{unknown: true}
	case !v.IsMap():
		return nil
	}
	members := v.AsMap()
	flag := func(name string) bool { return values.Flag(members.Get(name)) }
	return &event{
		number: whole(members.Get(tracked.EventNumber)), ended: whole(members.Get(tracked.EventEnded)), stage: values.Text(members.Get(tracked.EventStage)),
		open: flag(tracked.EventOpen), runs: flag(tracked.EventRuns), unsure: flag(tracked.EventUnsure),
		found: wholes(members.Get(tracked.EventFound)), left: wholes(members.Get(tracked.EventLeft)),
	}
}

// whole reads a whole number; 0 where there is none.
func whole(v property.Value) int {
	if !v.IsNumber() {
		return 0
	}
	return int(v.AsNumber())
}

func wholes(v property.Value) (numbers []int) {
	if v.IsArray() {
		for _, item := range v.AsArray().All {
			numbers = append(numbers, whole(item))
		}
	}
	return numbers
}

func checkEvent(v property.Value, wrong *check.Mistakes) {
	at := values.JoinPath(tracked.KeyHook, tracked.HookEvent)
	switch {
	case v.IsNull() || v.HasComputed():
	case !v.IsMap():
		wrong.Add(at, "The value must be an object.")
	case !v.AsMap().Get(tracked.EventNumber).IsNumber():
		wrong.Add(values.JoinPath(at, tracked.EventNumber), "The value must be a number.")
	}
}

// event returns the event of a hook. It is nil for a Task that is no hook, and if the event is not known.
func (in inputs) event() *event {
	if in.hook == nil || in.hook.event == nil || in.hook.event.unknown {
		return nil
	}
	return in.hook.event
}

// hasSucceededIn reports whether the hook is done in an event. A run of an older version of the provider has the number 0.
func (s state) hasSucceededIn(number int) bool {
	return s.unfinished == "" && s.event == number && (number > 0 || s.begun())
}

// isDue reports whether an event asks for a run that has not yet succeeded in that event, even if the inputs are unchanged.
func (in inputs) isDue(old state) bool {
	e := in.event()
	return e != nil && e.open && e.runs && !e.unsure && !old.hasSucceededIn(e.number)
}

// asksForNew reports whether a hook runs whose Task is new. If no event is open, the release is installed already, and only the
// state has lost the Task.
func (e *event) asksForNew() bool { return e.open && e.runs }

// asksAgain reports whether to repeat the last run of a hook that is not done.
func (e *event) asksAgain(in inputs, old state) bool {
	switch {
	case old.operation == onMove: // In the other cluster, this is an install, whichever event is open.
		return in.runsOn(onCreate) || e.open && e.runs
	case e.open:
		return e.runs
	default:
		return e.unsure && in.asksAgain(old)
	}
}

// decide says what an update does about a hook whose last run is done, or that has not run.
func (e *event) decide(in inputs, old state, c change) decision {
	switch {
	case e.open && (!e.runs || old.hasSucceededIn(e.number)), e.unsure && c.same, !e.open && !e.unsure, !e.open && !in.runsOn(onUpdate):
		return decision{}
	case c.renamed:
		return decision{runs: true, why: "the release has another name or namespace, so it is installed"}
	case !old.begun():
		return decision{runs: true, why: "it is new"}
	case !c.same && e.open:
		return decision{runs: true, why: "the release has changed"}
	case !c.same:
		return decision{runs: true, why: "what it runs has changed"}
	default:
		return decision{runs: true, why: "the upgrade of the release has begun, and not come to its end"}
	}
}

package task

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// The members of a hook's event.
const (
	keyEvent  = "event"
	keyOpen   = "open"
	keyRuns   = "runs"
	keyUnsure = "unsure"
	keyEnded  = "ended"
	keyStage  = "stage"
	keyFound  = "found"
	keyLeft   = "left"
)

// keyEventOutput is the hidden output that says in which event a hook has succeeded last. The Chart reads it.
const keyEventOutput = "__event"

// onMove stands for runOn in the state of a hook whose release was moved to another cluster, of which the Chart knows nothing.
const onMove = "move"

// event is the install or the upgrade of a release. The Chart remembers which one has begun and not come to its end; each hook remembers
// in which one it has succeeded last. So a hook runs once in each event that is its own, and never outside of them.
type event struct {
	// unknown means that it is known only after the apply.
	unknown bool
	// number tells it from the other events of the release.
	number int
	// open means that it has begun and not come to its end, runs that the hook is one of it.
	open, runs bool
	// unsure means that it is not known what was installed before, because an older version of the provider did it. Then a hook runs if
	// what it runs has changed.
	unsure bool
	// ended is the last event before it that has come to its end.
	ended int
	// stage is the part of it in which the hook runs: before the objects of the release, or after them.
	stage string
	// found and left are the places in with of what other hooks of the stage need, too: those in front of this one, and those behind it.
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
	e := &event{open: values.Flag(members.Get(keyOpen)), runs: values.Flag(members.Get(keyRuns)), unsure: values.Flag(members.Get(keyUnsure))}
	e.number, e.ended, e.stage = whole(members.Get(keyNumber)), whole(members.Get(keyEnded)), values.Text(members.Get(keyStage))
	e.found, e.left = wholes(members.Get(keyFound)), wholes(members.Get(keyLeft))
	return e
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
	at := values.JoinPath(keyHook, keyEvent)
	switch {
	case v.IsNull() || v.HasComputed():
	case !v.IsMap():
		wrong.Add(at, "The value must be an object.")
	case !v.AsMap().Get(keyNumber).IsNumber():
		wrong.Add(values.JoinPath(at, keyNumber), "The value must be a number.")
	}
}

// event is that of a hook; nil for what is no hook, and where nothing is known of it.
func (in inputs) event() *event {
	if in.hook == nil || in.hook.event == nil || in.hook.event.unknown {
		return nil
	}
	return in.hook.event
}

// hasSucceededIn reports whether the hook is done in an event. What an older version of the provider has run has the number 0.
func (s state) hasSucceededIn(number int) bool {
	return s.unfinished == "" && s.event == number && (number > 0 || s.begun())
}

// isDue reports whether an event asks for a run that has not succeeded in it yet, whatever the inputs are.
func (in inputs) isDue(old state) bool {
	e := in.event()
	return e != nil && e.open && e.runs && !e.unsure && !old.hasSucceededIn(e.number)
}

// asksForNew reports whether a hook runs whose Task is new. Where no event is open, the release is there, and it is the state that has
// lost the Task.
func (e *event) asksForNew() bool { return e.open && e.runs }

// asksAgain reports whether the last run of a hook, which is not done, is to be repeated.
func (e *event) asksAgain(in inputs, old state) bool {
	switch {
	case old.operation == onMove: // In the other cluster, the release is installed, whatever happens to it otherwise.
		return in.runsOn(onCreate) || e.open && e.runs
	case e.open:
		return e.runs
	default:
		return e.unsure && in.asksAgain(old)
	}
}

// decide says what an update does about a hook whose last run is done, or that had none. same means that what it runs has not changed.
func (e *event) decide(in inputs, old state, same, moved bool) decision {
	switch {
	case e.open && (!e.runs || old.hasSucceededIn(e.number)), e.unsure && same, !e.open && !e.unsure, !e.open && !in.runsOn(onUpdate):
		return decision{}
	case moved:
		return decision{runs: true, why: "the release has another name or namespace, so it is installed"}
	case !old.begun():
		return decision{runs: true, why: "it is new"}
	case !same && e.open:
		return decision{runs: true, why: "the release has changed"}
	case !same:
		return decision{runs: true, why: "what it runs has changed"}
	default:
		return decision{runs: true, why: "the upgrade of the release has begun, and not come to its end"}
	}
}

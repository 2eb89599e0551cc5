package lives_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The laws of what is not the end.
const (
	// The state after any operations can be destroyed. What the program retains stays, and nothing else of ours.
	canEnd = "everything can be destroyed, and nothing of ours is left"
	// When an up fails after one that succeeded, an up of the former program succeeds, unless that is refused because somebody
	// else has changed something since.
	canGoBack = "a change that fails can be taken back"
)

// end takes back what has failed, and destroys everything.
func (l *life) end() {
	l.hidesAtLast()
	if l.over {
		return
	}
	before := map[*thing]*unstructured.Unstructured{}
	for _, th := range l.things {
		before[th] = l.place.live(th.kind(), th.object)
	}
	l.book.count("held: " + canEnd)
	result := l.do(engine.Destroy, engine.Options{})
	l.note("destroy: %s", outcome(result.Err))
	if result.Err != nil {
		l.breaks(violation{law: canEnd, text: result.Output})
		return
	}
	if l.nothingLeft(before); !l.over {
		l.takenAway(result)
	}
}

// nothingLeft looks for objects that are still there.
func (l *life) nothingLeft(_ map[*thing]*unstructured.Unstructured) {
	for _, th := range l.things {
		live := l.place.live(th.kind(), th.object)
		keeps := th.retained || th.applied != nil && th.applied.retained || th.applied == nil // which of the programs it was made by is not known
		if live == nil || keeps && live.GetDeletionTimestamp() == nil {
			continue
		}
		if slices.ContainsFunc(live.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool { return strings.HasPrefix(e.Manager, "k8sconnect-") }) {
			l.breaks(violation{law: canEnd, thing: th, text: fmt.Sprintf("%s %s is still there", th.kind(), th.object)})
			return
		}
	}
}

// goBack takes back a change that has failed.
func (l *life) goBack(o operation, result engine.Result) bool {
	if !l.whole || !o.isPlain() || result.Err == nil || errors.Is(result.Err, engine.ErrKilled) || !rapid.Bool().Draw(l.rapid, "goes back") {
		return false
	}
	for _, th := range l.things {
		if th.applied == nil || th.applied.resource != th.resource {
			return false
		}
	}
	for _, th := range l.things {
		applied := *th.applied
		applied.applied = th.applied
		odd := th.odd
		*th = applied
		th.odd = odd
		th.adopt = th.adopt || th.retained // a replacement of it may have begun: the state has it as deleted then
	}
	l.note("the program is what it was")
	l.declareThings()
	before := map[*thing]*unstructured.Unstructured{}
	for _, th := range l.things {
		before[th] = l.place.live(th.kind(), th.object)
	}
	again := l.do(engine.Up, engine.Options{})
	l.note("up: %s", outcome(again.Err))
	l.book.count("held: " + canGoBack)
	if again.Err == nil {
		return true
	}
	for name, said := range errorsOf(again.Output) {
		for _, th := range l.things {
			if th.resource == name && !mayRefuse(th, before[th], said) {
				l.breaks(violation{law: canGoBack, thing: th, before: before[th], text: again.Output})
				return true
			}
		}
	}
	return false
}

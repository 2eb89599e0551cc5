package rpc_test

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// The parts that a Wait may wait for, and for what.
const (
	waitsForNothing = iota
	waitsForObject
	waitsForPatch
)

// readyNote is what a controller writes on an object that is ready.
const readyNote = `{"metadata": {"annotations": {"ready": "yes"}}}`

// newWait is the Wait of the stack.
func (l *life) newWait(p *process) *part {
	return &part{
		session: p.wait(l.t, "it"), what: "Wait",
		dependsOn: l.waitedFor,
		wants: func(of resource.PropertyMap) resource.PropertyMap {
			if l.waitedFor() == nil {
				return nil
			}
			return waiting(of["resourceRef"], l.goal())
		},
		mayFail: func() bool { return l.unmet() != "" || l.isTroubled() },
		settled: func(resource.PropertyMap) error {
			if at(l.t, l.wait.outputs, "__pendingWait") == true {
				return law(asWanted, "the Wait succeeds, and is pending")
			}
			return nil
		},
	}
}

// waitedFor is what the Wait of the program waits for; nil if it has none.
func (l *life) waitedFor() *part {
	switch {
	case l.wants.wait == waitsForObject:
		return l.object
	case l.wants.wait == waitsForPatch && l.wants.patch != "":
		return l.patch
	}
	return nil
}

// goal is what the Wait waits for: what the program says itself, or what a controller writes.
func (l *life) goal() m {
	switch {
	case l.wants.patient:
		return until("field", "metadata.annotations.ready", shortTime)
	case l.wants.wait == waitsForPatch:
		return until("field", "metadata.uid", longTime)
	case l.cast.object == "ConfigMap":
		return until("fieldValue", m{"data.a": fmt.Sprint("value-", l.wants.value)}, longTime)
	}
	return until("fieldValue", m{"spec.template.spec.containers[0].image": fmt.Sprint("nginx:", l.wants.value)}, longTime)
}

// isReached reports whether what the program says itself is on the object. Where it is not, an up of the Wait alone waits
// for what only an up of the object brings.
func (l *life) isReached() bool {
	if l.wants.patient || l.wants.wait != waitsForObject {
		return true
	}
	live := l.live()
	if live == nil {
		return false
	}
	if l.cast.object == "ConfigMap" {
		value, _, _ := unstructured.NestedString(live.Object, "data", "a")
		return value == fmt.Sprint("value-", l.wants.value)
	}
	containers, _, _ := unstructured.NestedSlice(live.Object, "spec", "template", "spec", "containers")
	return len(containers) > 0 && containers[0].(m)["image"] == fmt.Sprint("nginx:", l.wants.value)
}

// unmet says why a Wait fails rightly; "" if it does not.
func (l *life) unmet() string {
	live := l.waited()
	switch {
	case live == nil:
		return "the object is gone"
	case live.GetDeletionTimestamp() != nil:
		return "the object is being deleted"
	case l.wants.patient && live.GetAnnotations()["ready"] == "":
		return "it is not ready"
	}
	return ""
}

func (l *life) waited() *unstructured.Unstructured {
	if l.wants.wait == waitsForPatch {
		return l.theTarget()
	}
	return l.live()
}

// hasWaited proves that a Wait has waited again where what it waits for was written.
func (l *life) hasWaited(before, after view, did results) error {
	on := l.waitedFor()
	if on == nil || did[l.wait].did != "same" {
		return nil
	}
	was, is := before.object, after.object
	if on == l.patch {
		was, is = before.target, after.target
	}
	if did[on].did != "same" && versionOf(was) != versionOf(is) {
		return law(waitsAgain, "the up did %q with the %s, and the Wait was the same", did[on].did, on.what)
	}
	return nil
}

// followWait has the controller do what is waited for.
func (l *life) followWait() string {
	live := l.waited()
	if live == nil || !strings.Contains(l.unmet(), "ready") {
		return ""
	}
	_ = l.write(live.GetKind(), live.GetName(), "controller", types.MergePatchType, readyNote)
	return "make ready"
}

// changesOfWait are the changes of the program about its Wait.
var changesOfWait = []chapter{
	{6, cast{}, "", func(random drawing) step {
		on := random.IntN(3)
		return step{"the program waits for: " + []string{"nothing", "the object", "the patched object"}[on], func(l *life) error {
			l.wants.wait = on
			return nil
		}}
	}},
	{1, cast{}, "", switches("waits until it is ready", func(p *wanted) *bool { return &p.patient })},
}

// aboutWait is what controllers do.
var aboutWait = []chapter{
	{2, cast{}, "", one("the object is ready", func(l *life) error {
		return l.write(l.cast.object, "it", "controller", types.MergePatchType, readyNote)
	})},
	{1, cast{}, "", one("the patched object is ready", func(l *life) error {
		return l.write(l.target, "theirs", "controller", types.MergePatchType, readyNote)
	})},
}

package lives_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// companions are the resources of a program beside its objects.
type companions struct {
	wait  *waiting
	patch *patching
}

// waiting is a Wait for a label of an object.
type waiting struct {
	about     *thing
	value     string
	onFailure string
}

// patching is a Patch that gives somebody else's Deployment a sidecar.
type patching struct {
	image, onDestroy string
	// settled says that an up has made the sidecar what the Patch says, and nobody has changed it since.
	settled bool
	// stayed says that the sidecar was there when the Patch had gone, since the neighbours own a part of it: the next Patch adds none.
	stayed bool
}

const (
	// A Wait that is to fail has held when an up has succeeded.
	waited = "after an up what a Wait waits for holds"
	// A Patch with onDestroy: remove has taken away all that it added, if nobody has changed that since the last up.
	taken = "a destroyed Patch takes away what it added"

	theirs = "theirs"
	side   = template + "containers[name=side]"
)

// accompany draws companions.
func (l *life) accompany() {
	if rapid.IntRange(0, 5).Draw(l.rapid, "waits") == 0 {
		l.wait = &waiting{about: l.things[0], onFailure: pick(l.rapid, "onFailure", []string{"warn", "fail"})}
		l.wait.value = pick(l.rapid, "waits for", []string{"1", "2"})
		l.note("a Wait until metadata.labels.rev of %s is %q, onFailure: %s", l.wait.about.object, l.wait.value, l.wait.onFailure)
	}
	if rapid.IntRange(0, 3).Draw(l.rapid, "patches") == 0 {
		body := merge(deployment(theirs), m{"metadata": m{"namespace": l.namespace}})
		if _, err := client("Deployment", l.namespace).Apply(l.Context(), theirs, &unstructured.Unstructured{Object: body},
			metav1.ApplyOptions{FieldManager: neighbour}); err != nil {
			l.rapid.Fatal(err)
		}
		l.patch = &patching{image: "example.com/side:1", onDestroy: pick(l.rapid, "onDestroy", []string{"leave", "remove"})}
		l.note("a Patch adds a sidecar to the neighbours' Deployment, onDestroy: %s", l.patch.onDestroy)
	}
}

// declared are the resources of the program.
func (c companions) declared() []declared {
	var program []declared
	if c.wait != nil {
		program = append(program, waitOn(c.wait.about.resource, "wait", m{"fieldValue": m{"metadata.labels.rev": c.wait.value}, "timeout": "1s"},
			input("onFailure", c.wait.onFailure)))
	}
	if c.patch != nil {
		program = append(program, patchOf("patch", m{
			"target": m{"apiVersion": "apps/v1", "kind": "Deployment", "name": theirs}, "onDestroy": c.patch.onDestroy,
			"patch": parsef(`{spec: {template: {spec: {containers: [{name: side, image: %q, env: [{name: A, value: "1"}]}]}}}}`, c.patch.image),
		}))
	}
	return program
}

// alter changes a companion, or has a neighbour change what a Patch has made.
func (l *life) alter() {
	if l.wait != nil && rapid.Bool().Draw(l.rapid, "alters the Wait") {
		l.wait.onFailure = pick(l.rapid, "onFailure", []string{"warn", "fail"})
		l.note("the program: the Wait has onFailure: %s", l.wait.onFailure)
	}
	if l.patch == nil {
		return
	}
	switch rapid.IntRange(0, 3).Draw(l.rapid, "alters the Patch") {
	case 0:
		l.patch.image, l.patch.settled = pick(l.rapid, "image", []string{"example.com/side:1", "example.com/side:2"}), false
		l.note("the program: the Patch has image %s", l.patch.image)
	case 1, 2:
		live := l.place.live("Deployment", theirs)
		if _, there := get(live.Object, at(side)); !there {
			return
		}
		live.Object = set(live.Object, at(side+".image"), "example.com/side:9").(m)
		_, err := client("Deployment", l.namespace).Update(l.Context(), live, metav1.UpdateOptions{FieldManager: neighbour})
		l.patch.settled = false
		l.note("a neighbour: the sidecar's image is example.com/side:9 (%v)", err)
	}
}

// accompanied holds the law of Waits after an up of the whole program.
func (l *life) accompanied(result engine.Result) {
	if l.patch != nil {
		l.patch.settled = true
	}
	if l.wait == nil {
		return
	}
	label := at("metadata.labels.rev")
	if l.wait.onFailure != "fail" || l.wait.about.ignoresPlace(label) { // Others may change what is ignored once a Wait has ended.
		return
	}
	l.book.count("held: " + waited)
	if value, _ := get(l.place.live(l.wait.about.kind(), l.wait.about.object).Object, label); value != l.wait.value {
		l.breaks(violation{law: waited, thing: l.wait.about, text: fmt.Sprintf("metadata.labels.rev is %v and not %s.\n%s", value, l.wait.value, result.Output)})
	}
}

// takenAway holds the law of Patches after a destroy.
func (l *life) takenAway(result engine.Result) {
	if l.patch == nil {
		return
	}
	left, there := get(l.place.live("Deployment", theirs).Object, at(side))
	adds := l.patch.settled && !l.patch.stayed && l.patch.onDestroy == "remove"
	l.patch.settled, l.patch.stayed = false, there
	if !adds {
		return
	}
	l.book.count("held: " + taken)
	if there {
		l.breaks(violation{law: taken, text: fmt.Sprintf("it is %s.\n%s", asJSON(left), result.Output)})
	}
}

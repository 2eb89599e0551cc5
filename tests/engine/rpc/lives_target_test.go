package rpc_test

import (
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// alone targets the part.
func (p *part) alone() engine.Options { return engine.Options{Targets: []string{string(p.urn)}} }

// isPossibleAlone reports whether the program has the part, and what it depends on is there: the engine refuses to make
// something of what is not.
func (p *part) isPossibleAlone() bool {
	of := resource.PropertyMap(nil)
	if on := p.dependsOn(); on != nil {
		of = on.outputs
		if on.id == "" {
			return false
		}
	}
	return p.wants(of) != nil
}

// upOf is a preview and an up of one part alone, as with --target. The others stay as they are, in the state as well.
func upOf(which func(*life) *part) func(*life) error {
	return func(l *life) error {
		p := which(l)
		if l.isReconfigured() || p == l.wait && !l.isReached() {
			return nil
		}
		if !p.isPossibleAlone() {
			return nil
		}
		before, faulty := l.view(), l.isFaulty()
		said := l.operate(engine.Preview, p.alone())[p]
		if l.view().versions() != before.versions() {
			return law(foreseen, "the preview has written")
		}
		all, _, broken := l.run(func() results { return l.operate(engine.Up, p.alone()) })
		l.book.count(fmt.Sprintf("up of the %s alone: %s, failed: %t", p.what, all[p].did, all[p].err != nil))
		switch {
		case broken != nil:
			return broken
		case faulty && all[p].err != nil:
			return nil
		case all[p].err == nil:
			if err := p.settled(all[p].in); err != nil {
				return err
			}
		}
		return l.wasForeseen(p, said, all[p])
	}
}

// destroyOf is a destroy of one part alone, as with --target, unless another part depends on it.
func destroyOf(which func(*life) *part) func(*life) error {
	return func(l *life) error {
		p := which(l)
		if l.isReconfigured() || p.id == "" || p != l.wait && l.wait.id != "" {
			return nil
		}
		faulty := l.isFaulty()
		all, after, broken := l.runAs(l.us().inState(l.object.session), func() results {
			return l.operate(engine.Destroy, p.alone())
		})
		failed := all[p].err != nil
		switch {
		case broken != nil:
			return broken
		case failed && !faulty && !l.isTroubled() && !(l.refused && p == l.patch):
			return law(noDeadEnd, "the destroy of the %s alone fails: %w", p.what, all[p].err)
		case !failed && p == l.patch:
			return l.handedBack(after.target)
		}
		return nil
	}
}

func theObject(l *life) *part { return l.object }
func thePatch(l *life) *part  { return l.patch }
func theWait(l *life) *part   { return l.wait }

// imports is an import of the object after the state was lost: what it then knows is what is in the cluster.
func (l *life) imports() error {
	live := l.live()
	if live == nil || l.object.id == "" || l.isReconfigured() || l.isPending() {
		return nil
	}
	l.object.stored = stored{}
	l.newRun()
	_, _, broken := l.run(func() results {
		err := l.object.importID(fmt.Sprintf("%s/%s/%s/it", live.GetAPIVersion(), live.GetKind(), live.GetNamespace()))
		if err == nil {
			l.object.inputs["deletionPropagation"] = resource.NewProperty("Background") // as the program says, and see inputs
		}
		return results{l.object: {did: "import", err: err}}
	})
	// Nobody has told it which of the values are secret.
	l.imported = l.imported || strings.Contains(asJSON(live.Object), hush)
	return broken
}

// aboutTargets are commands about a part of the stack.
var aboutTargets = []chapter{
	{3, cast{}, "", one("up of the object alone", upOf(theObject))},
	{2, cast{}, "", one("up of the Patch alone", upOf(thePatch))},
	{2, cast{}, "", one("up of the Wait alone", upOf(theWait))},
	{1, cast{}, "", one("destroy of the object alone", destroyOf(theObject))},
	{1, cast{}, "", one("destroy of the Patch alone", destroyOf(thePatch))},
	{1, cast{}, "", one("destroy of the Wait alone", destroyOf(theWait))},
	{2, cast{}, "", one("the state of the object is lost, and it is imported", (*life).imports)},
}

package rpc_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// up is a preview and an up.
func (l *life) up() error {
	before := l.view()
	said := l.preview()
	if l.view().versions() != before.versions() {
		return law(foreseen, "the preview has written")
	}
	if err := said.read(); err != nil {
		return err
	}
	faulty, waited := l.isFaulty(), l.wait.id != ""
	did, after, broken := l.run(l.apply)
	if broken != nil {
		return broken
	}
	for _, p := range l.parts {
		l.book.count(fmt.Sprintf("up of a %s: %s, faulty: %t, failed: %t", p.what, did[p].did, faulty, did[p].err != nil))
	}
	failed := did.failed(l.parts)
	if faulty && failed != nil {
		return nil
	}
	for _, p := range l.parts {
		if err := l.wasForeseen(p, said[p], did[p]); err != nil {
			return err
		}
	}
	switch {
	case failed != nil && (l.wants.invalid || l.refused || l.isTroubled()):
		return nil
	case failed != nil:
		return l.wayOut(failed, did[failed].err)
	case waited:
		if err := l.hasWaited(before, after, did); err != nil {
			return err
		}
	}
	return l.settled(did)
}

// wasForeseen compares what the preview said of a part with what the up did.
func (l *life) wasForeseen(p *part, said, did result) error {
	switch {
	case said.blocked || did.blocked || did.did == "":
		return nil // what it depends on says why
	case said.err == nil && did.err == nil && said.did != did.did && !said.in.ContainsUnknowns():
		return law(foreseen, "%s: the preview said %q, and the up did %q", p.what, said.did, did.did)
	case said.err == nil && did.err != nil && did.did == "delete" && l.refused:
		return nil // a preview does not try to delete
	case said.err == nil && did.err != nil && !p.mayFail():
		return law(foreseen, "%s: the preview said %q, and the up failed to %s: %w", p.what, said.did, did.did, did.err)
	case said.err != nil && did.err == nil:
		return law(foreseen, "%s: the up did %q, and the preview had failed: %w", p.what, did.did, said.err)
	case said.err == nil && did.err == nil && said.did == did.did && did.did != "same":
		return p.showed(said.outputs, did.outputs)
	}
	return nil
}

// showed compares what the preview showed of the object with what the up has made of it.
func (p *part) showed(said, did resource.PropertyMap) error {
	shown, made := said[p.shows], did[p.shows]
	if p.shows == "" || shown.IsNull() || shown.ContainsUnknowns() {
		return nil
	}
	if a, b := asJSON(plain(shown)), asJSON(plain(made)); a != b {
		return law(foreseen, "%s: the preview showed %s, and the up made %s", p.what, a, b)
	}
	return nil
}

// settled holds after an up that succeeded.
func (l *life) settled(did results) error {
	l.accepted = append(l.accepted, l.wants)
	for _, p := range l.parts {
		if did[p].in == nil {
			continue
		}
		if err := p.settled(did[p].in); err != nil {
			return err
		}
	}
	for p, next := range l.preview() {
		if next.did != "same" || next.err != nil {
			diff, _ := p.diff(next.in)
			return law(asWanted, "%s: the next preview says %q: %v, %v", p.what, next.did, diff.DetailedDiff, next.err)
		}
	}
	return nil
}

// objectSettled holds after an up that succeeded with the object.
func (l *life) objectSettled(resource.PropertyMap) error {
	live, us := l.live(), l.us()
	if live == nil {
		return law(asWanted, "there is no object")
	}
	if err := lacks(l.wants.compared(l.cast.object, us.manifest), live.Object, ""); err != nil {
		return law(asWanted, "the live object differs from the program: %w", err)
	}
	if left := l.leftBehind(live, us); left != "" {
		return law(asWanted, "%s is not in the program any more, belongs to nobody else, and is still there", left)
	}
	return nil
}

// wayOut does what the message of an up that failed says, until an up succeeds.
func (l *life) wayOut(failed *part, failure error) error {
	l.withdrawn = ""
	for {
		if err := l.follow(failed, failure); err != nil {
			return err
		}
		did, _, broken := l.run(l.apply)
		if broken != nil {
			return broken
		}
		if failed = did.failed(l.parts); failed == nil {
			return l.settled(did)
		}
		failure = did[failed].err
	}
}

// follow does what a message says. What was done already does not help a second time.
func (l *life) follow(failed *part, failure_ error) error {
	text := failure_.Error()
	way := ""
	switch _, line, offered := strings.Cut(text, "pulumi import"); {
	case failed == l.patch:
		way = l.followPatch(text)
	case failed == l.wait:
		way = l.followWait()
	case strings.Contains(text, "takeOverFrom: [") && !l.wants.takeOver:
		way, l.wants.takeOver = "takeOverFrom", true
	case offered && l.object.id == "" && !l.imported:
		way, l.imported = "import", true
		if err := l.object.importID(strings.Split(line, "'")[1]); err != nil {
			return law(noDeadEnd, "%s\nThe import that it tells of fails: %w", text, err)
		}
	case strings.Contains(text, "adopt: true") && !l.wants.adopt:
		way, l.wants.adopt = "adopt", true
	case strings.Contains(text, "have its owner remove it"):
		way = l.withdraw(text)
	case l.live() != nil && (strings.Contains(text, "delete the object by hand") || strings.Contains(text, "delete it by hand")):
		way = "delete by hand"
		if err := l.remove(); err != nil {
			return err
		}
	}
	if way == "" {
		return &failure{noDeadEnd, fmt.Errorf("%s: %w", failed.what, failure_)}
	}
	l.book.count("way out: " + way)
	return nil
}

// withdraw has others take back what contradicts the program.
func (l *life) withdraw(text string) string {
	patch := ""
	switch {
	case strings.Contains(text, "rollingUpdate"):
		patch = `[{"op": "replace", "path": "/spec/strategy", "value": {"type": "Recreate"}}]`
	case strings.Contains(text, "requests"):
		patch = `[{"op": "remove", "path": "/spec/template/spec/containers/0/resources/requests"}]`
	}
	if patch == "" || l.withdrawn == patch {
		return ""
	}
	l.withdrawn = patch
	_ = l.edit(types.JSONPatchType, patch)
	return "have it removed"
}

func (l *life) refresh() error {
	before := l.view().versions()
	for p, did := range l.operate(engine.Refresh, engine.Options{}) {
		if did.err != nil {
			return law(noDeadEnd, "the refresh of the %s fails: %w", p.what, did.err)
		}
	}
	if l.view().versions() != before {
		return law(foreseen, "the refresh has written")
	}
	return nil
}

func (l *life) destroy() error {
	if l.isReconfigured() {
		return nil // the credentials that a destroy would use have expired
	}
	faulty, uid := l.isFaulty(), at(l.t, l.object.outputs, "resourceRef.uid")
	ours, us := true, l.us().inState(l.object.session)
	if live := l.live(); live != nil {
		ours = us.landlord(live) == ""
	}
	patched := l.patch.id != ""
	did, after, broken := l.runAs(us, l.removeAll)
	failed := did.failed(l.parts)
	switch {
	case broken != nil:
		return broken
	case failed != nil && !faulty && !l.isTroubled() && !(l.refused && failed == l.patch):
		return law(noDeadEnd, "the destroy of the %s fails: %w", failed.what, did[failed].err)
	case failed == nil && ours && uid != nil && uidOf(after.object) == uid:
		return law(asWanted, "the destroy succeeds, and the object is still there")
	case failed == nil && patched:
		return l.handedBack(after.target)
	}
	return nil
}

// upLost is an up after which the state of some parts is as it was before: the engine was killed, or could not save it.
func (l *life) upLost(lost ...*part) error {
	if l.isReconfigured() {
		return nil
	}
	saved := map[*part]session{}
	for _, p := range lost {
		saved[p] = *p.session
	}
	did, _, broken := l.run(l.apply)
	if broken != nil {
		return broken
	}
	l.book.count("lost up of the object: " + did[l.object].did)
	for p, before := range saved {
		p.stored, p.ignored, p.madeOf, p.unfinished = before.stored, before.ignored, before.madeOf, before.unfinished
	}
	return nil
}

// renew gives the program other credentials, after those of the last run have expired.
func (l *life) renew() error {
	if l.isReconfigured() {
		return nil
	}
	l.gateway.renew()
	l.reconfigured(start(l.t, l.gateway.connection()))
	return nil
}

func (l *life) unreachable() error {
	if l.isReconfigured() {
		return nil
	}
	l.gateway.heal()
	l.gateway.always(anything, refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "down"))
	defer l.gateway.heal()
	return l.blind()
}

// blind is a preview, an up and a refresh while nothing can be read. What is in the state is not looked at, so that the first
// two fail.
func (l *life) blind() error {
	known := map[*part]bool{}
	for _, p := range l.parts {
		known[p] = p.id != ""
	}
	all := l.previewEach()
	if err := all.read(); err != nil {
		return err
	}
	for p, said := range all {
		// The preview of a Wait that waits does not look.
		if known[p] && !said.blocked && said.err == nil && said.in != nil && !(p == l.wait && said.did != "same") {
			return law(notBlind, "%s: the preview says %q", p.what, said.did)
		}
	}
	did, _, broken := l.run(l.apply)
	if broken != nil {
		return broken
	}
	for p, did := range did {
		if known[p] && !did.blocked && did.err == nil && did.in != nil {
			return law(notBlind, "%s: the up does %q", p.what, did.did)
		}
	}
	return l.refresh()
}

package releases_test

import (
	"regexp"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law of ways out. An operation fails only if the test has interrupted it or something that runs in it fails. So after
// anything at all, once nothing fails any more, an update ends well, and so does a destroy.

var reasonCode = regexp.MustCompile(`\[[A-Z][A-Za-z]+\]`)

func (p *play) judgeEnd(o outcome) {
	if o.Err == nil || strings.Contains(o.Err.Error(), engine.ErrKilled.Error()) || !o.whole {
		return
	}
	if slices.ContainsFunc(append(slices.Clone(o.runs), o.found...), run.fails) || p.isOrphaned(o.Output) {
		return
	}
	p.breaks("ways out", append(p.factsOfFailure(o), string(o.kind)), "%s fails, and nothing that runs in it does:\n%s", o.kind, shortened(o.Output))
}

// isOrphaned says whether a release is refused because of what an operation that was killed has made. If the program had no such
// Chart for a while after that, nothing knows the objects, and the refusal says how to go on. It is the end of a life.
func (p *play) isOrphaned(output string) bool {
	orphaned := p.killed && strings.Contains(output, "which an earlier run of this Chart created")
	p.over = p.over || orphaned
	return orphaned
}

// factsOfFailure are the reason codes of a failure. A state that nothing reads any more is the end of a life.
func (p *play) factsOfFailure(o outcome) []string {
	facts := reasonCode.FindAllString(o.Output, -1)
	if o.replaces != "" || p.replacing {
		facts = append(facts, "replaced")
	}
	if strings.Contains(o.Output, "snapshot integrity failure") {
		p.over = true
		facts = append(facts, "broken state")
		if p.continued {
			facts = append(facts, "continued")
		}
	}
	if strings.Contains(o.Output, `managed by the KubeObject "`+p.m.resource+`:pre-delete" of `+p.project) {
		facts = append(facts, "of a delete hook")
	}
	if p.isRenamedInPart() {
		facts = append(facts, "renamed in part")
	}
	if manager := ofAnotherChart.FindStringSubmatch(o.Output); manager != nil && manager[1] == p.project && manager[2] != p.m.resource {
		p.over = true
		facts = append(facts, "left by a Chart of another name")
	}
	if p.isKeptByFormerName(o.Output) {
		p.over = true
		facts = append(facts, "kept hook object of a former name")
	}
	if p.renamedSkipping {
		facts = append(facts, "renamed while hooks were skipped")
	}
	if p.isRenamedInPart() || p.renamedSkipping {
		p.over = p.over || slices.Contains(facts, "[ManagedElsewhere]")
	}
	return facts
}

// ofAnotherChart finds what an install that is refused has found: the project and the Chart of an object.
var ofAnotherChart = regexp.MustCompile(`is not installed: objects of it exist already[^\n]*\n[^\n]*managed by the KubeObject "([^."]+)\.dev\.([^:"]+):`)

// ofAnotherName finds an object that is refused, and the project and the Chart of its manager.
var ofAnotherName = regexp.MustCompile(`/(\S+) already exists and is managed by the KubeObject "([^."]+)\.dev\.([^:"]+):`)

// isKeptByFormerName says whether what is refused is an object of a hook that outlives the hook. It has left the program and the state, and
// comes back after the Chart was renamed.
func (p *play) isKeptByFormerName(output string) bool {
	found := ofAnotherName.FindStringSubmatch(output)
	if found == nil || found[2] != p.project || found[3] == p.m.resource {
		return false
	}
	return slices.ContainsFunc(p.m.rendered(), func(d document) bool { return d.hook != nil && d.nameIn(p.m.releaseName()) == found[1] })
}

// isRenamedInPart says whether something was renamed in what was interrupted.
func (p *play) isRenamedInPart() bool {
	return p.open != nil && slices.ContainsFunc(p.since, func(m model) bool { return m.resource != p.m.resource || m.setName != p.m.setName })
}

func shortened(text string) string {
	if len(text) > 6000 {
		return text[:3000] + "\n…\n" + text[len(text)-3000:]
	}
	return text
}

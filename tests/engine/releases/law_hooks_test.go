package releases_test

import (
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law of hooks. Helm says which hooks run in which event, and in which order; docs/charts.md says which event an update is.
//
//   - Where nothing is left over from before, exactly the hooks of the event run, each once, by weight and then by name.
//   - An event that fails goes on: each hook of it has succeeded once before an update ends well, and none of another event
//     has run. An upgrade whose first hooks have run ends with its last ones.
//   - A hook finds the objects of the hooks in front of it, the same for all hooks of the event. One after the objects finds all
//     of them, as they are now; one before them none of what is to come.

// event is what has begun and has not come to its end.
type event struct {
	// kinds are the events that the operations since then were.
	kinds map[string]bool
	ran   []run
}

const (
	installs = "install"
	upgrades = "upgrade"
	deletes  = "delete"
)

// plan says which event an operation is, and of which program.
func (p *play) plan(kind engine.Kind) (what string, of *model) {
	here := p.last != nil && !p.last.absent
	switch m := &p.m; {
	case kind == engine.Destroy || m.absent:
		if !here {
			return "", nil
		}
		return deletes, p.last
	case !here, p.last.releaseName() != m.releaseName(), p.last.space != m.space:
		return installs, m
	case p.last.digest() != m.digest(), p.draws.hears(m):
		return upgrades, m
	default:
		return "", m
	}
}

// jobsOf are the hooks of an event that run, in order.
func jobsOf(m *model, what string) (ordered []document) {
	if what == "" || m == nil {
		return nil
	}
	for _, stage := range []string{"pre-", "post-"} {
		for _, d := range m.hooksOn(stage + what) {
			if d.isJob() {
				ordered = append(ordered, d)
			}
		}
	}
	return ordered
}

// wanted are the runs of an event, up to the one that fails.
func wanted(m *model, what string) (names []string, fails bool) {
	names = []string{}
	for _, d := range jobsOf(m, what) {
		r := run{job: d.nameIn(m.releaseName()), image: d.image}
		names = append(names, r.String())
		if r.fails() {
			return names, true
		}
	}
	return names, false
}

// ofHooks are the runs of hooks.
func ofHooks(runs []run) []run {
	return slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return strings.HasPrefix(r.job, "chore") })
}

// failedBeside reports whether something that is not of the release failed.
func failedBeside(o outcome) bool {
	return slices.ContainsFunc(o.runs, func(r run) bool { return strings.HasPrefix(r.job, "chore") && r.fails() })
}

func (p *play) judgeHooks(o outcome) {
	runs := ofHooks(o.runs)
	what, of := p.plan(o.kind)
	want, mustFail := wanted(of, what)
	got := jobs(runs)
	if what == deletes { // Where a deletion goes on within ten minutes, what has succeeded in it does not run again.
		want = slices.DeleteFunc(want, func(job string) bool { return p.ended[job] && !slices.Contains(got, job) })
		for _, r := range runs {
			p.ended[r.job] = !r.fails()
		}
	}
	facts := p.factsOfHooks(runs, what)
	switch {
	case p.open != nil:
		p.judgeOpen(o, what, of, runs)
	case o.whole && o.Err == nil && !slices.Equal(got, want), o.whole && mustFail && o.Err == nil:
		p.breaks("hooks", facts, "this %s should run %v and ran %v", what, want, got)
	case len(got) > len(want) || !slices.Equal(got, want[:len(got)]):
		p.breaks("hooks", facts, "this %s, which did not come to its end, should run some of %v and ran %v", what, want, got)
	}
	p.judgeWhatHooksFind(runs, what, of)
	if o.Err == nil && o.whole {
		return
	}
	if p.open == nil {
		p.open = &event{kinds: map[string]bool{}}
	}
	p.open.kinds[what] = true
	if what == installs && (!o.whole || failedBeside(o)) {
		p.open.kinds[upgrades] = true // It may have come to its end before it was interrupted, or before something else failed.
	}
	if what == deletes {
		p.open.kinds[installs] = true // Nothing of the release may be left where something beside it could not be deleted.
	}
	p.open.ran = append(p.open.ran, runs...)
}

// judgeOpen judges what goes on with something that was interrupted.
func (p *play) judgeOpen(o outcome, what string, of *model, runs []run) {
	kinds := map[string]bool{what: true}
	for kind := range p.open.kinds {
		kinds[kind] = true
	}
	if what == deletes || p.m.absent || o.kind == engine.Destroy { // What an install that failed has made is deleted, too.
		kinds = map[string]bool{deletes: true}
	}
	events := []string{}
	for kind := range kinds {
		events = append(events, "pre-"+kind, "post-"+kind)
	}
	for _, r := range runs {
		if d, known := p.hookNamed(r.job); known && !p.mayRun(o, r.job, events) {
			facts := append(p.factsOfHooks([]run{r}, what), "open")
			if p.failedBefore(r) {
				facts = append(facts, "it had failed")
			}
			if p.isRenamedInPart() {
				facts = append(facts, "renamed in part")
			}
			p.breaks("hooks", facts, "%s runs in %v, but is a hook of %v", r, slices.Sorted(mapsKeys(kinds)), d.hook.events)
		}
	}
	if o.Err != nil || !o.whole || of == nil || p.open.kinds[""] && len(p.open.kinds) == 1 {
		return
	}
	all := append(slices.Clone(p.open.ran), runs...)
	switch {
	case len(kinds) == 1 && kinds[installs]:
		for _, d := range jobsOf(of, installs) {
			if !slices.ContainsFunc(all, func(r run) bool { return r.job == d.nameIn(of.releaseName()) && !r.fails() }) {
				p.breaks("hooks", []string{"install", "never ran"}, "the install is over, but %s has not run: %v", d.nameIn(of.releaseName()), jobs(all))
			}
		}
	case kinds[upgrades] && !kinds[installs]:
		p.judgeEndOfUpgrade(of, all)
	}
}

// judgeEndOfUpgrade wants that what the first hooks have begun is ended.
func (p *play) judgeEndOfUpgrade(of *model, all []run) {
	begun := slices.ContainsFunc(all, func(r run) bool { d, known := p.hookNamed(r.job); return known && d.on("pre-upgrade") && !r.fails() })
	for _, d := range of.hooksOn("post-upgrade") {
		name := d.nameIn(of.releaseName())
		if d.isJob() && begun && !slices.ContainsFunc(all, func(r run) bool { return r.job == name && !r.fails() }) {
			p.breaks("hooks", []string{"upgrade", "never ended"}, "an upgrade has begun, and the update ended well without %s: %v", name, jobs(all))
		}
	}
}

// failedBefore says whether the Job of a run has failed in what was interrupted.
func (p *play) failedBefore(r run) bool {
	return slices.ContainsFunc(p.open.ran, func(b run) bool { return b.job == r.job && b.fails() })
}

// mayRun says whether a hook may run in these events. If the operation before was cut short, the run may be that of another program.
func (p *play) mayRun(o outcome, job string, events []string) bool {
	i := slices.IndexFunc(p.m.documents, func(d document) bool { return d.isJob() && d.nameIn(p.m.releaseName()) == job })
	if o.found != nil || o.kind != engine.Up || p.m.absent || i < 0 {
		return p.wasOn(job, events)
	}
	return p.m.documents[i].on(events...)
}

// wasOn says whether a hook was one of these events in a program since the last complete update.
func (p *play) wasOn(job string, events []string) bool {
	for _, m := range p.since {
		for _, d := range m.documents {
			if d.isJob() && strings.HasSuffix("-"+job, "-"+d.name) && d.on(events...) {
				return true
			}
		}
	}
	return false
}

// hookNamed finds a hook by the name of its Job, in this program or the last one.
func (p *play) hookNamed(job string) (document, bool) {
	models := []*model{&p.m}
	if p.last != nil {
		models = append(models, p.last)
	}
	for _, m := range models {
		for _, d := range m.documents {
			if d.isJob() && (job == d.name || strings.HasSuffix(job, "-"+d.name)) {
				return d, true
			}
		}
	}
	return document{}, false
}

// judgeWhatHooksFind looks at what existed when each hook ran.
func (p *play) judgeWhatHooksFind(runs []run, what string, of *model) {
	if what != installs && what != upgrades || of.absent {
		return
	}
	if p.open != nil && p.open.kinds[installs] && p.open.kinds[upgrades] {
		return // Only the state knows which of the two it is.
	}
	release := of.releaseName()
	uids := map[string]run{}
	for _, r := range runs {
		d, known := p.hookNamed(r.job)
		if !known || r.job != d.nameIn(release) { // It may be a hook of the release that has moved away.
			continue
		}
		for _, stage := range []string{"pre-", "post-"} {
			event := stage + what
			if !d.on(event) || stage == "post-" && d.on("pre-"+what) {
				continue
			}
			for _, other := range of.hooksOn(event) {
				if other.nameIn(release) == r.job {
					break
				}
				if other.isJob() {
					continue
				}
				found := r.existed[other.idIn(release)]
				if found == nil {
					p.breaks("hooks", append(p.factsOfHooks(nil, what), "misses a hook", kept(other)), "%s runs without %s, a hook in front of it", r, other.idIn(release))
					continue
				}
				if before, seen := uids[event+other.idIn(release)]; seen && !other.isKept() && before.existed[other.idIn(release)].GetUID() != found.GetUID() {
					p.breaks("hooks", []string{"shared", "passes"}, "%s finds another %s than %s", r, other.idIn(release), before)
				}
				uids[event+other.idIn(release)] = r
			}
			if stage == "post-" {
				p.judgeAllThere(r, of)
			} else {
				p.judgeNoneThere(r, of)
			}
		}
	}
}

// judgeAllThere wants that a hook after the objects finds them.
func (p *play) judgeAllThere(r run, of *model) {
	for _, d := range of.objects() {
		if wrong := differs(d, of, r.existed); wrong != "" {
			facts := []string{"before an object"}
			if used, found := of.document(d.uses); found && used.on("post-install", "post-upgrade") && !strings.Contains(used.hook.policies, "hook-succeeded") {
				facts = append(facts, "needs a kept hook")
			}
			p.breaks("hooks", facts, "%s runs before the objects are there: %s", r, wrong)
		}
	}
}

// judgeNoneThere wants that a hook before the objects finds them as they were. Where something was interrupted, they may be there already.
func (p *play) judgeNoneThere(r run, of *model) {
	if p.open != nil {
		return
	}
	before := map[string]document{}
	if p.last != nil && !p.last.absent && p.last.space == of.space {
		for _, d := range p.last.objects() {
			before[d.idIn(p.last.releaseName())] = d
		}
	}
	for _, d := range of.objects() {
		id := d.idIn(of.releaseName())
		was, there := before[id]
		if found := r.existed[id]; found == nil || p.stays[p.spaces[of.space]+"/"+id] {
			continue
		}
		wrong := id + " is there"
		if there {
			wrong = differs(was, p.last, r.existed)
		}
		if wrong != "" {
			p.breaks("hooks", []string{"after an object"}, "%s, a hook before the objects, runs after one of them: %s", r, wrong)
		}
	}
}

func kept(d document) string {
	if d.isKept() {
		return "kept"
	}
	return "passes"
}

// factsOfHooks say in which way an event is out of the ordinary.
func (p *play) factsOfHooks(runs []run, what string) []string {
	facts := []string{what}
	if p.last != nil && !p.last.absent && (p.last.space != p.m.space || p.last.releaseName() != p.m.releaseName()) {
		facts = append(facts, "moved")
	}
	for _, r := range runs {
		if d, known := p.hookNamed(r.job); known && what != "" && !d.on("pre-"+what, "post-"+what) {
			facts = append(facts, "another event")
		}
	}
	return facts
}

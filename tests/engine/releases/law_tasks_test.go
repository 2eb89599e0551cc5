package releases_test

import (
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law of tasks. A Task runs when its runOn says: when it is made, when what it runs has changed, when it goes. A run that
// has failed is repeated, if runOn still says so. A replacement that the user asks for runs it again, and never what is for its
// end.

// taskState is what is known of the Task of a life.
type taskState struct {
	name    string // empty if there is none
	content chore
	ends    chore  // what its end is of: a change that has failed has not become the Task's
	failed  string // the event whose run has failed
	// unsure means that an operation was cut short, so that it is not known in which event the last run was, nor how it ended.
	unsure bool
}

// planned says in which event the Task runs in an operation; empty for none.
func (p *play) planned(o outcome) (event, image string) {
	s, c := p.ofTask, p.m.chore
	runs := func(of *chore, event string) bool { return slices.Contains(of.runOn, event) }
	switch changed := c != nil && (s.content.image != c.image || s.content.rev != c.rev); {
	case s.name != "" && (o.kind == engine.Destroy || c == nil || choreName(&p.m) != s.name):
		if runs(&s.ends, deletes) {
			return deletes, s.ends.image
		}
		return "", ""
	case c == nil || o.kind == engine.Destroy:
		return "", ""
	case s.name == "":
		if runs(c, "create") {
			return "create", c.image
		}
	case o.replaces == "Task" && runs(c, "create"):
		return "create", c.image
	case o.replaces == "Task" && runs(c, "update"):
		return "update", c.image
	case o.replaces == "Task":
	case s.failed != "" && runs(c, s.failed):
		return s.failed, c.image
	case changed && runs(c, "update"):
		return "update", c.image
	}
	return "", ""
}

// gone says whether an operation deletes a Task and makes another one.
func (p *play) exchanges() bool {
	return p.ofTask.name != "" && p.m.chore != nil && choreName(&p.m) != p.ofTask.name
}

func (p *play) judgeTask(o outcome) {
	runs := slices.DeleteFunc(slices.Clone(o.runs), func(r run) bool {
		return !strings.HasPrefix(r.job, "chore") || slices.ContainsFunc(p.leaving, func(name string) bool { return strings.HasPrefix(r.job, name+"-") })
	})
	switch {
	case o.Err == nil && o.whole:
		p.leaving = nil
	case p.exchanges():
		p.leaving = append(p.leaving, p.ofTask.name)
	}
	if p.exchanges() { // two Tasks in one operation: only what comes after it is judged
		p.ofTask = taskState{name: choreName(&p.m), content: *p.m.chore, ends: *p.m.chore, unsure: true}
		return
	}
	event, image := p.planned(o)
	facts := []string{event}
	if o.replaces == "Task" {
		facts = append(facts, "replaced")
	}
	if p.ofTask.failed != "" {
		facts = append(facts, "it had failed")
	}
	failed := len(runs) > 0 && runs[len(runs)-1].fails()
	interrupted := o.Err != nil && !failed
	limited := !o.whole && o.replaces != "Task"
	want := 0
	if event != "" {
		want = 1
	}
	switch {
	case p.ofTask.unsure || limited || interrupted:
		if p.m.chore != nil && p.ofTask.name != "" && o.kind == engine.Up && slices.Equal(p.m.chore.runOn, []string{deletes}) && len(runs) > 0 && !p.ofTask.unsure {
			p.breaks("tasks", append(facts, "runs"), "a Task for its end alone runs in an update: %v", jobs(runs))
		}
	case len(runs) > want:
		p.breaks("tasks", append(facts, "runs"), "a Task with runOn %v runs %v", p.runOn(), jobs(runs))
	case len(runs) < want:
		p.breaks("tasks", append(facts, "does not run"), "a Task with runOn %v does not run in this %q of it", p.runOn(), event)
	case want == 1 && strings.HasPrefix(image, "fails:") && o.Err == nil:
		p.breaks("tasks", append(facts, "succeeds"), "the Task fails, and the operation ends well")
	}
	p.ofTask = p.ofTask.after(p, o, event, failed)
}

func (p *play) runOn() []string {
	if p.m.chore != nil {
		return p.m.chore.runOn
	}
	return p.ofTask.content.runOn
}

// after is what is known of the Task after an operation.
func (s taskState) after(p *play, o outcome, event string, failed bool) taskState {
	whole := o.whole || o.replaces == "Task"
	switch {
	case failed && event == deletes: // It stays, and runs again.
		return s
	case failed && whole: // Otherwise the state may not have it.
		ends := s.ends
		if s.name == "" || o.replaces == "Task" {
			ends = *p.m.chore
		}
		return taskState{name: choreName(&p.m), content: *p.m.chore, ends: ends, failed: event, unsure: event == ""}
	case o.Err != nil || !whole:
		s.unsure = s.unsure || p.m.chore != nil || s.name != ""
		if p.m.chore != nil {
			s.name, s.content, s.ends = choreName(&p.m), *p.m.chore, *p.m.chore
		}
		return s
	case o.kind == engine.Destroy || p.m.chore == nil:
		return taskState{}
	default:
		return taskState{name: choreName(&p.m), content: *p.m.chore, ends: *p.m.chore}
	}
}

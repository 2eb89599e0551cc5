package task

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// formerTasks knows which Tasks are replaced because a user has asked for it. The engine says so in no call. It makes the new Task
// first and deletes the old one after that, perhaps in a later command, or the other way round if the program has the resource option
// deleteBeforeReplace.
type formerTasks struct {
	lives    lives
	states   sync.Map // formerTask by URN, as the engine has had them read before the program runs
	programs sync.Map // URNs of the program that runs
}

// formerTask is a Task before the program runs.
type formerTask struct {
	inputs property.Map
	state  state
}

// check notes that the program has a Task.
func (f *formerTasks) check(urn resource.URN) { f.programs.Store(urn, true) }

// read notes a Task of the state. The program runs after that.
func (f *formerTasks) read(urn resource.URN, was formerTask) {
	f.programs.Delete(urn)
	if f.lives.see(urn, was.state.life) {
		f.states.Store(urn, was)
	}
}

// replacedBy returns the Task that a new one replaces, if there is one.
func (f *formerTasks) replacedBy(urn resource.URN) (was formerTask, replaced bool) {
	found, replaced := f.states.Load(urn)
	if replaced {
		was, _ = found.(formerTask)
	}
	return was, replaced
}

// create notes a new Task.
func (f *formerTasks) create(urn resource.URN, created state) {
	f.lives.see(urn, created.life)
	f.states.Delete(urn)
}

// delete notes that a Task goes, and reports whether another one takes its place.
func (f *formerTasks) delete(urn resource.URN, gone state) (replaced bool) {
	f.states.Delete(urn)
	_, programmed := f.programs.Load(urn)
	return programmed || f.lives.isOver(urn, gone.life)
}

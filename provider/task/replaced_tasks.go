package task

import (
	"strconv"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// formerTasks knows which Tasks are replaced because a user has asked for it. No call of the engine says so. The engine makes the
// new Task first and deletes the old one after that, perhaps in a later command. If the program sets the resource option
// deleteBeforeReplace, it is the other way round.
//
// If the Task gets another provider as well, one process reads and deletes the old Task, and a second process makes the new one.
// The second process knows the number of the last run, but cannot stop that run.
type formerTasks struct {
	lives  tracked.Lives
	states sync.Map // formerTask by URN, as the engine has had them read before the program runs
}

// formerTask is a Task before the program runs.
type formerTask struct {
	inputs property.Map
	state  state
}

// check notes that the program has a Task.
func (f *formerTasks) check(urn resource.URN) { f.lives.Check(urn) }

// read notes a Task from the state, before the program runs.
func (f *formerTasks) read(urn resource.URN, was formerTask) {
	f.lives.Read(urn)
	if f.lives.See(urn, was.state.hashKey, was.state.since) {
		f.states.Store(urn, was)
		f.lives.Remember(urn, strconv.Itoa(was.state.number))
	}
}

// replacedBy returns the Task that a new one replaces, if there is one.
func (f *formerTasks) replacedBy(urn resource.URN) (was formerTask, replaced bool) {
	number, replaced := f.lives.Replaced(urn)
	if found, is := f.states.Load(urn); is && replaced {
		return found.(formerTask), true
	}
	was.state.number, _ = strconv.Atoi(number)
	return was, replaced
}

// create notes a new Task.
func (f *formerTasks) create(urn resource.URN, created state) {
	f.lives.See(urn, created.hashKey, created.since)
	f.lives.Forget(urn)
}

// delete notes that a Task goes, and reports whether a new Task takes its place.
func (f *formerTasks) delete(urn resource.URN, gone state) (replaced bool) {
	if f.lives.IsProgrammed(urn) {
		return true
	}
	f.lives.Forget(urn)
	return f.lives.IsOver(urn, gone.hashKey, gone.since)
}

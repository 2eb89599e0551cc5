// Package task is the Task resource: it runs a Job or a Pod to its end, once per change, and keeps what came of it.
//
// # Runs
//
// Every run has a name, which follows from the resource, the number of the run and what is run. Its object has that name. So a
// process that was killed, or lost a reply, finds the object of its own run and goes on waiting for it; no run is started
// twice. See run_name.go. A run that has failed stays failed: the next command begins another one.
//
// A Job that has ended is evidence until the state is saved. So its time to live, which would remove it, begins when the
// provider has seen the end, and a Job that nobody asked to keep goes ten minutes later, by that time to live. See
// run_object.go.
//
// # Whose an object is
//
// All that a run makes says in its annotations which run of which resource it belongs to, and its field managers must agree. An
// object of the same run is the run's own, perhaps made by a process that was killed. One of an earlier run makes room. One of
// others is never touched. See made_object.go.
//
// # Hooks
//
// The hooks of a chart are Tasks, too, with a hidden input: see hook.go. Their objects keep their names, because a chart may
// refer to them, so that the annotation alone tells the run. All hooks of a release count as one maker: what one has left, the
// next replaces, as with helm's before-hook-creation. A hook that helm has made is replaced where a release is taken over, once
// it has ended.
//
// What several hooks of an event need belongs to the event: the first of them makes it, and the last one removes it. See shared.go.
//
// The hooks of a deletion are ReleaseHooks, another resource, which remembers its steps and runs them in its Delete. It is there
// also if it has none and is never replaced, because the deletion of a resource runs them: a new version of the chart that has
// no such hooks must be an update. Nothing is saved of a deletion that fails or is killed. What tells the next one what has
// succeeded is in the cluster, and counts until ten minutes after the last sign of life: see ended.go.
//
// # How a failure is kept
//
// As with a Wait: the state is saved with a flag, the operation fails, the engine does not create what depends on the
// Task, and the next update goes on.
//
// # Which call may do what
//
// Check makes no request. Create, Update and Delete run. Read looks whether the object of the last run is still there. Diff
// makes no request but one that tells clusters apart. A preview runs nothing; it says what will run, and why.
package task

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Token is the resource's type.
const Token = "k8sconnect:index:Task"

// New returns the resource. source gives it its clusters.
func New(source *connection.Source, memory *tracked.Memory) infer.InferredResource {
	notes := memory.For("Task")
	return &taskResource{
		InferredResource: infer.Resource(&Task{}), source: source, calls: tracked.EngineCalls{Notes: notes}, former: formerTasks{lives: tracked.Lives{Notes: notes}},
	}
}

// taskResource serves the verbs from the raw requests and leaves typing, schema and registration to infer, which loses
// the marks of unknown and secret values.
type taskResource struct {
	infer.InferredResource

	source *connection.Source
	calls  tracked.EngineCalls
	former formerTasks
	// passedOn is what hooks leave for those behind them.
	passedOn passedOn
}

// Create satisfies infer's constraint on resource types. It is never reached, because taskResource serves Create from the
// raw request.
func (*Task) Create(context.Context, infer.CreateRequest[Args]) (infer.CreateResponse[State], error) {
	return infer.CreateResponse[State]{}, errors.New("Task is created from the raw request")
}

var _ func(context.Context, p.DeleteRequest) error = (*taskResource)(nil).Delete

// Package task is the Task resource: it runs a Job or a Pod to its end, once per change, and keeps the result.
//
// # Runs
//
// Every run has a name, which follows from the resource, the number of the run and the content of the run. The object of the run
// has the same name. So a process that was killed, or lost a reply, finds the object of its own run and continues to wait for it;
// no run is started twice. See run_name.go. A run that has failed stays failed: the next command begins another run.
//
// A Job that has ended is evidence until the state is saved. So its time to live, which would remove it, begins only after the
// provider has seen the end. A Job that no one asked to keep is removed by that time to live, ten minutes later. See
// run_object.go.
//
// # Who made an object
//
// The annotations of every object that a run makes say which run of which resource it belongs to, and its field managers must
// agree. An object of the same run belongs to the run, perhaps made by a process that was killed. An object of an earlier run is
// replaced. An object that someone else made is never touched. See made_object.go.
//
// # Hooks
//
// The hooks of a chart are Tasks, too, with a hidden input: see hook.go. Their objects keep their names, because the chart may
// refer to them, so only the annotation identifies the run. All hooks of a release count as one maker: each replaces what another
// has left, as with helm's before-hook-creation. When a release is taken over, a hook that helm has made is replaced once it has
// ended.
//
// Objects that several hooks of an event need belong to the event: the first hook makes them, and the last one removes them. See
// shared.go.
//
// The delete hooks of a release are another resource, ReleaseHooks. It remembers its steps and runs them in its Delete. It exists
// even if it has no steps, and is never replaced, because deleting the resource runs its steps: a new version of the chart
// without delete hooks must be an update. Nothing is saved about a deletion that fails or is killed. The next deletion sees in
// the cluster which steps have succeeded; this evidence counts until ten minutes after the last sign of life. See ended.go.
//
// # How a failure is kept
//
// As with a Wait: the state is saved with a flag, the operation fails, the engine does not create what depends on the Task, and
// the next update continues.
//
// # Which call may do what
//
// Check makes no request. Create, Update and Delete run. Read checks whether the object of the last run still exists. Diff makes
// only the request that identifies the cluster. A preview runs nothing; it says what will run, and why.
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

// New returns the resource. source provides the connections to clusters.
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
	// passedOn is what hooks leave for the hooks behind them.
	passedOn passedOn
}

// Create satisfies infer's constraint on resource types. It is never reached, because taskResource serves Create from the
// raw request.
func (*Task) Create(context.Context, infer.CreateRequest[Args]) (infer.CreateResponse[State], error) {
	return infer.CreateResponse[State]{}, errors.New("Task is created from the raw request")
}

var _ func(context.Context, p.DeleteRequest) error = (*taskResource)(nil).Delete

package task

import (
	"context"

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

var _ func(context.Context, p.DeleteRequest) error = (*taskResource)(nil).Delete

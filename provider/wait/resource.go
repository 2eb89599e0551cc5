package wait

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Token is the resource's type.
const Token = "k8sconnect:index:Wait"

// New returns the resource. source provides the connections to clusters, rules the provider's readiness rules.
func New(source *connection.Source, rules func() *readiness.Rules, memory *tracked.Memory) infer.InferredResource {
	return &waitResource{
		InferredResource: infer.Resource(&Wait{}), source: source, rules: rules, calls: tracked.EngineCalls{Notes: memory.For("Wait")},
		ended: tracked.NewEndedJobs(memory),
	}
}

// waitResource serves the verbs from the raw requests and leaves typing, schema and
// registration to infer, which loses the marks of unknown and secret values.
type waitResource struct {
	infer.InferredResource

	source *connection.Source
	rules  func() *readiness.Rules
	calls  tracked.EngineCalls
	ended  tracked.EndedJobs
}

var (
	_ infer.InferredResource                       = (*waitResource)(nil)
	_ infer.CustomResource[Args, State]            = (*Wait)(nil)
	_ infer.Annotated                              = (*Wait)(nil)
	_ infer.Annotated                              = (*Args)(nil)
	_ infer.Annotated                              = (*State)(nil)
	_ func(context.Context, p.DeleteRequest) error = (*waitResource)(nil).Delete
)

// Delete does nothing: a Wait leaves nothing behind.
func (r *waitResource) Delete(context.Context, p.DeleteRequest) error { return nil }

// Package wait is the Wait resource: it waits for a condition of any object, and never touches the object.
//
// It is a separate resource so that a failed wait is not a failure of the object. A failed wait is saved with a flag,
// the update fails, the engine does not create what depends on it, and the next update waits again. A refresh clears
// Pulumi's own record of such failures, but not the flag.
//
// # Which call may do what
//
// Check makes no request. Create and Update wait. Read reads the object once and never waits. Diff makes no request,
// unless that read failed: then the program's Diff reads for itself, through the program's current connection. Delete
// does nothing.
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

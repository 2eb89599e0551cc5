// Package patch is the Patch resource: a few fields of an object that someone else
// made, taken over openly and handed back with their values.
//
// # Three kinds of patch
//
// A server-side apply, a JSON patch and a merge patch differ in how the request is
// made, and in how it is known which fields it touches (see method). Everything else
// is one: the refusals, the bookkeeping, drift, the release and the recovery.
//
//   - Of an apply, the API server says which fields it set.
//   - Of the other two it does not: a value that was there already leaves no trace in
//     metadata.managedFields. They are evaluated here, on the object that was read.
//
// # No write onto an object that has changed
//
// Every write names the resourceVersion of the object that was read before it. So what
// was evaluated is what happens, and two Patches that run at the same time see each
// other. A conflict means to look again.
//
// # Handing back
//
// A field is handed back by taking it out of our entry in metadata.managedFields. Its
// value stays. Applying less instead would delete the fields that nobody else owns,
// also those that had been someone else's before.
//
// # Removing
//
// With onDestroy "remove", a destroy takes away what the patch has added. That it has is noted when it is carried out
// (see created and addedItem), and never inferred later. What others own or have changed since stays.
//
// # Which call may do what
//
// Check never touches the network. Diff does so only when the inputs changed or the
// last read failed. A preview asks for dry-runs. Nothing but Create, Update and Delete
// writes.
package patch

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/middleware/schema"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// New makes the resource. source gives it its clusters, rules the provider's rules about readiness.
func New(source *connection.Source, rules func() *readiness.Rules) infer.InferredResource {
	return &patchResource{InferredResource: infer.Resource(&Patch{}), source: source, rules: rules}
}

// patchResource serves the verbs from the raw requests and leaves typing, schema and
// registration to infer, which loses the marks of unknown and secret values.
type patchResource struct {
	infer.InferredResource

	source  *connection.Source
	rules   func() *readiness.Rules
	calls   tracked.EngineCalls
	dryRuns tracked.DryRunCache[outcome]
	claims  reservations
	guard   tracked.ReplacementGuard
	moves   tracked.Moves
}

var (
	_ infer.InferredResource                       = (*patchResource)(nil)
	_ infer.CustomResource[Args, State]            = (*Patch)(nil)
	_ infer.Annotated                              = (*Patch)(nil)
	_ infer.Annotated                              = (*Target)(nil)
	_ infer.Annotated                              = (*Args)(nil)
	_ infer.Annotated                              = (*State)(nil)
	_ schema.Resource                              = (*patchResource)(nil)
	_ func(context.Context, p.DeleteRequest) error = (*patchResource)(nil).Delete
)

// GetSchema returns infer's schema, with a name for the property patch in C#, where
// nothing in a class may be named like the class. All outputs are optional to infer,
// which decodes states strictly; resourceRef is always there, and a Wait takes it as it
// is only where its type says so.
func (r *patchResource) GetSchema(register schema.RegisterDerivativeType) (pschema.ResourceSpec, error) {
	spec, err := r.InferredResource.GetSchema(register)
	if err != nil {
		return spec, err
	}
	for _, properties := range []map[string]pschema.PropertySpec{spec.Properties, spec.InputProperties} {
		property := properties["patch"]
		property.Language = map[string]pschema.RawMessage{"csharp": pschema.RawMessage(`{"name":"ApplyPatch"}`)}
		properties["patch"] = property
	}
	spec.Required = append(spec.Required, tracked.KeyResourceRef)
	return spec, nil
}

// Create satisfies infer's constraint on resource types. It is never reached,
// because patchResource serves Create from the raw request.
func (*Patch) Create(context.Context, infer.CreateRequest[Args]) (infer.CreateResponse[State], error) {
	return infer.CreateResponse[State]{}, errors.New("Patch is created from the raw request")
}

package patch

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/middleware/schema"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Token is the resource's type.
const Token = "k8sconnect:index:Patch"

// New returns the resource. source gives it its clusters, rules the provider's readiness rules.
func New(source *connection.Source, rules func() *readiness.Rules, memory *tracked.Memory) infer.InferredResource {
	notes := memory.For("Patch")
	return &patchResource{
		InferredResource: infer.Resource(&Patch{}), source: source, rules: rules,
		calls: tracked.EngineCalls{Notes: notes}, guard: tracked.ReplacementGuard{Notes: notes}, moves: tracked.Moves{Notes: notes},
		goneWith: tracked.NewGoneWith(memory), deleting: tracked.DeletionInputs{Notes: notes, Keys: []string{keyOnDestroy}},
	}
}

// patchResource serves the verbs from the raw requests and leaves typing, schema and
// registration to infer, which loses the marks of unknown and secret values.
type patchResource struct {
	infer.InferredResource

	source   *connection.Source
	rules    func() *readiness.Rules
	calls    tracked.EngineCalls
	dryRuns  tracked.DryRunCache[outcome]
	claims   reservations
	guard    tracked.ReplacementGuard
	moves    tracked.Moves
	deleting tracked.DeletionInputs
	goneWith tracked.GoneWith
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

// GetSchema returns infer's schema, with another name for the property patch in C#, where a member must not have the
// name of its class. Infer makes all outputs optional, because it decodes states strictly; resourceRef is always
// present, and a Wait accepts it only if its type says so.
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

package object

import (
	"context"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/pulumi/pulumi-go-provider/middleware/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Token is the resource's type. It is not "Object": a class of that name does
// not compile in TypeScript and shadows java.lang.Object.
const Token = "k8sconnect:index:KubeObject"

// Settings are the parts of the provider's configuration that concern all objects.
type Settings interface {
	// ResumeWithin is the maximum age of an object that counts as created by an earlier run and is continued.
	ResumeWithin() time.Duration
	// DriftInPreview reports whether the engine reads each resource before it asks for anything else.
	DriftInPreview() bool
	// ConflictPolicy is the policy for resources that have none; empty for the default.
	ConflictPolicy() string
	// Ignored is what is left to others of an object that exists; its namespace is empty if it is in none.
	Ignored(id manifest.Identity) Ignored
}

// New makes the resource. source gives it its clusters.
func New(source *connection.Source, settings Settings, memory *tracked.Memory) infer.InferredResource {
	notes := memory.For("KubeObject")
	return &kubeObject{
		InferredResource: infer.Resource(&Object{}), source: source, settings: settings,
		calls: tracked.EngineCalls{Notes: notes}, guard: tracked.ReplacementGuard{Notes: notes}, moves: tracked.Moves{Notes: notes},
		goneWith: tracked.NewGoneWith(memory), deleting: tracked.DeletionInputs{Notes: notes, Keys: deletionInputs},
		ended: tracked.NewEndedJobs(memory),
	}
}

// kubeObject serves the verbs from the raw requests and leaves typing, schema and registration to infer. Free-form
// values must not pass through infer: it loses secret marks at some depths, and turns unknowns into zero values.
type kubeObject struct {
	infer.InferredResource

	source   *connection.Source
	settings Settings
	planned  planned
	calls    tracked.EngineCalls
	dryRuns  tracked.DryRunCache[outcome]
	guard    tracked.ReplacementGuard
	looks    tracked.SeenObjects
	hidden   sync.Once
	named    sync.Map // resource.URN -> the differences that were named last
	given    sync.Map // resource.URN -> given, of the last Check
	moves    tracked.Moves
	deleting tracked.DeletionInputs
	goneWith tracked.GoneWith
	ended    tracked.EndedJobs

	unwritten sync.Map // resource.URN -> the uid of an object whose update writes nothing
}

var (
	_ infer.InferredResource                       = (*kubeObject)(nil)
	_ infer.CustomResource[Args, State]            = (*Object)(nil)
	_ infer.Annotated                              = (*Object)(nil)
	_ infer.Annotated                              = (*Args)(nil)
	_ infer.Annotated                              = (*State)(nil)
	_ schema.Resource                              = (*kubeObject)(nil)
	_ func(context.Context, p.DeleteRequest) error = (*kubeObject)(nil).Delete
)

// GetSchema returns infer's schema: hidden outputs are not fields of State and so cannot appear in it. Infer makes
// all outputs optional, because it decodes states strictly; resourceRef is always present, and a Wait accepts it only
// if its type says so.
func (r *kubeObject) GetSchema(register schema.RegisterDerivativeType) (pschema.ResourceSpec, error) {
	spec, err := r.InferredResource.GetSchema(register)
	spec.Required = append(spec.Required, tracked.KeyResourceRef)
	return spec, err
}

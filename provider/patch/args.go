package patch

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// examples appear in the registry and in the language packages, each in its own language.
//
//go:embed examples.md
var examples string

// Patch is the type that the Patch resource is inferred from.
type Patch struct{ raw.Resource[Args, State] }

// Annotate describes the resource for the schema.
func (p *Patch) Annotate(a infer.Annotator) {
	a.SetToken("index", "Patch")
	a.Describe(&p, texts.Of("Patch")+"\n\n"+examples)
}

// Target names the object to patch. It has the members of a [reference.ResourceRef], which YAML programs could not pass otherwise.
type Target struct {
	APIVersion string  `pulumi:"apiVersion"`
	Kind       string  `pulumi:"kind"`
	Namespace  *string `pulumi:"namespace,optional"`
	Name       string  `pulumi:"name"`
	UID        *string `pulumi:"uid,optional"`
	Revision   *string `pulumi:"revision,optional"`
}

// Annotate describes the type for the schema.
func (t *Target) Annotate(a infer.Annotator) {
	a.SetToken("index", "PatchTarget")
	a.Describe(&t, texts.Of("Target"))
	texts.Describe(a, "Target", t)
}

// OnDestroy decides what a destroy does with the fields that a Patch has added.
type OnDestroy string

// Annotate names the type for the schema.
func (o *OnDestroy) Annotate(a infer.Annotator) { a.SetToken("index", "OnDestroy") }

// Values lists the words for the schema and for Check.
func (OnDestroy) Values() []infer.EnumValue[OnDestroy] {
	return []infer.EnumValue[OnDestroy]{
		{Name: "Leave", Value: destroyLeaves, Description: "All values stay in the object, and the Patch no longer owns them. This is the default."},
		{Name: "Remove", Value: destroyRemoves, Description: "Remove what this Patch has added."},
		{Name: "Restore", Value: destroyRestores, Description: "Put back what was there before, and remove what this Patch has added."},
	}
}

// Args are the inputs of a Patch.
type Args struct {
	Target            *Target                       `pulumi:"target"`
	Patch             any                           `pulumi:"patch,optional"`
	JSONPatch         any                           `pulumi:"jsonPatch,optional"`
	MergePatch        any                           `pulumi:"mergePatch,optional"`
	TakeOwnership     bool                          `pulumi:"takeOwnership"`
	TakeOverFrom      []string                      `pulumi:"takeOverFrom,optional"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	WaitFor           *waitfor.WaitFor              `pulumi:"waitFor,optional"`
	OnDestroy         *OnDestroy                    `pulumi:"onDestroy,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	texts.Describe(an, "Args", a)
}

// State are the outputs of a Patch.
type State struct {
	ManagedFields  any                    `pulumi:"managedFields,optional"`
	FieldOwnership map[string]string      `pulumi:"fieldOwnership,optional"`
	PreviousOwners map[string]string      `pulumi:"previousOwners,optional"`
	ResourceRef    *reference.ResourceRef `pulumi:"resourceRef,optional"`
	Patch          any                    `pulumi:"patch,optional"`
	JSONPatch      any                    `pulumi:"jsonPatch,optional"`
	MergePatch     any                    `pulumi:"mergePatch,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	texts.Describe(a, "State", s)
}

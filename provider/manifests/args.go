package manifests

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// examples appear in the registry and in the language packages, each in its own language.
//
//go:embed examples.md
var examples string

// Manifests is the type that the component is inferred from.
type Manifests struct{ raw.Resource[Args, Outputs] }

// Annotate describes the component for the schema.
func (m *Manifests) Annotate(a infer.Annotator) {
	a.SetToken("index", "Manifests")
	a.Describe(&m, texts.Of("Manifests")+"\n\n"+examples)
}

// Args are the inputs of a set.
type Args struct {
	Content       *string  `pulumi:"content,optional"`
	Files         []string `pulumi:"files,optional"`
	Kustomization *string  `pulumi:"kustomization,optional"`
	Manifests     any      `pulumi:"manifests,optional"`

	sets.Args
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	texts.Describe(an, "Args", a)
}

// Outputs are the outputs of a set.
type Outputs struct {
	Resources map[string]reference.ResourceRef `pulumi:"resources"`
}

// Annotate describes the outputs for the schema.
func (o *Outputs) Annotate(a infer.Annotator) {
	texts.Describe(a, "Outputs", o)
}

// The names of the inputs and outputs.
const (
	keyManifests = "manifests"
	keyResources = "resources"
)

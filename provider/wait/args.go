package wait

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

// Wait is the type that the Wait resource is inferred from.
type Wait struct{ raw.Resource[Args, State] }

// Annotate describes the resource for the schema.
func (w *Wait) Annotate(a infer.Annotator) {
	a.SetToken("index", "Wait")
	a.Describe(&w, texts.Of("Wait")+"\n\n"+examples)
}

// Args are the inputs of a Wait.
type Args struct {
	ResourceRef       *reference.ResourceRef        `pulumi:"resourceRef,optional"`
	Selector          *Selector                     `pulumi:"selector,optional"`
	Count             *Count                        `pulumi:"count,optional"`
	WaitFor           *waitfor.WaitFor              `pulumi:"waitFor"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	Triggers          []any                         `pulumi:"triggers,optional"`
	OnFailure         *OnFailure                    `pulumi:"onFailure,optional"`
}

// OnFailure says what happens when a wait fails.
type OnFailure string

// The words.
const (
	failureFails = "fail"
	failureWarns = "warn"
)

// Annotate names the type for the schema.
func (o *OnFailure) Annotate(a infer.Annotator) { a.SetToken("index", "OnFailure") }

// Values lists the words for the schema and for Check.
func (OnFailure) Values() []infer.EnumValue[OnFailure] {
	return []infer.EnumValue[OnFailure]{
		{Name: "Fail", Value: failureFails, Description: "Fail the update. This is the default."},
		{Name: "Warn", Value: failureWarns, Description: "Warn, and go on with what depends on the Wait."},
	}
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	texts.Describe(an, "Args", a)
}

// State are the outputs of a Wait.
type State struct {
	Status any `pulumi:"status,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	texts.Describe(a, "State", s)
}

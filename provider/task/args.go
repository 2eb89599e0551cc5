package task

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// examples appear in the registry and in the language packages, each in its own language.
//
//go:embed examples.md
var examples string

// Task is the type that the Task resource is inferred from.
type Task struct{ raw.Resource[Args, State] }

// Annotate describes the resource for the schema.
func (t *Task) Annotate(a infer.Annotator) {
	a.SetToken("index", "Task")
	a.Describe(&t, texts.Of("Task")+"\n\n"+examples)
}

// Args are the inputs of a Task.
type Args struct {
	Manifest          any                           `pulumi:"manifest"`
	RunOn             []RunOn                       `pulumi:"runOn,optional"`
	Triggers          []any                         `pulumi:"triggers,optional"`
	With              []any                         `pulumi:"with,optional"`
	Timeout           *string                       `pulumi:"timeout,optional"`
	Keep              *Keep                         `pulumi:"keep,optional"`
	LogLines          *int                          `pulumi:"logLines,optional"`
	ForceDestroy      *bool                         `pulumi:"forceDestroy,optional"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	texts.Describe(an, "Args", a)
}

// RunOn is an operation in which a Task runs.
type RunOn string

// The operations.
const (
	onCreate = "create"
	onUpdate = "update"
	onDelete = "delete"
)

// Annotate names the type for the schema.
func (r *RunOn) Annotate(a infer.Annotator) { a.SetToken("index", "RunOn") }

// Values lists the words for the schema and for Check.
func (RunOn) Values() []infer.EnumValue[RunOn] {
	return []infer.EnumValue[RunOn]{
		{Name: "Create", Value: onCreate, Description: "When the Task is created."},
		{Name: "Update", Value: onUpdate, Description: "When what is run has changed."},
		{Name: "Delete", Value: onDelete, Description: "When the Task is deleted, before it goes."},
	}
}

// Keep says which objects are kept after their runs.
type Keep string

// The words.
const (
	keepAlways = "always"
	keepFailed = "failed"
	keepNever  = "never"
)

// Annotate names the type for the schema.
func (k *Keep) Annotate(a infer.Annotator) { a.SetToken("index", "Keep") }

// Values lists the words for the schema and for Check.
func (Keep) Values() []infer.EnumValue[Keep] {
	return []infer.EnumValue[Keep]{
		{Name: "Always", Value: keepAlways, Description: "Keep the object of the last run."},
		{Name: "Failed", Value: keepFailed, Description: "Keep it if the run has failed. This is the default."},
		{Name: "Never", Value: keepNever, Description: "Do not keep it."},
	}
}

// State are the outputs of a Task.
type State struct {
	Succeeded   *bool                  `pulumi:"succeeded,optional"`
	StartedAt   *string                `pulumi:"startedAt,optional"`
	CompletedAt *string                `pulumi:"completedAt,optional"`
	Attempts    *int                   `pulumi:"attempts,optional"`
	Log         *string                `pulumi:"log,optional"`
	ExitCodes   map[string]int         `pulumi:"exitCodes,optional"`
	Messages    map[string]string      `pulumi:"messages,optional"`
	ResourceRef *reference.ResourceRef `pulumi:"resourceRef,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	texts.Describe(a, "State", s)
}

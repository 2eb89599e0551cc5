package object

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
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

// Object is the type that the KubeObject resource is inferred from.
type Object struct{ raw.Resource[Args, State] }

// Annotate describes the resource for the schema.
func (o *Object) Annotate(a infer.Annotator) {
	a.SetToken("index", "KubeObject")
	a.Describe(&o, texts.Of("Object")+"\n\n"+examples)
}

// Args are the inputs of a KubeObject.
type Args struct {
	Manifest            any                           `pulumi:"manifest,optional"`
	YAML                *string                       `pulumi:"yaml,optional"`
	ClusterConnection   *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	IgnoreFields        []string                      `pulumi:"ignoreFields,optional"`
	IgnoreManagers      []string                      `pulumi:"ignoreManagers,optional"`
	ConflictPolicy      *policy.ConflictPolicy        `pulumi:"conflictPolicy,optional"`
	Adopt               *bool                         `pulumi:"adopt,optional"`
	OnImmutable         *policy.OnImmutable           `pulumi:"onImmutable,optional"`
	DeletionPropagation *policy.DeletionPropagation   `pulumi:"deletionPropagation,optional"`
	ForceDestroy        *bool                         `pulumi:"forceDestroy,optional"`
	TakeOverFrom        []string                      `pulumi:"takeOverFrom,optional"`
	DeleteInstances     *bool                         `pulumi:"deleteInstances,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	texts.Describe(an, "Args", a)
}

// State are the outputs of a KubeObject.
type State struct {
	Manifest       any                    `pulumi:"manifest,optional"`
	FieldOwnership map[string]string      `pulumi:"fieldOwnership,optional"`
	ResourceRef    *reference.ResourceRef `pulumi:"resourceRef,optional"`
}

// Annotate describes the outputs for the schema.
func (s *State) Annotate(a infer.Annotator) {
	texts.Describe(a, "State", s)
}

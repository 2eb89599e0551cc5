package sets

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// Args are the inputs that all components with sets have.
type Args struct {
	Namespace *string    `pulumi:"namespace,optional"`
	Edits     *Edits     `pulumi:"edits,optional"`
	Wait      *WaitMode  `pulumi:"wait,optional"`
	Overrides []Override `pulumi:"overrides,optional"`

	ClusterConnection   *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	IgnoreManagers      []string                      `pulumi:"ignoreManagers,optional"`
	Adopt               *bool                         `pulumi:"adopt,optional"`
	ConflictPolicy      *policy.ConflictPolicy        `pulumi:"conflictPolicy,optional"`
	OnImmutable         *policy.OnImmutable           `pulumi:"onImmutable,optional"`
	DeletionPropagation *policy.DeletionPropagation   `pulumi:"deletionPropagation,optional"`
	ForceDestroy        *bool                         `pulumi:"forceDestroy,optional"`
	TakeOverFrom        []string                      `pulumi:"takeOverFrom,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	texts.Describe(an, "Args", a)
}

// Override are inputs of some objects of a set.
type Override struct {
	Select   Select `pulumi:"select"`
	Optional *bool  `pulumi:"optional,optional"`

	IgnoreFields        []string                    `pulumi:"ignoreFields,optional"`
	IgnoreManagers      []string                    `pulumi:"ignoreManagers,optional"`
	Adopt               *bool                       `pulumi:"adopt,optional"`
	ConflictPolicy      *policy.ConflictPolicy      `pulumi:"conflictPolicy,optional"`
	OnImmutable         *policy.OnImmutable         `pulumi:"onImmutable,optional"`
	DeletionPropagation *policy.DeletionPropagation `pulumi:"deletionPropagation,optional"`
	ForceDestroy        *bool                       `pulumi:"forceDestroy,optional"`
	TakeOverFrom        []string                    `pulumi:"takeOverFrom,optional"`
	DeleteInstances     *bool                       `pulumi:"deleteInstances,optional"`
}

// Annotate describes the type for the schema.
func (o *Override) Annotate(a infer.Annotator) {
	a.SetToken("index", "ManifestsOverride")
	a.Describe(&o, texts.Of("Override"))
	texts.Describe(a, "Override", o)
}

// Select selects objects of a set.
type Select struct {
	APIVersion *string `pulumi:"apiVersion,optional"`
	Kind       *string `pulumi:"kind,optional"`
	Namespace  *string `pulumi:"namespace,optional"`
	Name       *string `pulumi:"name,optional"`
}

// Annotate describes the type for the schema.
func (s *Select) Annotate(a infer.Annotator) {
	a.SetToken("index", "ManifestsSelect")
	a.Describe(&s, texts.Of("Select"))
	texts.Describe(a, "Select", s)
}

// Edits change the objects of a set before they are applied.
type Edits struct {
	Labels      map[string]string `pulumi:"labels,optional"`
	Annotations map[string]string `pulumi:"annotations,optional"`
	Images      []Image           `pulumi:"images,optional"`
	Patches     []Patch           `pulumi:"patches,optional"`
}

// Annotate describes the type for the schema.
func (e *Edits) Annotate(a infer.Annotator) {
	a.SetToken("index", "ManifestsEdits")
	a.Describe(&e, texts.Of("Edits"))
	texts.Describe(a, "Edits", e)
}

// Image replaces parts of the images of one name.
type Image struct {
	Name    string  `pulumi:"name"`
	NewName *string `pulumi:"newName,optional"`
	NewTag  *string `pulumi:"newTag,optional"`
	Digest  *string `pulumi:"digest,optional"`
}

// Annotate describes the type for the schema.
func (i *Image) Annotate(a infer.Annotator) {
	a.SetToken("index", "ManifestsImage")
	a.Describe(&i, texts.Of("Image"))
	texts.Describe(a, "Image", i)
}

// Patch changes the objects that its target selects.
type Patch struct {
	Patch  string  `pulumi:"patch"`
	Target *Target `pulumi:"target,optional"`
}

// Annotate describes the type for the schema.
func (p *Patch) Annotate(a infer.Annotator) {
	a.SetToken("index", "ManifestsPatch")
	a.Describe(&p, texts.Of("Patch"))
	texts.Describe(a, "Patch", p)
}

// Target selects the objects that a patch changes.
type Target struct {
	Group              *string `pulumi:"group,optional"`
	Version            *string `pulumi:"version,optional"`
	Kind               *string `pulumi:"kind,optional"`
	Name               *string `pulumi:"name,optional"`
	Namespace          *string `pulumi:"namespace,optional"`
	LabelSelector      *string `pulumi:"labelSelector,optional"`
	AnnotationSelector *string `pulumi:"annotationSelector,optional"`
}

// Annotate describes the type for the schema.
func (t *Target) Annotate(a infer.Annotator) {
	a.SetToken("index", "ManifestsPatchTarget")
	a.Describe(&t, texts.Of("Target"))
	texts.Describe(a, "Target", t)
}

// WaitMode says which objects of a set to wait for.
type WaitMode string

// The modes.
const (
	WaitNeeded = "needed"
	WaitAll    = "all"
	WaitNone   = "none"
)

// Annotate names the type for the schema.
func (w *WaitMode) Annotate(a infer.Annotator) { a.SetToken("index", "ManifestsWait") }

// Values lists the words for the schema.
func (WaitMode) Values() []infer.EnumValue[WaitMode] {
	return []infer.EnumValue[WaitMode]{
		{Name: "Needed", Value: WaitNeeded, Description: "Wait for what other objects of the set need ready. This is the default."},
		{Name: "All", Value: WaitAll, Description: "Wait until every object is ready; if one does not become ready, the update fails."},
		{Name: "None", Value: WaitNone, Description: "Wait for nothing."},
	}
}

// The names of the inputs.
const (
	keyNamespace = "namespace"
	keyEdits     = "edits"
	keyWait      = "wait"
	keyOverrides = "overrides"
)

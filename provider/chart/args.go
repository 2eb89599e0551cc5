package chart

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

// Chart is the type that the component is inferred from.
type Chart struct{ raw.Resource[Args, Outputs] }

// Annotate describes the component for the schema.
func (c *Chart) Annotate(a infer.Annotator) {
	a.SetToken("index", "Chart")
	a.Describe(&c, texts.Of("Chart")+"\n\n"+examples)
}

// Source are the inputs that say which chart it is.
type Source struct {
	Chart             string  `pulumi:"chart"`
	Repo              *string `pulumi:"repo,optional"`
	Version           *string `pulumi:"version,optional"`
	Digest            *string `pulumi:"digest,optional"`
	RepoUsername      *string `pulumi:"repoUsername,optional"`
	RepoPassword      *string `pulumi:"repoPassword,optional" provider:"secret"`
	RepoCACertificate *string `pulumi:"repoCaCertificate,optional"`
}

// Annotate describes the inputs for the schema.
func (s *Source) Annotate(a infer.Annotator) {
	texts.Describe(a, "Source", s)
}

// Rendering are the inputs that say how a chart is rendered.
type Rendering struct {
	Values      map[string]any `pulumi:"values,optional"`
	ValueFiles  []string       `pulumi:"valueFiles,optional"`
	Unset       []string       `pulumi:"unset,optional"`
	ReleaseName *string        `pulumi:"releaseName,optional"`
	CRDs        *CRDs          `pulumi:"crds,optional"`
	KubeVersion *string        `pulumi:"kubeVersion,optional"`
	APIVersions []string       `pulumi:"apiVersions,optional"`
	Lookup      *Lookup        `pulumi:"lookup,optional"`
	IsUpgrade   *bool          `pulumi:"isUpgrade,optional"`
}

// Annotate describes the inputs for the schema.
func (r *Rendering) Annotate(a infer.Annotator) {
	texts.Describe(a, "Rendering", r)
}

// Args are the inputs of a Chart.
type Args struct {
	Source
	Rendering
	sets.Args

	Hooks  *Hooks   `pulumi:"hooks,optional"`
	Rotate []string `pulumi:"rotate,optional"`
}

// Annotate describes the inputs for the schema.
func (a *Args) Annotate(an infer.Annotator) {
	texts.Describe(an, "Args", a)
}

// CRDs says what becomes of the definitions in the crds folders of a chart.
type CRDs string

// The words.
const (
	crdsInclude = "include"
	crdsSkip    = "skip"
)

// Annotate names the type for the schema.
func (c *CRDs) Annotate(a infer.Annotator) { a.SetToken("index", "ChartCrds") }

// Values lists the words for the schema.
func (CRDs) Values() []infer.EnumValue[CRDs] {
	return []infer.EnumValue[CRDs]{
		{Name: "Include", Value: crdsInclude, Description: "Apply them before everything else, and update them with the chart. This is the default."},
		{Name: "Skip", Value: crdsSkip, Description: "Leave them out."},
	}
}

// Hooks says what becomes of the hooks of a chart.
type Hooks string

// The words.
const (
	hooksRun  = "run"
	hooksSkip = "skip"
)

// Annotate names the type for the schema.
func (h *Hooks) Annotate(a infer.Annotator) { a.SetToken("index", "ChartHooks") }

// Values lists the words for the schema.
func (Hooks) Values() []infer.EnumValue[Hooks] {
	return []infer.EnumValue[Hooks]{
		{Name: "Run", Value: hooksRun, Description: "Run them. This is the default."},
		{Name: "Skip", Value: hooksSkip, Description: "Leave them out."},
	}
}

// Lookup says what the function lookup of templates finds.
type Lookup string

// The words.
const (
	lookupLive = "live"
	lookupNone = "none"
)

// Annotate names the type for the schema.
func (l *Lookup) Annotate(a infer.Annotator) { a.SetToken("index", "ChartLookup") }

// Values lists the words for the schema.
func (Lookup) Values() []infer.EnumValue[Lookup] {
	return []infer.EnumValue[Lookup]{
		{Name: "Live", Value: lookupLive, Description: "What is in the cluster, but for the objects of the release itself. This is the default."},
		{Name: "None", Value: lookupNone, Description: "Nothing."},
	}
}

// Outputs are the outputs of a Chart.
type Outputs struct {
	Resources map[string]reference.ResourceRef `pulumi:"resources"`
	Notes     *string                          `pulumi:"notes,optional"`
	Version   *string                          `pulumi:"version,optional"`
}

// Annotate describes the outputs for the schema.
func (o *Outputs) Annotate(a infer.Annotator) {
	texts.Describe(a, "Outputs", o)
}

// The names of the inputs and outputs.
const (
	keyChart             = "chart"
	keyRepo              = "repo"
	keyVersion           = "version"
	keyDigest            = "digest"
	keyRepoUsername      = "repoUsername"
	keyRepoPassword      = "repoPassword"
	keyRepoCACertificate = "repoCaCertificate"

	keyValues      = "values"
	keyValueFiles  = "valueFiles"
	keyUnset       = "unset"
	keyReleaseName = "releaseName"
	keyNamespace   = "namespace"
	keyCRDs        = "crds"
	keyKubeVersion = "kubeVersion"
	keyAPIVersions = "apiVersions"
	keyLookup      = "lookup"
	keyIsUpgrade   = "isUpgrade"

	keyHooks  = "hooks"
	keyRotate = "rotate"
	keyAdopt  = "adopt"

	keyResources = "resources"
	keyNotes     = "notes"
)

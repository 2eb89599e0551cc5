package chart

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// renderChartExamples appear in the registry and in the language packages, each in its own language.
//
//go:embed render_chart.md
var renderChartExamples string

// RenderChart is the type that the function renderChart is inferred from.
type RenderChart struct {
	raw.Function[RenderChartArgs, RenderChartResult]
}

// Annotate describes the function for the schema.
func (r *RenderChart) Annotate(a infer.Annotator) {
	a.SetToken("index", "renderChart")
	a.Describe(&r, texts.Of("RenderChart")+"\n\n"+renderChartExamples)
}

// RenderChartArgs are the arguments of renderChart.
type RenderChartArgs struct {
	Source
	Rendering

	Namespace         *string                       `pulumi:"namespace,optional"`
	Format            *Format                       `pulumi:"format,optional"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
}

// Annotate describes the arguments for the schema.
func (r *RenderChartArgs) Annotate(a infer.Annotator) {
	texts.Describe(a, "RenderChartArgs", r)
}

// Format says how manifests are returned.
type Format string

// The words.
const (
	formatManifests = "manifests"
	formatYAML      = "yaml"
)

// Annotate names the type for the schema.
func (f *Format) Annotate(a infer.Annotator) { a.SetToken("index", "ChartFormat") }

// Values lists the words for the schema.
func (Format) Values() []infer.EnumValue[Format] {
	return []infer.EnumValue[Format]{
		{Name: "Manifests", Value: formatManifests, Description: "As values of the program: the results `manifests` and `ordered`. This is the default."},
		{Name: "Yaml", Value: formatYAML, Description: "As one text: the result `yaml`. For a large chart, this takes less time."},
	}
}

// RenderChartResult is what renderChart returns.
type RenderChartResult struct {
	Manifests map[string]any          `pulumi:"manifests"`
	Ordered   []sources.NamedManifest `pulumi:"ordered"`
	YAML      *string                 `pulumi:"yaml,optional"`
	Hooks     []RenderedHook          `pulumi:"hooks"`
	Notes     string                  `pulumi:"notes"`
	Version   string                  `pulumi:"version"`
}

// Annotate describes the results for the schema.
func (r *RenderChartResult) Annotate(a infer.Annotator) {
	texts.Describe(a, "RenderChartResult", r)
}

// RenderedHook is a hook of a chart.
type RenderedHook struct {
	Name           string         `pulumi:"name"`
	Manifest       map[string]any `pulumi:"manifest"`
	Events         []string       `pulumi:"events"`
	Weight         int            `pulumi:"weight"`
	DeletePolicies []string       `pulumi:"deletePolicies"`
}

// Annotate describes the type for the schema.
func (r *RenderedHook) Annotate(a infer.Annotator) {
	a.SetToken("index", "RenderedHook")
	a.Describe(&r, texts.Of("RenderedHook"))
	texts.Describe(a, "RenderedHook", r)
}

// The names of the results.
const (
	keyManifests      = "manifests"
	keyOrdered        = "ordered"
	keyYAML           = "yaml"
	keyFormat         = "format"
	keyName           = "name"
	keyManifest       = "manifest"
	keyEvents         = "events"
	keyWeight         = "weight"
	keyDeletePolicies = "deletePolicies"
)

// defaultRelease is what `helm template` calls a release without a name.
const defaultRelease = "release-name"

// renderChart serves the function.
type renderChart struct {
	infer.InferredFunction

	source *connection.Source
	charts *loadedCharts
}

// Invoke renders a chart. It asks a cluster only for lookups, and only if they are wanted.
func (f *renderChart) Invoke(ctx context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
	var in inputs
	wrong := check.Arguments[RenderChartArgs](req.Args)
	in.decodeSource(req.Args, &wrong)
	in.decodeRelease(req.Args, defaultRelease, "default", &wrong)
	in.decodeValues(req.Args, &wrong)
	in.lookUp = word[Lookup](req.Args, keyLookup, &wrong) == lookupLive
	format := word[Format](req.Args, keyFormat, &wrong)
	if len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	rel := &release{inputs: in, given: req.Args, lookups: &lookups{}}
	if in.lookUp {
		clu, err := f.source.Cluster(req.Args)
		if err != nil {
			return p.InvokeResponse{}, err
		}
		rel.lookups.cluster = clu
	}
	var warning string
	var err error
	if rel.chart, warning, err = f.charts.load(ctx, in.source); err != nil {
		return p.InvokeResponse{}, rel.explain(ctx, in.release.Name, err)
	}
	rel.removeUnset()
	if warning != "" {
		p.GetLogger(ctx).Warning(warning)
	}
	result, err := rel.once(ctx, format)
	return p.InvokeResponse{Return: result}, rel.explain(ctx, in.release.Name, err)
}

// once renders without a memory: random values are drawn, and differ in the next call.
func (r *release) once(ctx context.Context, format string) (property.Map, error) {
	drawn, err := r.draw(ctx, memory{}, nil)
	if err != nil {
		return property.Map{}, err
	}
	options := draws.Options{Stored: drawn.Draws, Missing: draws.Placeholder(0)}
	in := chart.Partly{Release: r.release, Values: r.values, Secrets: r.secrets, Lookup: r.lookups.Lookup, Session: draws.NewSession(options), Draws: options}
	partial, err := r.chart.RenderPartly(ctx, in)
	if err != nil {
		return property.Map{}, err
	}
	var documents []sources.Document
	definitions, others := firstDefinitions(partial.CRDs)
	for _, list := range [][]chart.PartialDocument{definitions, partial.Objects} {
		for _, one := range list {
			documents = append(documents, sources.Document{Input: keyChart, Place: one.File, Object: one.Object, Secrets: one.Secrets})
		}
	}
	found, notes, wrong := sources.Collect(documents, !r.secrets.Empty())
	if len(wrong) > 0 {
		return property.Map{}, &mistakesError{sources.Few(wrong)}
	}
	_, misspelt := r.removed()
	if warnings := slices.Concat(misspelt, partial.Warnings, others); len(warnings) > 0 {
		p.GetLogger(ctx).Warning(sources.Listed(warnings))
	}
	if len(notes) > 0 {
		p.GetLogger(ctx).Info(sources.Listed(notes))
	}
	result := map[string]property.Value{
		keyNotes: property.New(partial.Notes).WithSecret(partial.NotesSecret || r.whole()), keyVersion: property.New(r.chart.Version()),
	}
	if result[keyHooks], err = r.returnedHooks(partial.Hooks); err != nil {
		return property.Map{}, err
	}
	manifests, ordered := map[string]property.Value{}, []property.Value{}
	if format == formatYAML {
		result[keyYAML], err = r.returnedText(found.InApplyOrder())
	} else {
		manifests, ordered, err = r.returnedManifests(found.InApplyOrder())
	}
	result[keyManifests], result[keyOrdered] = property.New(manifests), property.New(ordered)
	return property.NewMap(result), err
}

// returnedManifests are the results manifests and ordered.
func (r *release) returnedManifests(objects []sources.Object) (manifests map[string]property.Value, ordered []property.Value, err error) {
	manifests, ordered = map[string]property.Value{}, []property.Value{}
	for _, o := range objects {
		if manifests[o.Key], err = r.returned(o.Object, o.Secrets); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.Key, err)
		}
		ordered = append(ordered, property.New(map[string]property.Value{keyName: property.New(o.Key), keyManifest: manifests[o.Key]}))
	}
	return manifests, ordered, nil
}

// returnedText is the result yaml. It is secret if anything in it is.
func (r *release) returnedText(objects []sources.Object) (property.Value, error) {
	var text strings.Builder
	secret := r.whole()
	for _, o := range objects {
		tracked.MarkKind(&o.Secrets, manifest.IdentityOf(o.Object))
		secret = secret || !o.Secrets.Empty()
		document, err := yaml.Marshal(o.Object)
		if err != nil {
			return property.Value{}, fmt.Errorf("%s: %w", o.Key, err)
		}
		fmt.Fprintf(&text, "---\n%s", document)
	}
	return property.New(text.String()).WithSecret(secret), nil
}

// returnedHooks is the result hooks.
func (r *release) returnedHooks(hooks []chart.PartialHook) (property.Value, error) {
	returned := []property.Value{}
	for _, h := range hooks {
		value, err := r.returned(h.Object, h.Secrets)
		if err != nil {
			return property.Value{}, fmt.Errorf("%s: %w", h.File, err)
		}
		returned = append(returned, property.New(map[string]property.Value{
			keyName: property.New(idOf(h.Object)), keyManifest: value, keyWeight: property.New(float64(h.Hook.Weight)),
			keyEvents: values.List(h.Hook.Events), keyDeletePolicies: values.List(h.Hook.DeletePolicies),
		}))
	}
	return property.New(returned), nil
}

// returned is a manifest as the function returns it.
func (r *release) returned(object map[string]any, secrets values.Marks) (property.Value, error) {
	tracked.MarkKind(&secrets, manifest.IdentityOf(object))
	if r.whole() {
		secrets.Add(property.Path{})
	}
	value, err := values.ToProperty(object, secrets)
	if err != nil {
		return property.Value{}, failure.Errorf(failure.ReasonInvalid, "%w", err)
	}
	return value, nil
}

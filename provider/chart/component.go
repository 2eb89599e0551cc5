package chart

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chartsource"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// New returns the component, the record that goes with it, and the function renderChart. source gives them the cluster for lookups;
// rules are the provider's readiness rules, and resumeWithin is its setting of this name. memory is the memory of the operation.
func New(
	children Children, source *connection.Source, rules func() *readiness.Rules, resumeWithin func() time.Duration, memory *tracked.Memory,
) (infer.InferredComponent, infer.InferredResource, infer.InferredFunction) {
	shared, charts := &releases{}, &loadedCharts{fetcher: chartsource.NewFetcher()}
	c := &component{
		Component: sets.NewComponent(infer.Resource(&Chart{})), children: children, source: source, rules: rules, resumeWithin: resumeWithin,
		deletions: tracked.Lives{Notes: memory.For(children.ReleaseHooks.Name().String())}, charts: charts, releases: shared,
	}
	return c, &record{InferredResource: infer.Resource(&Record{}), releases: shared, records: children.Records},
		&renderChart{InferredFunction: infer.Function(&RenderChart{}), source: source, charts: charts}
}

// component constructs releases.
type component struct {
	sets.Component

	children Children
	source   *connection.Source
	rules    func() *readiness.Rules
	charts   *loadedCharts
	releases *releases
	// deletions are the lives of the resources that run delete hooks.
	deletions tracked.Lives
	// resumeWithin is the maximum age of an object of a release that an interrupted run has made.
	resumeWithin func() time.Duration
}

// loadedCharts gets charts, and keeps those that it has loaded.
type loadedCharts struct {
	fetcher *chartsource.Fetcher
	loaded  sync.Map // charts by the digests of their sources
}

// load gets a chart. warning says what to know about it; it may be empty.
func (c *loadedCharts) load(ctx context.Context, source chartsource.Source) (loaded *chart.Chart, warning string, err error) {
	fetched, err := c.fetcher.Fetch(ctx, source)
	if err != nil {
		return nil, "", err
	}
	if fetched.Offline != nil {
		warning = fmt.Sprintf("The chart is the one that was fetched before, because its server was not reached: %v", fetched.Offline)
	}
	if known, ok := c.loaded.Load(fetched.Digest); ok {
		return known.(*chart.Chart), warning, nil
	}
	files := make([]chart.File, len(fetched.Files))
	for i, file := range fetched.Files {
		files[i] = chart.File(file)
	}
	if loaded, err = chart.Load(files); err != nil {
		return nil, "", failure.Errorf(failure.ReasonChartUnusable, "%w", err)
	}
	c.loaded.Store(fetched.Digest, loaded)
	return loaded, warning, nil
}

// Construct renders the chart and registers its objects. It asks the cluster only for lookups and, in a preview, for the values of a
// release that is taken over.
func (c *component) Construct(ctx context.Context, req p.ConstructRequest) (p.ConstructResponse, error) {
	clu, err := c.source.Cluster(req.Inputs)
	namespace := ""
	switch {
	case err == nil:
		namespace = clu.Namespace()
	case !errors.Is(err, connection.ErrUnknown): // The objects report that the connection cannot be used.
		namespace = "default"
	}
	in, wrong := decode(req.Inputs, req.Urn.Name(), namespace)
	if len(wrong) > 0 {
		return p.ConstructResponse{}, sets.Refused("Chart", req.Urn.Name(), wrong)
	}
	rel := &release{inputs: in, given: req.Inputs, timeouts: sets.TimeoutsOf(req), lookups: &lookups{}, resumeWithin: c.resumeWithin()}
	if err == nil {
		rel.cluster = clu
	}
	if in.lookUp {
		rel.lookups.cluster, rel.lookups.unknown = clu, errors.Is(err, connection.ErrUnknown)
	}
	var warning string
	if len(in.unknown) == 0 {
		if rel.chart, warning, err = c.charts.load(ctx, in.source); err != nil {
			return p.ConstructResponse{}, rel.explain(ctx, req.Urn.Name(), err)
		}
		rel.removeUnset()
	}
	return sets.Construct(ctx, req, c.children.Records, func(ctx *pulumi.Context, parent sets.Parent) (pulumi.Map, error) {
		if warning != "" {
			sets.Warn(ctx, parent.Resource, warning)
		}
		return c.register(ctx, rel, parent)
	})
}

// register registers the record, renders with what it remembers, and registers everything else.
func (c *component) register(ctx *pulumi.Context, rel *release, parent sets.Parent) (pulumi.Map, error) {
	// If the record is new or has changed, the engine meanwhile calls record.Create or Update, which calls rel.draw, except in a preview.
	record, remembered, err := c.remember(ctx, rel, parent)
	if err != nil {
		return nil, err
	}
	remembered.adopt = rel.adopt
	if rel.stay(remembered); rel.staysIn != "" {
		sets.Warn(ctx, parent.Resource, rel.staysIn)
	}
	first, err := firstName(ctx, record)
	if err != nil {
		return nil, err
	}
	if text := rel.namedOtherwise(first, parent.Name()); text != "" {
		sets.Warn(ctx, parent.Resource, text)
	}
	if len(rel.unknown) == 0 {
		remembered = remembered.at(rel.release)
	}
	rel.preview = ctx.DryRun()
	// In an update the record has rendered already, to draw what is missing. This rendering says what is secret or not known yet.
	done, err := rel.render(ctx.Context(), remembered)
	if err != nil {
		return nil, rel.explain(ctx.Context(), parent.Name(), err)
	}
	if err := c.releases.claim(rel, done.hooks, parent.URN); err != nil {
		return nil, err
	}
	if !ctx.DryRun() && len(done.missing) > 0 {
		return nil, errNotDrawn(rel.shown(done.missing))
	}
	if err := refuseToDraw(rel.shown(done.drawn())); err != nil {
		return nil, err
	}
	if err := rel.report(ctx, parent.Resource, done, remembered); err != nil {
		return nil, err
	}
	resources, err := c.registerChildren(ctx, rel, done, parent, recorded{record, remembered})
	if err != nil {
		return nil, err
	}
	outputs := pulumi.Map{keyResources: resources, keyNotes: done.notes}
	if rel.chart != nil {
		outputs[keyVersion] = pulumi.String(rel.chart.Version())
	}
	return outputs, nil
}

// report shows at the component what is to be known of a rendering.
func (r *release) report(ctx *pulumi.Context, parent pulumi.Resource, done *rendered, remembered memory) error {
	for _, text := range done.warnings {
		sets.Warn(ctx, parent, text)
	}
	if text := explainDropped(r.shown(done.dropped)); text != "" {
		sets.Warn(ctx, parent, text)
	}
	for _, text := range []string{done.removed, done.announce(remembered, r.shown)} {
		if text == "" || !ctx.DryRun() {
			continue
		}
		if err := ctx.Log.Info(text, &pulumi.LogArgs{Resource: parent}); err != nil {
			return err
		}
	}
	return nil
}

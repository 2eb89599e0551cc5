package chart

import (
	"context"
	"errors"
	"fmt"

	helm "helm.sh/helm/v4/pkg/chart/v2"
	helmutil "helm.sh/helm/v4/pkg/chart/v2/util"
)

// Rendered is the result of rendering a chart with values.
type Rendered struct {
	// CRDs are the objects in the folders crds/, which are not templates.
	CRDs []Document
	// Objects are all other objects except hooks, in the order in which Helm installs them.
	Objects []Document
	// Hooks are the objects that run at events of a release, in Helm's order of kinds, except hooks that only tests run. The hooks of one
	// event run by weight, then by name.
	Hooks []Hook
	// Tests are the hooks that only tests run, as kind/name. They are left out.
	Tests []string
	// Notes is the output of the chart's NOTES.txt. The notes of subcharts are left out.
	Notes string
	// Warnings say where Helm and this package may not treat the chart or its values as intended. They quote names, keys and annotations
	// from the output, but no values.
	Warnings []string

	// quoting are the last of Warnings: those that quote the text of a template.
	quoting []warning
}

// warning is about the text that a template has made.
type warning struct{ file, text string }

func (w warning) String() string { return w.file + ": " + w.text }

// Documents are all documents except those from crds/.
func (r *Rendered) Documents() []Document {
	all := append([]Document{}, r.Objects...)
	for _, hook := range r.Hooks {
		all = append(all, hook.Document)
	}
	return all
}

// Document is an object and where it comes from.
type Document struct {
	// File is the file as `helm template` names it: the chart's name and the path in it, such as
	// shop/charts/redis/templates/service.yaml.
	File   string
	Object map[string]any
}

// Render renders the chart as `helm template` does. The values are not changed.
func (c *Chart) Render(ctx context.Context, release Release, values map[string]any, functions Functions) (*Rendered, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, maxTime, tooLong)
	defer cancel()
	plain, _ := asInFile(values).(map[string]any)
	loaded, outputs, warnings, err := c.outputs(bounded, release, plain, functions)
	if err != nil {
		return nil, err
	}
	return c.collect(loaded, outputs, release, warnings)
}

// outputs renders the templates. If they cannot be rendered as Draws has rewritten them, it renders the original texts, so that the error
// has the lines of the chart.
func (c *Chart) outputs(ctx context.Context, release Release, values map[string]any, functions Functions) (
	*helm.Chart, map[string]string, []string, error) {
	loaded, outputs, warnings, err := c.attempt(ctx, release, values, functions)
	var failed *TemplateError
	if functions.Draws == nil || !errors.As(err, &failed) || isBounded(err) {
		return loaded, outputs, warnings, err
	}
	functions.Draws = nil
	if _, _, _, again := c.attempt(ctx, release, values, functions); again != nil {
		err = again
	}
	return nil, nil, nil, err
}

// isBounded reports whether a chart has reached a limit, or the command was cancelled.
func isBounded(err error) bool {
	var limit *LimitError
	return errors.As(err, &limit) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (c *Chart) attempt(ctx context.Context, release Release, values map[string]any, functions Functions) (
	*helm.Chart, map[string]string, []string, error) {
	prepared, outputs, err := c.execute(newExecution(ctx), release, values, preparing{}, functions)
	if err != nil {
		return nil, nil, nil, err
	}
	return prepared.chart, outputs, prepared.warnings, nil
}

// execute merges the values and executes the templates with them.
func (c *Chart) execute(e *execution, release Release, values map[string]any, how preparing, functions Functions) (
	*prepared, map[string]string, error) {
	prepared, err := c.prepare(release, values, how)
	if err != nil {
		return nil, nil, err
	}
	sources, err := sourcesOf(prepared.chart, prepared.scopes, c.rewriter(functions.Draws))
	if err != nil {
		return nil, nil, err
	}
	e.parsed = &c.parsed
	outputs, err := e.run(sources, functions)
	return prepared, outputs, err
}

// prepared is a chart with merged values, before its templates are executed.
type prepared struct {
	chart    *helm.Chart // with the subcharts that are enabled, under their aliases
	values   map[string]any
	scopes   map[string]scope
	warnings []string
}

// preparing says how values are merged.
type preparing struct {
	// unknown are the places of the values that stand for unknown ones. unchecked means that no schema checks the values.
	unknown   unknownPlaces
	unchecked bool
	// withAll enables all subcharts.
	withAll bool
}

// prepare merges and checks values.
func (c *Chart) prepare(release Release, values map[string]any, how preparing) (*prepared, error) {
	options, err := release.options()
	if err != nil {
		return nil, err
	}
	caps, err := release.capabilities()
	if err != nil {
		return nil, err
	}
	loaded := copyOf(c.loaded)
	if how.withAll {
		withoutConditions(loaded)
	}
	merged, warnings, err := mergeValues(loaded, values, options, caps)
	if err != nil {
		return nil, err
	}
	inner, err := merged.Table("Values")
	if err != nil {
		return nil, fmt.Errorf("the values of the chart %s: %w", loaded.Name(), err)
	}
	if how.withAll {
		return &prepared{chart: loaded, values: inner}, nil
	}
	if wanted := loaded.Metadata.KubeVersion; wanted != "" && !helmutil.IsCompatibleRange(wanted, caps.KubeVersion.String()) {
		return nil, fmt.Errorf("the chart %s needs Kubernetes %s, and this is %s", loaded.Name(), wanted, caps.KubeVersion.Version)
	}
	if !how.unchecked {
		if err := checkSchemas(loaded, inner, how.unknown); err != nil {
			return nil, err
		}
	}
	scopes, err := scopes(loaded, merged)
	if err != nil {
		return nil, err
	}
	return &prepared{loaded, inner, scopes, warnings}, nil
}

// withoutConditions enables all subcharts of a chart.
func withoutConditions(loaded *helm.Chart) {
	for _, dependency := range loaded.Metadata.Dependencies {
		dependency.Condition, dependency.Tags = "", nil
	}
	for _, child := range loaded.Dependencies() {
		withoutConditions(child)
	}
}

// Package chart loads and renders Helm charts as `helm template` does, without a cluster, files or network: from bytes to objects. The
// caller gets the chart's files, and decides what happens to the objects.
//
// Helm's packages do the work whose results users can see: they load charts, enable subcharts, merge values, build the data for templates,
// and sort the output. Rendering differs from Helm's only in these points:
//
//   - A chart is always rendered as an install, unless [Release] says otherwise: Helm's answer to a difference between installs
//     and upgrades is its hooks.
//   - The result is the same each time: subcharts are loaded in order, and `keys` and `values` are sorted. Random values and
//     the time come from [Draws].
//   - Nothing outside the chart is read. References of a values.schema.json to files and addresses are refused.
//   - Everything is bounded: what a chart contains, how deep its charts and templates are nested, what its templates write and may keep in
//     memory, and how long that takes. A chart that reaches a bound fails with a [LimitError]. It must not end the process, which also
//     works on other resources. That is why templates are executed here and not by Helm's engine.
//   - `test` hooks are left out, and their names are returned.
//   - Package manifest reads the objects.
//
// Further renderings exchange values that are secret or not known yet ([Chart.RenderPartly]): whatever differs depends on these values.
//
// # The files
//
// A rendering:
//
//   - [Chart.Render]: render.go
//   - a chart: chart.go; how it is loaded: load.go
//   - the values: values.go; whether a chart sets one: default_values.go; whether its schema allows them: schema.go, schema_reasons.go
//   - what templates see: scope.go, scope_values.go; as .Release and .Capabilities: release.go; as the kinds of a cluster: own_kinds.go
//   - how templates are parsed, once for all renderings: parsed.go; how they are executed: execute.go; the functions that they
//     call: functions.go
//   - the objects in their output and in crds/, and the chart's notes, which are no object: documents.go; the hooks among them:
//     hooks.go
//   - where the templates draw: source.go; which texts the objects have: texts.go
//   - errors: errors.go; their lines: lines.go; what may be shown of them: errors_without_secrets.go
//
// The bounds:
//
//   - what a rendering may use: bounds.go; in memory: memory_limit.go
//   - how it is counted: instrument.go in templates, function_costs.go in functions
//
// A rendering with values that are secret or not known yet:
//
//   - [Chart.RenderPartly], and the renderings that it compares: partial.go; what one of them gives: outcome.go; in which templates drawn
//     values are: reach.go
//   - which renderings are compared, and what follows from them: finding.go; the values in them: variant.go
//   - where values are unknown, for a schema: unknown_places.go
//   - what templates decide based on such values: calls.go
//   - what is known about each object in the end: comparison.go, differences.go
//
// # Laws
//
//   - Rendering changes neither a chart nor the given values.
//   - Two renderings of equal charts with equal arguments are equal, as long as lookups and draws give equal answers.
//   - What a partial rendering says is known stays the same when all values are known; what a secret value changes is marked as secret.
//     This holds as far as renderings show it: each decision of a template is tried, but not every combination of decisions.
//   - A [SchemaError], a [LimitError] and warnings quote the chart and names of values, never values. The message of a [TemplateError] may
//     quote values, and a key of a secret map may be in a SchemaError: [Chart.Shown] returns what may be shown of both.
package chart

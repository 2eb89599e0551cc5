// Package chart loads and renders Helm charts as `helm template` does, without a cluster, files or network: from bytes to
// objects. Getting a chart's files is left to its caller, and so is what becomes of the objects.
//
// Helm's packages do what users can see: they load charts, enable subcharts, merge values, build what templates see, and sort
// what they write. Rendering differs from Helm's in these points only:
//
//   - A chart is always rendered as an install, unless [Release] says otherwise: Helm's answer to a difference between installs
//     and upgrades is its hooks.
//   - The result is the same each time: subcharts are loaded in order, and `keys` and `values` are sorted. Random values and
//     the time come from [Draws].
//   - Nothing outside of the chart is read. References of a values.schema.json to files and addresses are refused.
//   - Everything is bounded: what a chart holds, how deep its charts and templates are nested, what its templates write and may
//     keep in memory, and how long that takes. A chart that reaches a bound ends with a [LimitError]; it must not end the process, which works on other
//     resources. That is why templates are executed here and not by Helm's engine.
//   - `test` hooks are left out, and named.
//   - Objects are read by package manifest.
//
// Values that are not known yet, or secret, are exchanged for others in further renderings ([Chart.RenderPartly]); what differs
// depends on them:
//
//   - which renderings are compared, and what is concluded: finding.go; the values in them: variant.go
//   - what templates decide on such values: calls.go
//   - what is known of each object in the end: comparison.go, differences.go
//
// The laws of the package:
//
//   - Neither a chart nor the values that it is rendered with are changed by rendering it.
//   - Two renderings of equal charts with equal arguments are equal, as long as lookups and draws give equal answers.
//   - What is known of a partial rendering is so when all values are known; what a secret value changes is marked as secret. This
//     holds as far as renderings show it: each decision of a template is tried, not every combination of them.
//   - A [SchemaError], a [LimitError] and warnings quote the chart and names of values, never values. The message of a
//     [TemplateError] may quote values, and a key of a secret map may be in a SchemaError: [Chart.Shown] returns what may be shown of both.
package chart

// Package chart is the component Chart: a Helm chart whose objects are KubeObjects, and whose hooks are Tasks.
//
// # What is a child
//
// Objects are children as in a Manifests: see package sets. Hooks that are Jobs or Pods are Tasks, which run before or after the objects
// (hooks.go, construction.go). Up to two ReleaseHooks run the hooks of a deletion (delete_hooks.go). An object that a hook needs while it
// runs belongs to its Task. An object that a hook leaves behind is a KubeObject that nothing deletes.
//
// # The record
//
// A chart is rendered again in each run, so something has to remember what must not change: random values and certificates, when the release
// got each hook, whether its install or upgrade is complete (event.go), and what templates found when the release was taken over. The record
// is the resource in the state that remembers it (record.go). The memory is what it remembers, encrypted (memory.go); what is in it is
// called remembered. If a release is taken over, the values that it has drawn are looked for in its objects (takeover_values.go).
//
// The record is registered first: in an update it renders, draws the values that are missing, and returns its memory. Only then
// are the objects rendered. In a preview the record returns what it remembers, and values that are not drawn yet are unknown.
//
// # Laws
//
//   - Two runs with the same inputs render the same.
//   - A preview draws nothing, runs nothing and writes nothing.
//   - What depends on a secret or drawn value is secret, what depends on an unknown one is unknown, and nothing else is.
//   - A release is rendered as an install, also when it changes, unless the program sets isUpgrade. Upgrades have their own hooks.
//   - Each Task decides from the state whether its hook runs. There is no record of the release in the cluster that could get stuck.
//
// # The files
//
// The component:
//
//   - what it constructs: component.go; its types in the schema: args.go; its inputs: inputs.go; the values: values.go
//   - values that the program removes from those of the chart: unset.go
//   - the name and the namespace that a release keeps: kept_name_and_namespace.go
//   - a second component that is the same release: same_release_twice.go
//   - a release that gets another namespace or name, and is installed there: moved_release.go
//   - another version of the chart: that it is a change, record.go; the objects keep their keys, and each KubeObject compares for itself
//
// The rendering:
//
//   - a release, rendered with what is remembered: rendering.go
//   - the objects and hooks in what was rendered, and the output notes: objects_and_hooks.go; hooks without a fixed name: generated_names.go
//   - the function lookup of templates: lookup.go
//   - errors and messages, without secrets: explain.go
//
// The children:
//
//   - in which order they are registered, and hooks that outlive the release: construction.go
//   - when a hook runs, with which objects, and whether it stays: hooks.go; hooks of a deletion: delete_hooks.go
//   - an install or an upgrade, from its begin to its end: event.go
//   - objects that are there before an install: existing_objects.go
//
// The memory:
//
//   - the resource that keeps it: record.go; what is in it: memory.go
//   - values that would be lost because the engine saves nothing before its end: skipped_checkpoints.go
//   - the values of a release that is taken over: takeover_values.go; in which fields they are: takeover_values_fields.go; in whose objects:
//     takeover_values_live.go; what the user is told: takeover_values_messages.go
//
// The function renderChart: render_chart.go
package chart

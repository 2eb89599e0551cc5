// Package sets is the common part of the components that apply many objects: their children, the order of the children, and how
// single objects are edited, overridden and waited for.
//
// A set is made of documents that were read elsewhere: from files, a kustomization or a chart. Each document becomes a
// KubeObject, a child of the component. The rules:
//
//   - The name of a child depends only on its own manifest, so that neither other documents nor their order change it.
//   - A set makes no request to a cluster, except its guard, which looks for objects when it is deleted.
//   - The record is the resource in the state that remembers the keys of the objects and of the waits (record.go). What it says of the last
//     run is called remembered.
//   - The part of a manifest that names the child is never secret. If it is unknown, the whole set is incomplete: the objects of the last
//     run are registered with an unknown manifest, so that no preview shows them as deleted.
//   - Secret and unknown values stay secret and unknown through edits and overrides.
//   - An object is registered after the objects that precede it in the graph of package order, and after everything in
//     [Registration.After].
//
// # The files
//
//   - the component and its schema: component.go; the inputs that all sets share: args.go
//   - the component as a parent, with the names of its children: parent.go; their aliases, also while a rename of the component is
//     not complete: renamed_component.go
//   - the objects of a set, from documents and inputs: set.go
//   - a key that is not known yet, or that would show a secret: unknown_or_secret_key.go. [sources.KeyOf] makes the keys.
//   - the namespace of a set: namespace.go; references to objects that it moves: references.go. If an object that gets the namespace turns
//     out to be cluster-scoped, its KubeObject says so: warnNamespaceIgnored in package object.
//   - the input edits: edits.go; secret and unknown values meanwhile: placeholders.go
//   - inputs for some of the objects: overrides.go
//   - how the children are registered, with their resource options: registration.go; which a hook needs before it runs: needed.go; light objects before heavy ones:
//     light_first.go
//   - waits for objects that others need: waits.go; the timeouts of the children: timeouts.go
//   - messages about the order: explain.go
//   - a manifest as an input of a KubeObject: manifest_as_input.go; any value as an input: property_input.go
//   - what a set remembers of its last run: record.go
//   - definitions: a guard while objects of their kinds exist: definition_guard.go; definitions that a set lets go of:
//     left_out_definitions.go
package sets

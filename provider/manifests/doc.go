// Package manifests is the component Manifests: a whole set of objects, each a KubeObject of its own, applied in the order that the
// objects ask for and deleted in the reverse order.
//
// # The children
//
// Each object is a KubeObject, with the key that splitYaml gives it as its name. So the logic of an object exists only once: preview,
// drift, protection and recovery work as for any other KubeObject. Where an object has to be ready before another one, a Wait stands
// between the two. One more child is the record. All of this is in package sets; this package reads the manifests.
//
// # Raw inputs
//
// The component is constructed from the raw request, because the framework's decoder loses the marks of secret and unknown values below
// the first level. Typing, schema and registration are infer's.
//
// # What is not known yet
//
// While the source is unknown, in a preview, it is not known which objects there will be. The engine would show the objects of the last
// run as deleted, and fail if one of them is protected. So the keys of the last run, which the record remembers, are registered with
// unknown manifests.
//
// # The files
//
//   - the component, and what it constructs: component.go; its types in the schema: args.go
//   - the inputs content, files and kustomization, and a source without a manifest: load.go
//   - the input manifests, as a list or a map: manifests_input.go
package manifests

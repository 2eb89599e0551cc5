// Package manifests is the component Manifests: a whole set of objects, each a KubeObject of its own, applied in the order that the
// objects ask for and deleted in the reverse order.
//
// # What is a child
//
// Each object is a KubeObject, named by the key that splitYaml gives it, so that nothing of an object's logic is written a second
// time: preview, drift, protection and recovery are those of any other object. Where an object has to be ready before another one,
// a Wait stands between the two. One more child is the record. All of this is in package sets; this one reads what there is to apply.
//
// # Raw inputs
//
// The component is constructed from the raw request, because the framework's decoder loses the marks of secret and unknown values
// below the first level. Typing, schema and registration are infer's.
//
// # What is not known yet
//
// While the source is unknown, in a preview, nobody knows which objects there will be. The engine would show those of the last run
// as deleted, and fail if one is protected. So the keys of the last run, which the record remembers, are registered with unknown
// manifests.
package manifests

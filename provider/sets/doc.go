// Package sets is what components that apply many objects have in common: their children, the order of these, and how single
// objects are edited, overridden and waited for.
//
// A set is made of documents that something else has read: files, a kustomization, a chart. Each document becomes a KubeObject, a child of
// the component. The rules:
//
//   - The name of a child depends on nothing but its own manifest, so that neither other documents nor their order change it.
//   - A set makes no request to a cluster.
//   - What an object is named after is never secret, and if it is unknown, the whole set is incomplete: objects of the last run
//     are registered with an unknown manifest, so that no preview shows them as deleted.
//   - Secret and unknown values stay what they are through edits and overrides.
//   - An object is registered after those that it comes after in the graph of package order, and after everything in
//     [Registration.After].
package sets

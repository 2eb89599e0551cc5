// Package order finds the order in which the objects of a set are applied: which object comes after which, and why. Objects are
// deleted in the reverse order.
//
// The order follows from the objects alone. The package asks no cluster, and has no list of kinds that come first: two objects
// are in an order only if one of them says so.
//
//   - the graph: order.go; the objects while it is made: set.go
//   - a kind after its definition, an object after its namespace: containment.go
//   - a binding after its role and its accounts, a workload after the bindings of its account: rbac.go
//   - a workload after the objects that its pods name: podspec.go
//   - any other object after the objects that it names: references.go
//   - a custom resource after the workload that may write it, its operator: operators.go
//   - a webhook or an API service after the pods that answer it, and objects after the webhooks that are called about them: webhooks.go
//   - an object after those that its annotation config.kubernetes.io/depends-on names: depends_on.go
//
// Everything else is applied at the same time.
//
// # Laws
//
//   - The edges do not depend on the order of the objects, nor on objects that neither end names.
//   - There is no circle. Where objects form a circle, the least certain edge is dropped (see circles.go), and [Graph.Dropped] names it.
//   - An edge joins two objects of the set. Objects outside the set belong to the cluster.
//
// # Readiness
//
// An edge with [Edge.Ready] requires that the other object is not only applied but ready: a definition has to be served, a
// webhook has to be answered. The caller that applies the objects decides how long that may take. Edges that are less certain
// than served never require it.
package order

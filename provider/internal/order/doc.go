// Package order finds the order in which the objects of a set are applied: what comes after what, and why. Deleting goes the
// other way round.
//
// It is a function of the objects alone. It asks no cluster, and it knows no list of kinds that come first: two objects are in
// an order only if one of them says so.
//
//   - a kind after its definition, an object after its namespace: containment.go
//   - a binding after its role and its accounts, a workload after the bindings of its account: rbac.go
//   - a workload after what its pods name: podspec.go
//   - what names another object after that object: references.go
//   - a custom resource after the workload that may write it, its operator: operators.go
//   - what the API server calls after what answers, and what it is called about after it: webhooks.go
//   - what the annotation config.kubernetes.io/depends-on names: requested.go
//
// Everything else is applied at the same time.
//
// # Laws
//
//   - The edges do not depend on the order of the objects, nor on objects that neither end names.
//   - There is no circle. Where the objects form one, the edge that is the least certain is dropped (see circles.go), and
//     [Graph.Dropped] names it.
//   - An edge joins two objects of the set. What is outside of it is the cluster's.
//
// # Readiness
//
// An edge with [Edge.Ready] wants more than that the other object is there: a definition has to be served, a webhook has to be
// answered. Whoever applies the objects decides how long that may take; no edge that is a guess asks for it.
package order

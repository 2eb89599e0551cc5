// Package kinds knows the kinds that Kubernetes itself defines. What a new release of Kubernetes adds is added here. When the
// objects of a kind are ready is said in package readiness.
//
// # The files
//
//   - which API groups are its own: groups.go; the kinds with rules of their own: names.go
//   - kinds as users name them in the provider's settings, such as Deployment.apps or *.cert-manager.io: selection.go
//   - which kinds are cluster-scoped: scope.go
//   - which kinds have pods, and where they keep the template: pods.go
//   - which fields hold quantities and base64, to find mistakes in them: quantities_and_base64.go. No diff needs that: what is
//     compared is the API server's own spelling.
//   - which values the API server sets by default: defaults.go
//   - in which order objects are best applied: order.go
//   - how long a deletion may take by default; whether an object may own others; what is lost with it: deletion.go
//   - what the finalizers of Kubernetes wait for: finalizers.go
//   - Secrets that hold the token of a ServiceAccount: service_account_tokens.go
//   - kinds that were renamed or removed: renamed.go
package kinds

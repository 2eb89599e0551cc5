// Package kinds knows the kinds that Kubernetes itself defines. What a new release of Kubernetes adds is added here.
//
//   - which API groups are its own: groups.go
//   - which kinds live outside of namespaces: scope.go
//   - which kinds have pods, and where: pods.go
//   - which fields hold quantities and base64: quantities_and_base64.go
//   - which values it sets by default: defaults.go
//   - in which order objects are best applied: order.go
//   - what is deleted with an object, how long that may take, and what is lost with it: deletion.go
//   - what its finalizers wait for: finalizers.go
//   - which Secrets are tokens of accounts: service_account_tokens.go
//   - what became of kinds that were renamed: renamed.go
//
// When the objects of a kind are ready is said in package readiness.
package kinds

// OwnGroup reports whether an API group is one of Kubernetes itself, whose kinds the API server defines and not a
// CustomResourceDefinition or another server.
func OwnGroup(group string) bool { return ownGroups[group] }

// ownGroups are the API groups of Kubernetes itself.
var ownGroups = map[string]bool{
	"":                             true,
	"admissionregistration.k8s.io": true,
	"apiextensions.k8s.io":         true,
	"apiregistration.k8s.io":       true,
	"apps":                         true,
	"authentication.k8s.io":        true,
	"authorization.k8s.io":         true,
	"autoscaling":                  true,
	"batch":                        true,
	"certificates.k8s.io":          true,
	"coordination.k8s.io":          true,
	"discovery.k8s.io":             true,
	"events.k8s.io":                true,
	"extensions":                   true, // until 1.21
	"flowcontrol.apiserver.k8s.io": true,
	"internal.apiserver.k8s.io":    true,
	"lifecycle.k8s.io":             true, // since 1.37
	"networking.k8s.io":            true,
	"node.k8s.io":                  true,
	"policy":                       true,
	"rbac.authorization.k8s.io":    true,
	"resource.k8s.io":              true,
	"scheduling.k8s.io":            true,
	"storage.k8s.io":               true,
	"storagemigration.k8s.io":      true,
}

// Package readiness decides when an object has reached the goal of a wait.
//
// It has two halves that know nothing of each other. The criteria (field.go,
// condition.go, rollout.go, expression.go) and the failures that waiting cannot fix
// (terminal.go) are pure functions of one state of an object. They never see a clock, a
// watch or a cluster. The loop (await.go) passes them one state after another, keeps
// the time budget and the identity of the object, and knows no Kubernetes kind.
//
// # The dialect of paths
//
// Paths are those of package fieldselect, evaluated as JSONPath (RFC 9535,
// https://www.rfc-editor.org/rfc/rfc9535) by github.com/theory/jsonpath. A path is compiled
// from [fieldselect.Path.Standard], so this package knows no spelling but the standard's:
//
//	status.loadBalancer.ingress[0].ip
//	{.status.phase}
//	$.status.conditions[?@.type=='Ready'].status
//	status.conditions[type=Ready].status
//	.metadata.annotations.app\.kubernetes\.io/name
//	metadata.annotations['app.kubernetes.io/name']
//
// # The extract
//
// [Goal.Extract] reduces an object to the fields that the goal waits for, with the
// structure around them. A list item selected by its index keeps the index; items
// selected by a filter, a wildcard, a slice or a descendant (..) follow one another,
// because a user who selects by a filter does not know the index. If both select items
// of one list, all keep their indexes.
package readiness

// Package readiness says when an object is as someone waits for it to be.
//
// It has two halves that know nothing of each other. The criteria (field.go,
// condition.go, rollout.go, expression.go) and the failures that no waiting helps
// against (terminal.go) are pure functions of one state of an object. They never see
// a clock, a watch or a cluster. The loop (await.go) shows them one state after
// another, keeps the time budget and the identity of the object, and knows no kind
// of Kubernetes.
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
// [Goal.Extract] cuts an object down to the fields that are waited for, with the
// structure around them. Where a list item is named by its index it keeps the index;
// items that are picked by a filter, a wildcard, a slice or a descendant (..) stand one
// after the other, since who picks by a filter does not know the index. Where both name
// items of one list, all keep their indexes.
package readiness

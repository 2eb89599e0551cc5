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
//
// # The files
//
// The goal of a wait:
//
//   - what to wait for, a waitFor that says nothing, the criterion deleted; what one state of an object means for the goal: goal.go
//   - the criteria field and fieldValue: field.go; condition: condition.go; rollout: rollout.go; ready: ready.go; http, and the port that is
//     asked: http.go; expression, and failWhen as one: expression.go
//   - paths: path.go; the fields that a Wait has as its status: extract.go
//   - a status or a condition about an older generation: stale_status.go, condition.go
//   - what ends a wait as failed, such as failWhen, a failed Job or Pod, and a Deployment past its progress deadline: terminal.go;
//     whether a Job has ended: job_ending.go
//
// When an object is ready:
//
//   - which rule decides for a kind: ready.go
//   - the provider's setting readiness: user_rules.go; a rule in the definition of a kind: declared.go
//   - kinds of Kubernetes, and those of them that are paused, suspended, lost or refused: builtin.go
//   - kinds of well-known operators, by the files in library: library.go
//   - kinds without a rule: conventional.go; the fields of their status: survey.go; their conditions: condition_meaning.go; the words in
//     both: words.go; numbers of replicas, and what runs once: counts.go
//   - custom objects that are suspended: suspension.go
//
// The loop:
//
//   - for one object, which may be deleted or made again meanwhile: await.go; for many: await_all.go
//   - how many objects are enough: tally.go
//   - doubts, such as about a status that perhaps nothing writes: ready.go; the decision about one while it lasts: excuse.go. Package
//     waitfor makes it.
package readiness

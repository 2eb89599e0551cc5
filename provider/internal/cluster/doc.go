// Package cluster talks to Kubernetes API servers. It turns a [connect.Connection], which is plain data, into a
// [Cluster] with the few verbs that the resources need: [Cluster.Apply], [Cluster.Get], [Cluster.Delete],
// [Cluster.Patch], [Cluster.List], [Cluster.Follow] and [Cluster.Record]. [Cluster.Edit] combines several of them.
// [Cluster.Ask] asks a Service or a Pod through the API server.
// [Cluster.ID] identifies the cluster. The package knows nothing of Pulumi.
//
// Its laws:
//
//   - Making a [Cluster] uses no network. Each process has one per distinct connection ([Registry]), so that all
//     resources share one HTTP/2 transport, one login of a credential plugin and one discovery.
//   - One verb is one request. A write is sent again only after a 429, which says that the API server did not process
//     the request, or while an admission webhook cannot be called and the caller asked to wait ([AwaitWebhooks]). A
//     lost reply is the caller's business, because only the caller knows what is safe to repeat. [Cluster.Diagnose] and
//     [Cluster.ExplainNotServed] make further requests about a failure.
//   - A denial by an admission webhook or policy is a 403, regardless of the code it came with ([failure.AsForbidden]).
//   - An error from before the request left is a [failure.NotSentError]. This is observed on the connection itself and
//     not guessed from the error, because callers that trust it forget objects.
//   - An error says that a kind is not served only if a Kubernetes API server answered so. If discovery failed, that is
//     an ordinary error, and a negative answer is never cached. For an object that existed before, the kind must have
//     been missing for a second: a starting API server does not serve all custom resources at once.
//   - The client does not limit requests: the API server's priority and fairness decides.
//   - Bodies of requests and responses, and credentials, appear neither in errors nor in logs, nor in the printed form
//     of any type here.
//
// # The files
//
// Which object is meant:
//
//   - the default namespace, a namespace for a kind that has none, and the URL of an object: resolve.go
//   - how a kind is served: discovery.go; a kind that is not served: not_served.go; whether its objects are gone: confirm_gone.go
//   - all kinds that a cluster serves: served_kinds.go; the schema of an API version: openapi.go; what a definition says
//     in an annotation: definition_annotation.go
//   - which cluster it is: cluster_id.go
//
// Requests:
//
//   - how a request is sent, and when a write is sent again: cluster.go; one client for each connection: registry.go
//   - a create or an update by server-side apply: apply.go; a patch, and an edit of the object as it is: patch.go
//   - a write while other clients write the object: retry_on_conflict.go; while a webhook cannot be called: webhook_retry.go
//   - a deletion: delete.go; the wait until the object is gone: await_deleted.go
//   - a read: get.go; of many objects: list.go; of the log of a container: log.go
//   - a question to a Service or a Pod: ask.go; an event about an object: events.go
//   - one request for all callers that ask for the same: shared_requests.go
//
// Following objects:
//
//   - by a watch, which shows a change at once, or by a read each second where watching is not allowed, and through restarts of the API
//     server: follow.go; one object: follow_one.go; many: follow_all.go; the watch: watch.go
//   - for how long a failing read is repeated: patience.go
//
// Errors and answers:
//
//   - every mistake in a manifest that the API server refuses, such as typos, bad quantities and bad base64: all_mistakes.go;
//     where its values are: manifest_values.go
//   - a refusal because managed fields cannot be converted: convertible.go
//   - whether a failed request left this machine: request_trace.go
//   - errors in which something other than the API server has answered: status_errors.go
//   - warnings of the API server: warnings.go; its clock: server_clock.go
package cluster

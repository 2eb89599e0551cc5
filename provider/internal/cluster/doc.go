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
package cluster

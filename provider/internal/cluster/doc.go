// Package cluster talks to Kubernetes API servers. It turns a [connect.Connection], which is plain data, into a [Cluster],
// which has the few verbs that the resources need: [Cluster.Apply], [Cluster.Get], [Cluster.Delete],
// [Cluster.Patch], [Cluster.List], [Cluster.Follow] and [Cluster.Record]. [Cluster.Edit] is the one that is made of
// others. [Cluster.ID] says which cluster it is. It knows nothing of Pulumi.
//
// Its laws:
//
//   - Making a [Cluster] uses no network. There is one per distinct connection and process ([Registry]), so that all
//     resources share one HTTP/2 transport, one login of a credential plugin and one discovery.
//   - One verb is one request. A write is sent again only if the API server answered 429, which says that it did not
//     look at it. A lost reply is the caller's business, because only the caller knows what is safe to repeat.
//     [Cluster.Diagnose] and [Cluster.ExplainNotServed] ask more, about what has failed already.
//   - A denial by an admission webhook or policy is a 403, whatever code it came with ([failure.AsForbidden]).
//   - An error that came before the request left is a [failure.NotSentError]. This is observed on the connection
//     itself and not guessed from the error, because callers forget objects when they trust it.
//   - "The kind is not served" is said only when a Kubernetes API server answered so. A discovery that failed is an
//     ordinary error, and a negative answer is never kept. Of an object that was there it is said only when the kind
//     has not been served for a second: an API server that starts does not serve all custom resources at once.
//   - There is no limit on requests on this side: the API server's priority and fairness decides.
//   - Neither bodies of requests and responses nor credentials appear in errors, in logs, or in the printed form of
//     any type here.
package cluster

// Package cluster runs a real Kubernetes cluster within seconds, for tests and for a
// person who wants to try something.
//
// What this provider promises is about what an API server does: who owns which field, what
// a dry-run answers, what happens to an object whose process died between the request and
// the reply. A fake would only repeat what its author believed. So this is etcd and
// kube-apiserver as released, and where a test asks for them kube-controller-manager,
// kube-scheduler and nodes played by kwok: Deployments roll out, Jobs complete, namespaces
// and pods are deleted for real, claims bind to volumes. No image ever runs; kwok writes
// the status that a kubelet would have written, and a test can give it Stages of its own to
// make pods fail, hang or crash. Nobody fills status.loadBalancer; tests patch it.
//
// All programs are one binary, built from Go modules alone (controlplane, beside this
// file). "make tools" puts it into bin/.
//
// # Why not envtest
//
// controller-runtime's envtest starts the same two servers, and was tried here: with the
// process ids written by the programs themselves they can be killed, paused and restarted
// under it too. It came out larger (it replaces the certificates and costs as much code to
// keep hold of its processes), slower (0.4 to 0.7 s for each start, it asks every program
// for its help first), and it leaves files in the user's cache folder and picks ports that
// clients use, so that a restarted server may find its port taken. Three of the five parts
// are not its business at all. So all are started in one way, as a [Part].
//
// # What it leaves behind
//
// Nothing. Everything is in one folder that [Cluster.Stop] removes; the servers listen on
// 127.0.0.1 or on a socket in that folder. Every part watches the process that started it,
// and ends when that is gone, also after a panic or SIGKILL; only the folder is left then.
//
// # In tests
//
// A cluster of its own for one test is [ForTest]. Most packages share one:
//
//	var shared = cluster.Shared{Options: cluster.Options{ControllerManager: true}}
//
//	func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }
//
//	func TestSomething(t *testing.T) {
//		c := shared.Get(t)
//		namespace := c.Namespace(t)
//		…
//	}
//
// It runs on Linux and macOS.
package cluster

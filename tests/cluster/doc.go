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
// make pods fail, hang or crash; where that is not enough, see below. Package tests/kubelet is in between: it runs
// the pods of one node as processes, and needs no container runtime. Nobody fills status.loadBalancer; tests patch it.
//
// cmd/cluster, which "make cluster" runs, is such a cluster for a person: with a node of kwok, with a played one
// (NODE=played), or with a real one (NODE=real).
//
// All programs are two binaries, built from Go modules alone (controlplane, beside this
// file): servers, which is what of it is Kubernetes, and companions, which is etcd, kwok and
// kubectl. "make tools" puts them into bin/.
//
// # Versions
//
// controlplane/go.mod pins the version of Kubernetes that all tests take. For the oldest and the
// newest that the provider supports there is a module file each, such as kubernetes-1.33.mod, with
// which "make test-version KUBERNETES=1.33" builds the servers and runs the tests of the provider's
// calls and the probe (package tests/probe). controlplane/kubernetes.sh writes such a file.
//
// # envtest
//
// etcd and the API server are configured and started by controller-runtime's envtest, which
// also makes the keys and the users, good for one week. What is wanted otherwise is in
// servers.go: the ports, since a server that is restarted has to find its own still free; a
// socket for etcd's data; the audit log. It is envtest.Etcd and envtest.APIServer one by one,
// not envtest.Environment, which takes a cluster that it finds in the user's environment if
// $USE_EXISTING_CLUSTER says so, starts what failed five times, and restarts both or none.
//
// envtest can start a server and stop it, and keeps its process to itself. Tests have to kill,
// pause and restart servers, so a [Part] signals them past it: each program writes down its
// process id when it is told whose part it is (--controlplane-part-of). After that the
// same envtest object starts it again, with the same keys, port and data. The other three
// parts, which are not envtest's business, are started by plain exec, and differ in nothing else.
//
// What envtest costs, next to plain exec: a start takes 0.2 s longer (4.4 s and 4.2 s, on a busy
// machine with four cores), a restart 0.3 to 0.5 s, since it asks each program for its help
// first and is slower to see that it works; a test binary needs 12 to 16 MB more. The programs
// need what they always needed.
//
// # A real node
//
// With [Options.RealNode] containers run: Debian's containerd and runc, and a kubelet and kube-proxy of which one binary
// is made as of the control plane (node, beside this file; it has the maker of images too). All of the cluster and the
// program that starts it are then in namespaces of their own, which package namespaces makes by running the program again.
// That is Linux and root alone, and "make test" does without: see package tests/node. A start takes ten to forty seconds,
// and the whole cluster some 1 GiB of memory. There is no DNS and nothing can be pulled.
//
// # What it leaves behind
//
// No process and no file. Everything is in one folder that [Cluster.Stop] removes; the servers
// listen on 127.0.0.1 or on a socket in that folder. Every part watches the process that started
// it, and ends when that is gone, also after a panic or SIGKILL; only the folder is left then.
// An empty folder kubebuilder-envtest stays in the user's cache folder: every program that
// links envtest makes it, whether it starts a cluster or not.
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

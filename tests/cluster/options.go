package cluster

import "errors"

// Options say which parts a cluster has. The zero value is an API server with its etcd,
// which is all that most tests need, and ready in two or three seconds.
type Options struct {
	// ControllerManager runs kube-controller-manager: deleted namespaces go, owned objects
	// are garbage-collected, Deployments get ReplicaSets and pods, claims bind to volumes.
	// Without it no admission asks for service accounts, since nobody creates them.
	ControllerManager bool

	// Scheduler runs kube-scheduler, which gives pods their nodes. It needs the controller
	// manager, without which nodes keep the taint that they are born with.
	Scheduler bool

	// Nodes is how many nodes kwok plays. With 0 there is no kwok.
	Nodes int

	// Stages are kwok Stages in YAML, in addition to kwok's own fast ones: nodes and pods
	// are ready at once, pods of Jobs complete, deleted pods go. Those have no weight, so
	// give yours "weight: 1" where it must win over one that matches too.
	// [Cluster.SetStages] changes them in a running cluster.
	Stages []string

	// RealNode runs containerd, a kubelet and kube-proxy: images run, on a node called "real". It needs the scheduler
	// and is only to be had inside of what package namespaces makes, once in a process: what it leaves is removed
	// with that. Nothing can be pulled; [Cluster.AddImage] brings images.
	RealNode bool

	// PodNetwork lets servers of tests answer at the addresses of pods that do not run, for requests that the API server
	// passes on to them: [Cluster.AnswerAt].
	PodNetwork bool

	// Audit records the requests that reach the API server, for [Cluster.Requests].
	Audit bool

	// APIServerArgs are further flags of kube-apiserver, as --name=value. A value comes after
	// those that the flag has without it.
	APIServerArgs []string

	// Dir is the folder of the cluster's data, logs and keys; it is created, and removed
	// by [Cluster.Stop]. The default is a new temporary one.
	Dir string
}

// Everything is a cluster in which workloads run: all parts, and one node.
func Everything() Options {
	return Options{ControllerManager: true, Scheduler: true, Nodes: 1}
}

// Real is a cluster in which containers run. See [Options.RealNode] for what it needs.
func Real() Options {
	return Options{ControllerManager: true, Scheduler: true, RealNode: true}
}

func (o Options) check() error {
	if o.Scheduler && !o.ControllerManager {
		return errors.New("options: Scheduler needs ControllerManager")
	}
	if o.RealNode && (!o.Scheduler || o.Nodes > 0) {
		return errors.New("options: RealNode needs Scheduler, and no other Nodes")
	}
	return nil
}

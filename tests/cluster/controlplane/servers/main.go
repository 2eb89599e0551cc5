// Servers is what of a Kubernetes cluster is Kubernetes, as one program: kube-apiserver,
// kube-controller-manager and kube-scheduler. Which of them it is says the name it is called by.
//
// The version is that of the module file it is built with: go.mod for the one that all tests take,
// kubernetes-1.33.mod and its like for others (go build -modfile). What goes with it is in
// companions.
//
// No network but a Go module proxy is needed to build it, no container runtime to run it.
package main

import (
	_ "time/tzdata" // time zones of CronJobs, on hosts that have no zone files

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/controlplane/multicall"
)

func main() {
	multicall.Main(map[string]func() int{
		"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
		"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
		"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	})
}

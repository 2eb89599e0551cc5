// Node is the kubelet and kube-proxy as one program: which of the two it is says the name that it is called by.
//
// It is a module of its own, because the go.mod file of Kubernetes replaces thirty modules.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubeproxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "kubelet":
		os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background())))
	case "kube-proxy":
		os.Exit(cli.Run(kubeproxy.NewProxyCommand()))
	default:
		fmt.Fprintf(os.Stderr, "%s is not a name of this program: call it kubelet or kube-proxy\n", name)
		os.Exit(2)
	}
}

// Companions are the programs beside those of Kubernetes, as one program: etcd, kwok (which plays
// the nodes) and kubectl. Which of them it is says the name it is called by; called kwok-stages, it
// prints what kwok's nodes and pods do by default, as the configuration that kwok wants to be given.
//
// They are the same whatever version of Kubernetes the servers are. What has versions is in servers.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/controlplane/multicall"
)

func main() {
	multicall.Main(map[string]func() int{
		"etcd":        runEtcd,
		"kubectl":     func() int { return cli.Run(cmd.NewDefaultKubectlCommand()) },
		"kwok":        runKwok,
		"kwok-stages": printStages,
	})
}

func runEtcd() int {
	etcdmain.Main(os.Args)
	return 0
}

// runKwok does what kwok's own main does: its global flags (--config, --v) have to be
// parsed before the command is made, because the command's defaults come from the config.
func runKwok() int {
	global := pflag.NewFlagSet("global", pflag.ContinueOnError)
	global.ParseErrorsAllowlist.UnknownFlags = true
	global.Usage = func() {}

	ctx, logger := log.InitFlags(signals.SetupSignalContext(), global)
	ctx, err := config.InitFlags(ctx, global)
	if err != nil {
		logger.Error("Reading the configuration", "err", err)
		return 1
	}
	command := kwok.NewCommand(ctx)
	// With a version cobra expects --version to be its own flag, but the Kubernetes programs
	// have defined one of that name globally.
	command.Version = ""
	command.PersistentFlags().AddFlagSet(global)
	if err := command.ExecuteContext(ctx); err != nil {
		logger.Error("Exit", "err", err)
		return 1
	}
	return 0
}

// printStages prints kwok's own fast stages, so that no copy of them is kept: nodes and
// pods are ready at once, pods of Jobs complete, deleted pods go.
func printStages() int {
	stages := []string{
		nodefast.DefaultNodeInit,
		podfast.DefaultPodReady,
		podfast.DefaultPodComplete,
		podfast.DefaultPodDelete,
	}
	if _, err := fmt.Println(strings.Join(stages, "\n---\n")); err != nil {
		return 1
	}
	return 0
}

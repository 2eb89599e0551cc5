// Controlplane is the Kubernetes control plane as one program: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kwok (which plays the nodes) and kubectl.
//
// It is which of them by the name it is called by, so links named like the programs are
// all it takes; "controlplane etcd --data-dir …" does the same without a link. One program
// instead of six is one link step and a fifth of the disk: they share almost all their code.
// "controlplane kwok-stages" prints what kwok's nodes and pods do by default, as the
// configuration that kwok wants to be given.
//
// No network but a Go module proxy is needed to build it, no container runtime to run it.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	_ "time/tzdata" // time zones of CronJobs, on hosts that have no zone files

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
	"k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	nodefast "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

// programs are the parts by name. Each reads os.Args like the program of that name and
// returns its exit code.
var programs = map[string]func() int{
	"etcd":                    runEtcd,
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubectl":                 func() int { return cli.Run(cmd.NewDefaultKubectlCommand()) },
	"kwok":                    runKwok,
	"kwok-stages":             printStages,
}

func main() {
	run, ok := programs[filepath.Base(os.Args[0])]
	if !ok && len(os.Args) > 1 {
		if run, ok = programs[os.Args[1]]; ok {
			os.Args = os.Args[1:]
		}
	}
	if !ok {
		names := slices.Sorted(maps.Keys(programs))
		fmt.Fprintf(os.Stderr, "controlplane: call it by one of the names %s, or give one as the first argument\n",
			strings.Join(names, ", "))
		os.Exit(2)
	}
	if err := becomePart(); err != nil {
		fmt.Fprintf(os.Stderr, "controlplane: %v\n", err)
		os.Exit(2)
	}
	os.Exit(run())
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

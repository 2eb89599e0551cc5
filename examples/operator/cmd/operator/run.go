package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientconfig "sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
)

// run is the process of a run's pod.
func run(args []string) int {
	options, err := runOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 64
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return int(runner.Run(ctx, options))
}

func runOptions(args []string) (runner.Options, error) {
	options := runner.Options{
		Namespace: os.Getenv("POD_NAMESPACE"), Pod: os.Getenv("POD_NAME"), PodUID: types.UID(os.Getenv("POD_UID")),
		Log: os.Stdout,
	}
	var kind, stateSecret string
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.StringVar(&options.Environment, "environment", "", "the `name` of the Environment, in the namespace $POD_NAMESPACE")
	flags.Int64Var(&options.Serial, "serial", 0, "the `number` of the run")
	flags.StringVar(&kind, "kind", "", "Update, Preview, DriftCheck or Destroy")
	flags.StringVar(&stateSecret, "state-secret", "", "the `name` of the Secret with the state")
	flags.StringVar(&options.Lease, "lease", "", "the `name` of the Lease")
	flags.DurationVar(&options.Grace, "grace", 50*time.Second, "how long Pulumi may take to end what is under way")
	flags.StringVar(&options.Inputs, "inputs", "/inputs", "the `folder` of the inputs")
	flags.StringVar(&options.Program, "program", "/program", "the `folder` of a program that is in the image")
	flags.StringVar(&options.Passphrase, "passphrase", "/passphrase", "the `folder` of the passphrase")
	flags.StringVar(&options.Token, "token", "/var/run/secrets/kubernetes.io/serviceaccount/token", "the `file` of the account's token, which no text may contain")
	flags.StringVar(&options.Work, "work", "/work", "a `folder` to write to")
	flags.StringVar(&options.TerminationLog, "termination-log", "/dev/termination-log", "the `file` of the termination message")
	if err := flags.Parse(args); err != nil {
		return options, err
	}
	options.Kind = v1alpha1.OperationKind(kind)
	if limit := os.Getenv("MEMORY_LIMIT"); limit != "" {
		var err error
		if options.MemoryLimit, err = strconv.ParseInt(limit, 10, 64); err != nil || options.MemoryLimit < 0 {
			return options, fmt.Errorf("$MEMORY_LIMIT is %q, which is no number of bytes", limit)
		}
	}
	named := v1alpha1.Environment{}
	named.Name = options.Environment
	if options.Lease == "" {
		options.Lease = named.LeaseName()
	}
	for flag, missing := range map[string]bool{
		"--environment": options.Environment == "", "--serial": options.Serial < 1, "--kind": kind == "",
		"$POD_NAMESPACE": options.Namespace == "", "$POD_NAME": options.Pod == "", "$POD_UID": options.PodUID == "",
	} {
		if missing {
			return options, fmt.Errorf("%s is missing: the controller gives it to the pod of a run", flag)
		}
	}
	if stateSecret != "" && stateSecret != named.StateSecretName() {
		return options, fmt.Errorf("the state of the Environment %s is in %s, not in %s", options.Environment, named.StateSecretName(), stateSecret)
	}
	config, err := clientconfig.GetConfig()
	if err != nil {
		return options, fmt.Errorf("find the API server: %w", err)
	}
	config.QPS, config.Burst = 20, 40
	options.Client, err = client.New(config, client.Options{Scheme: clientgoscheme.Scheme})
	return options, err
}

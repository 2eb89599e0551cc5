package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientconfig "sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
)

// manageState is for people: it exports and imports the state of an Environment, and ends a run that does not end.
func manageState(args []string) int {
	const usage = "usage: operator state export|import|cancel --namespace <namespace> --environment <name> [--kubeconfig <file>]"
	if len(args) == 0 || !slices.Contains([]string{"export", "import", "cancel"}, args[0]) {
		_, _ = fmt.Fprintln(os.Stderr, usage)
		return 64
	}
	flags := flag.NewFlagSet("state "+args[0], flag.ContinueOnError)
	namespace := flags.String("namespace", "default", "the `namespace` of the Environment")
	environment := flags.String("environment", "", "the `name` of the Environment")
	if config := flag.Lookup(clientconfig.KubeconfigFlagName); config != nil {
		flags.Var(config.Value, clientconfig.KubeconfigFlagName, config.Usage)
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 64
	}
	if *environment == "" {
		_, _ = fmt.Fprintln(os.Stderr, usage)
		return 64
	}
	if err := doWithState(context.Background(), args[0], *namespace, *environment, os.Stdin, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func doWithState(ctx context.Context, verb, namespace, environment string, in io.Reader, out io.Writer) error {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	config, err := clientconfig.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	switch verb {
	case "export":
		exported, err := runner.Export(ctx, direct, namespace, environment)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\n", exported)
		return err
	case "import":
		exported, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		return runner.Import(ctx, direct, namespace, environment, exported)
	default:
		pod, err := runner.Cancel(ctx, direct, namespace, environment)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "cancelled: %s\n", cmp.Or(pod, "no run"))
		return err
	}
}

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
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientconfig "sigs.k8s.io/controller-runtime/pkg/client/config"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
)

const stateUsage = `usage: operator state export|import|cancel --namespace <namespace> --environment <name> [--kubeconfig <file>]
       operator state move --namespace <namespace> --environment <name> [--to-class <class>] [--to-namespace <namespace>] [--to-environment <name>]`

// stateOf says whose state it is about, and where that is to go.
type stateOf struct {
	types.NamespacedName

	to destination
}

// manageState is for people: it exports, imports and moves the state of an Environment, and ends a run that does not end.
func manageState(args []string) int {
	if len(args) == 0 || !slices.Contains([]string{"export", "import", "cancel", "move"}, args[0]) {
		_, _ = fmt.Fprintln(os.Stderr, stateUsage)
		return 64
	}
	var of stateOf
	flags := flag.NewFlagSet("state "+args[0], flag.ContinueOnError)
	flags.StringVar(&of.Namespace, "namespace", "default", "the `namespace` of the Environment")
	flags.StringVar(&of.Name, "environment", "", "the `name` of the Environment")
	if args[0] == "move" {
		of.to.flags(flags)
	}
	if config := flag.Lookup(clientconfig.KubeconfigFlagName); config != nil {
		flags.Var(config.Value, clientconfig.KubeconfigFlagName, config.Usage)
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 64
	}
	if of.Name == "" || flags.NArg() > 0 {
		_, _ = fmt.Fprintln(os.Stderr, stateUsage)
		return 64
	}
	if err := doWithState(context.Background(), args[0], of, os.Stdin, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func doWithState(ctx context.Context, verb string, of stateOf, in io.Reader, out io.Writer) error {
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
		exported, err := runner.Export(ctx, direct, of.Namespace, of.Name)
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
		return runner.Import(ctx, direct, of.Namespace, of.Name, exported)
	case "move":
		return of.to.move(ctx, direct, of.NamespacedName, out)
	default:
		pod, err := runner.Cancel(ctx, direct, of.Namespace, of.Name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "cancelled: %s\n", cmp.Or(pod, "no run"))
		return err
	}
}

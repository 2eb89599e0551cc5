package converter

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// Usage is what the converter understands.
const Usage = "Write, after `pulumi import --from k8sconnect --`, one of\n" +
	"  namespace NAME [-l SELECTOR]\n" +
	"  release NAME -n NAMESPACE\n" +
	"  stack FILE\n" +
	"  terraform FILE\n" +
	"each with [--kinds KIND,KIND] [--kubeconfig FILE] [--context NAME]."

// selection has the objects to import, and warnings about the others.
type selection struct {
	objects []manifest.Identity
	// addresses are the names that the resources of objects have had, where they have come from a state of Terraform.
	addresses map[manifest.Identity]string
	warnings  []string
}

// arguments are the parsed arguments of one command.
type arguments struct {
	// source is the word that says where the objects are found, and name which one: a namespace, a release, a file.
	source, name string

	namespace string
	selector  string
	kinds     []string

	connection connect.Connection
}

// sources find objects, by the word that selects them.
var sources = map[string]func(context.Context, *cluster.Cluster, arguments) (selection, error){
	sourceNamespace: findInNamespace,
	sourceRelease:   findInRelease,
	sourceStack:     findInStack,
	sourceTerraform: findInTerraform,
}

const (
	sourceNamespace = "namespace"
	sourceRelease   = "release"
	sourceStack     = "stack"
	sourceTerraform = "terraform"
)

// find lists what a command asks for.
func (s *server) find(ctx context.Context, args []string) (selection, error) {
	parsed, err := parse(args)
	if err != nil {
		return selection{}, err
	}
	clu, err := s.registry.Get(parsed.connection)
	if err != nil {
		return selection{}, err
	}
	found, err := sources[parsed.source](ctx, clu, parsed)
	if err != nil {
		subject := fmt.Sprintf("the objects of %s %s", parsed.source, parsed.name)
		return selection{}, failure.Explain(clu.ExplainNotServed(ctx, err), failure.Operation{Verb: "find", Subject: subject, Server: clu.Server()})
	}
	return found, nil
}

// parse reads the arguments. Flags may be before and after the words.
func parse(args []string) (arguments, error) {
	var parsed arguments
	var kinds, kubeconfig string
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, name := range []string{"l", "selector"} {
		flags.StringVar(&parsed.selector, name, "", "")
	}
	for _, name := range []string{"n", "namespace"} {
		flags.StringVar(&parsed.namespace, name, "", "")
	}
	flags.StringVar(&kinds, "kinds", "", "")
	flags.StringVar(&kubeconfig, "kubeconfig", "", "")
	flags.StringVar(&parsed.connection.Context, "context", "", "")
	var words []string
	for rest := args; ; rest = flags.Args()[1:] {
		if err := flags.Parse(rest); err != nil {
			return arguments{}, misuse(err.Error())
		}
		if flags.NArg() == 0 {
			break
		}
		words = append(words, flags.Arg(0))
	}
	if len(words) != 2 || words[1] == "" || sources[words[0]] == nil {
		return arguments{}, misuse("two words say what to import")
	}
	parsed.source, parsed.name, parsed.connection.Kubeconfig = words[0], words[1], connect.NewSecret(kubeconfig)
	for kind := range strings.SplitSeq(kinds, ",") {
		if kind = strings.TrimSpace(kind); kind != "" {
			parsed.kinds = append(parsed.kinds, kind)
		}
	}
	return parsed, parsed.check()
}

// check says which flags do not belong together.
func (a arguments) check() error {
	_, err := labels.Parse(a.selector)
	switch {
	case err != nil:
		return misuse("-l is not a label selector: " + err.Error())
	case a.name == "-":
		return misuse("Pulumi passes no standard input to a converter: write a file")
	case a.selector != "" && a.source != sourceNamespace:
		return misuse("-l is only for a namespace")
	case a.namespace != "" && a.source != sourceRelease:
		return misuse("-n is only for a release")
	case a.namespace == "" && a.source == sourceRelease:
		return misuse("-n is missing, the namespace of the release")
	}
	return nil
}

func misuse(why string) error {
	return failure.Errorf(failure.ReasonInvalid, "the arguments after -- are not understood: %s.\n%s", why, Usage)
}

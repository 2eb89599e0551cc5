package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// destination says whose state it will be: an Environment's, or that of an object of a class, which has an Environment of its own.
type destination struct {
	types.NamespacedName

	class string
}

func (d *destination) flags(flags *flag.FlagSet) {
	flags.StringVar(&d.Namespace, "to-namespace", "", "the `namespace` of the Environment that goes on with the state, or of the object of the class; by default that of the first")
	flags.StringVar(&d.Name, "to-environment", "", "the `name` of the Environment that goes on with the state, or of the object of the class; by default that of the first")
	flags.StringVar(&d.class, "to-class", "", "the `class` of the object that goes on with the state")
}

// move moves a state, and says which objects it has.
func (d *destination) move(ctx context.Context, direct client.Client, from types.NamespacedName, out io.Writer) error {
	to := types.NamespacedName{Namespace: cmp.Or(d.Namespace, from.Namespace), Name: cmp.Or(d.Name, from.Name)}
	project := ""
	if d.class != "" {
		var err error
		if to, project, err = environmentOf(ctx, direct, d.class, to); err != nil {
			return fmt.Errorf("move the state of %s: %w", from, err)
		}
	}
	moved, err := runner.Move(ctx, direct, from, to, project)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "moved to %s: %d resources\n", to, len(moved))
	for _, object := range moved {
		if err == nil {
			_, err = fmt.Fprintf(out, "  %s\n", object)
		}
	}
	return err
}

// environmentOf is the Environment that an object of a class has or gets, and the project of its program, which is that of the newest
// revision.
func environmentOf(ctx context.Context, direct client.Client, name string, object types.NamespacedName) (types.NamespacedName, string, error) {
	of := &v1alpha1.EnvironmentClass{}
	if err := direct.Get(ctx, client.ObjectKey{Name: name}, of); err != nil {
		return object, "", err
	}
	if backend := of.Spec.Template.Backend; backend != nil && backend.URL != "" {
		return object, "", fmt.Errorf("the class %s has its states in %s, not in Secrets. Move it there by `pulumi stack rename` and `pulumi stack import`", name, backend.URL)
	}
	environment := types.NamespacedName{Namespace: of.Spec.Namespace, Name: class.EnvironmentName(of, object)}
	if of.Spec.Template.Program.Image != "" {
		return environment, "", nil // Only the run will see what project it is.
	}
	if of.Status.Revision == "" {
		return object, "", fmt.Errorf("the class %s has no program yet: kubectl get environmentclass %[1]s says why. Move the state when it has", name)
	}
	kept := &corev1.ConfigMap{}
	if err := direct.Get(ctx, client.ObjectKey{Namespace: of.Spec.Namespace, Name: of.Status.Revision}, kept); err != nil {
		return object, "", fmt.Errorf("read the program of the class %s: %w", name, err)
	}
	newest, err := class.Open(name, kept)
	if err != nil {
		return object, "", err
	}
	program, err := stack.Project(newest.Files, stack.Name(environment.Namespace, environment.Name))
	if err != nil {
		return object, "", fmt.Errorf("read the program of the class %s: %w", name, err)
	}
	return environment, program.Name.String(), nil
}

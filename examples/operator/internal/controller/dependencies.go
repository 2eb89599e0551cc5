package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// observeDependencies looks at the Environments that this one depends on, or if it is to go at those that depend on it.
func (r *Reconciler) observeDependencies(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	var err error
	if !environment.DeletionTimestamp.IsZero() {
		observed.Dependents, err = r.dependents(ctx, environment)
		return err
	}
	for _, name := range environment.Dependencies() {
		other, err := r.other(ctx, environment, name)
		if err != nil {
			return err
		}
		observed.Dependencies = append(observed.Dependencies, dependencyOn(name, other))
	}
	observed.Circle, err = r.way(ctx, environment, environment.Name)
	return err
}

// other is another Environment of the namespace, nil if there is none.
func (r *Reconciler) other(ctx context.Context, environment *v1alpha1.Environment, name string) (*v1alpha1.Environment, error) {
	other := &v1alpha1.Environment{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: name}, other)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return other, nil
}

// dependencyOn is what matters of an Environment to one that depends on it. Conditions of another generation say nothing of this one.
func dependencyOn(name string, other *v1alpha1.Environment) plan.Dependency {
	if other == nil {
		return plan.Dependency{Name: name, Missing: true}
	}
	condition := func(kind string) metav1.Condition {
		if found := meta.FindStatusCondition(other.Status.Conditions, kind); found != nil && found.ObservedGeneration == other.Generation {
			return *found
		}
		return metav1.Condition{}
	}
	dependency := plan.Dependency{
		Name: name, Deleted: !other.DeletionTimestamp.IsZero(),
		Ready:   condition(v1alpha1.ConditionReady).Status == metav1.ConditionTrue,
		Stalled: condition(v1alpha1.ConditionStalled).Status == metav1.ConditionTrue,
	}
	if !dependency.Ready {
		says := cmp.Or(condition(v1alpha1.ConditionReady).Message, condition(v1alpha1.ConditionSuspended).Message)
		says, _, _ = strings.Cut(says, "\n")
		dependency.Says = shorten(says)
	}
	return dependency
}

// way leads from an Environment to a name by what each depends on.
func (r *Reconciler) way(ctx context.Context, environment *v1alpha1.Environment, to string) ([]string, error) {
	var failed error
	way := plan.Way(environment.Name, to, func(name string) []string {
		if name == environment.Name {
			return environment.Dependencies()
		}
		other, err := r.other(ctx, environment, name)
		failed = errors.Join(failed, err)
		if other == nil {
			return nil
		}
		return other.Dependencies()
	})
	return way, failed
}

// dependents are the names of the Environments that depend on this one. Those in a circle with it would wait for each other forever.
func (r *Reconciler) dependents(ctx context.Context, environment *v1alpha1.Environment) ([]string, error) {
	var all v1alpha1.EnvironmentList
	err := r.Client.List(ctx, &all, client.InNamespace(environment.Namespace), client.MatchingFields{indexDependencies: environment.Name})
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range all.Items {
		back, err := r.way(ctx, environment, all.Items[i].Name)
		if err != nil {
			return nil, err
		}
		if len(back) == 0 {
			names = append(names, all.Items[i].Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// byDependency finds the Environments for which it matters what becomes of this one: those that depend on it, and those that wait for it
// to go.
func (r *Reconciler) byDependency(ctx context.Context, object client.Object) []reconcile.Request {
	requests := r.byIndex(indexDependencies)(ctx, object)
	environment := object.(*v1alpha1.Environment)
	for _, name := range environment.Dependencies() {
		if other, err := r.other(ctx, environment, name); err == nil && other != nil && !other.DeletionTimestamp.IsZero() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(other)})
		}
	}
	return requests
}

// mattersToOthers leaves out what is about the Environment alone, such as its history and which pod works on it.
func mattersToOthers(update event.UpdateEvent) bool {
	before, after := update.ObjectOld.(*v1alpha1.Environment), update.ObjectNew.(*v1alpha1.Environment)
	return before.Generation != after.Generation || !equality.Semantic.DeepEqual(before.Status.LastApplied, after.Status.LastApplied) ||
		!equality.Semantic.DeepEqual(before.Status.Conditions, after.Status.Conditions)
}

// observeConfigFrom looks which values the outputs have that are configuration.
func (r *Reconciler) observeConfigFrom(ctx context.Context, environment *v1alpha1.Environment) (map[string]inputs.Value, *plan.Problem, error) {
	values := map[string]inputs.Value{}
	for _, key := range slices.Sorted(maps.Keys(environment.Spec.ConfigFrom)) {
		from := environment.Spec.ConfigFrom[key].EnvironmentRef
		digests, err := r.outputDigests(ctx, environment, from.Name)
		if err != nil {
			return nil, nil, err
		}
		digest, has := digests[from.Output]
		if !has {
			return nil, missingOutput(from, key, slices.Sorted(maps.Keys(digests))), nil
		}
		values[key] = outputValue(from, digest)
	}
	return values, nil, nil
}

func outputValue(from v1alpha1.OutputReference, digest string) inputs.Value {
	return inputs.Value{Environment: from.Name, Output: from.Output, Digest: digest}
}

func missingOutput(from v1alpha1.OutputReference, wantedBy string, has []string) *plan.Problem {
	return &plan.Problem{Reason: "InputsMissing", Message: fmt.Sprintf(
		"Environment %s has no output %q, which spec.configFrom.%s names. It has: %s.", from.Name, from.Output, wantedBy,
		cmp.Or(strings.Join(has, ", "), "none"))}
}

// outputDigests are those of the outputs of another Environment, by their names. They are read when its state has another version than
// the one that was read last.
func (r *Reconciler) outputDigests(ctx context.Context, environment *v1alpha1.Environment, other string) (map[string]string, error) {
	named := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: other}}
	metadata, err := r.metadataOf(ctx, "Secret", environment.Namespace, named.StateSecretName())
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	version := string(metadata.UID) + "/" + metadata.ResourceVersion
	return r.remember(environment, metadata.Name, version, func() (secretDigests, error) {
		head, err := r.outputsOf(ctx, environment, other)
		if head == nil {
			return secretDigests{}, err
		}
		digests := map[string]string{}
		for name, output := range head.Outputs {
			if digests[name], err = digestOf(head, output); err != nil {
				return secretDigests{}, err
			}
		}
		return secretDigests{version: version, digests: digests}, nil
	})
}

// outputsOf is the head of another Environment, nil if there is none that can be read. What is wrong with it that one says.
func (r *Reconciler) outputsOf(ctx context.Context, environment *v1alpha1.Environment, other string) (*state.Head, error) {
	head, err := state.New(r.Direct, environment.Namespace, other).ReadHead(ctx)
	if apierrors.IsNotFound(err) || errors.Is(err, state.ErrForeign) || errors.Is(err, state.ErrDamaged) {
		return nil, nil
	}
	return head, err
}

// digestOf is the digest of an output. One that becomes a secret is another value.
func digestOf(head *state.Head, output state.Output) (string, error) {
	encoded, err := json.Marshal(output)
	return inputs.Digest(head.UID(), encoded), err
}

// gatherOutputs adds outputs of other Environments to the configuration: with their types, and secret where they are secret there.
func (r *Reconciler) gatherOutputs(
	ctx context.Context, environment *v1alpha1.Environment, gathered *inputs.Inputs,
) (map[string]inputs.Value, *plan.Problem, error) {
	values, heads := map[string]inputs.Value{}, map[string]*state.Head{}
	for _, key := range slices.Sorted(maps.Keys(environment.Spec.ConfigFrom)) {
		from := environment.Spec.ConfigFrom[key].EnvironmentRef
		head, read := heads[from.Name]
		if !read {
			var err error
			if head, err = r.outputsOf(ctx, environment, from.Name); err != nil {
				return nil, nil, err
			}
			heads[from.Name] = head
		}
		if head == nil {
			return nil, missingOutput(from, key, nil), nil
		}
		output, has := head.Outputs[from.Output]
		if !has {
			return nil, missingOutput(from, key, slices.Sorted(maps.Keys(head.Outputs))), nil
		}
		digest, err := digestOf(head, output)
		if err != nil {
			return nil, nil, err
		}
		values[key] = outputValue(from, digest)
		text, err := textOf(output.Value)
		switch {
		case err != nil:
			return nil, nil, fmt.Errorf("output %q of Environment %s: %w", from.Output, from.Name, err)
		case output.Secret:
			gathered.SecretConfig[key] = string(text)
		default:
			if gathered.Config[key], err = json.Marshal(output.Value); err != nil {
				return nil, nil, err
			}
		}
	}
	return values, nil, nil
}

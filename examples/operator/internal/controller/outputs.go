package controller

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// observeOutputs looks whether the Secret with the outputs is as the head says: it may not have been written yet, it may have
// been deleted or edited. Both are read only when one of them is not of the version that was compared last.
func (r *Reconciler) observeOutputs(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	applied, reference := environment.Status.LastApplied, environment.Status.OutputsSecretRef
	if environment.Status.CurrentOperation != nil || !environment.DeletionTimestamp.IsZero() || applied == nil || reference == nil {
		return nil
	}
	name := environment.OutputsSecretName()
	metadata, err := r.metadataOf(ctx, "Secret", environment.Namespace, name)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if err == nil && r.memory.get(client.ObjectKeyFromObject(environment)).outputs == comparison(applied, metadata.ResourceVersion) {
		return nil
	}
	if err := r.readHead(ctx, observed); err != nil || observed.Head == nil {
		return err
	}
	var present corev1.Secret
	err = r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: name}, &present)
	if apierrors.IsNotFound(err) {
		observed.OutputsDue = true
		return nil
	}
	if err != nil {
		return err
	}
	if !ownership.IsOutputs(&present, environment) {
		observed.OutputsProblem = &plan.Problem{Reason: "OutputsNotWritten", Message: fmt.Sprintf(
			"Secret %s is not of this Environment, so the outputs are not written to it. Delete it, or choose another spec.outputsSecretName.", name)}
		return nil
	}
	wanted, err := outputsSecret(environment, observed.Head)
	if err != nil {
		return err
	}
	observed.OutputsDue = !maps.EqualFunc(present.Data, wanted.Data, bytes.Equal) || !metav1.IsControlledBy(&present, environment)
	if !observed.OutputsDue {
		r.rememberOutputs(environment, &present)
	}
	return nil
}

// comparison names what was compared.
func comparison(applied *v1alpha1.Applied, version string) string {
	return strconv.FormatInt(applied.Serial, 10) + "/" + version
}

func (r *Reconciler) rememberOutputs(environment *v1alpha1.Environment, secret *corev1.Secret) {
	r.memory.set(client.ObjectKeyFromObject(environment), func(known *remembered) {
		known.outputs = comparison(environment.Status.LastApplied, secret.ResourceVersion)
	})
}

// outputsSecret has all outputs: strings as they are, everything else as JSON.
func outputsSecret(environment *v1alpha1.Environment, head *state.Head) (*corev1.Secret, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: environment.Namespace, Name: environment.OutputsSecretName(),
		Labels:          ownership.Labels(environment.Name, ""),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(environment, v1alpha1.GroupVersion.WithKind("Environment"))},
	}, Data: map[string][]byte{}}
	for name, output := range head.Outputs {
		text, err := textOf(output.Value)
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", name, err)
		}
		secret.Data[name] = text
	}
	return secret, nil
}

// textOf is an output as a text: a string as it is, everything else as JSON.
func textOf(value any) ([]byte, error) {
	if text, isText := value.(string); isText {
		return []byte(text), nil
	}
	return json.Marshal(value)
}

// writeOutputs makes the Secret with the outputs what the head says. One of another owner is left alone.
func (r *Reconciler) writeOutputs(ctx context.Context, environment *v1alpha1.Environment, head *state.Head) error {
	wanted, err := outputsSecret(environment, head)
	if err != nil {
		return err
	}
	err = r.Direct.Create(ctx, wanted, client.FieldOwner(FieldManager))
	if !apierrors.IsAlreadyExists(err) {
		if err == nil {
			r.rememberOutputs(environment, wanted)
		}
		return err
	}
	var present corev1.Secret
	if err := r.Direct.Get(ctx, client.ObjectKeyFromObject(wanted), &present); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !ownership.IsOutputs(&present, environment) {
		return errLookAgain
	}
	changed := present.DeepCopy()
	changed.Data, changed.OwnerReferences = wanted.Data, wanted.OwnerReferences
	if err := r.Direct.Update(ctx, changed, client.FieldOwner(FieldManager)); err != nil {
		return err
	}
	r.rememberOutputs(environment, changed)
	return nil
}

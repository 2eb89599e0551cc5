package controller

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// observeNames looks whether objects of others have the names of the state and its passphrase. Whose the Lease is, which is watched by
// label alone, is seen when a run is to begin.
func (r *Reconciler) observeNames(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	for name, part := range map[string]string{
		environment.StateSecretName():      v1alpha1.PartHead,
		environment.PassphraseSecretName(): v1alpha1.PartPassphrase,
	} {
		isTaken, err := r.isTaken(ctx, environment, name, part)
		if err != nil {
			return err
		}
		if isTaken && (observed.NameTaken == nil || part == v1alpha1.PartHead) {
			observed.NameTaken = taken("Secret", name, ownership.Labels(environment.Name, part))
		}
	}
	return nil
}

// isTaken says whether a Secret has the name of a part of an Environment's state and is not that.
func (r *Reconciler) isTaken(ctx context.Context, environment *v1alpha1.Environment, name, part string) (bool, error) {
	metadata, err := r.metadataOf(ctx, "Secret", environment.Namespace, name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && !ownership.IsPart(metadata, environment.Name, part), err
}

func taken(kind, name string, belongs map[string]string) *plan.Problem {
	return &plan.Problem{Reason: plan.ReasonNameTaken, Message: fmt.Sprintf(
		"%s %s is not of this Environment, which needs the name. It is left as it is, and nothing runs. Delete it or give it another name; "+
			"if it was restored from a backup without its labels, give it these: %s.", kind, name, labels.FormatLabels(belongs))}
}

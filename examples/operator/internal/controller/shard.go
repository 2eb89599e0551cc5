package controller

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// Several controllers share the work if their selectors select other namespaces. The one to which a namespace comes continues what
// the other has begun: all that it needs to know is in the status. While both believe that a namespace is theirs, the API server
// refuses the second write of each status.

// isSharded says whether there is a selector.
func (r *Reconciler) isSharded() bool {
	return r.Options.Namespaces != nil && !r.Options.Namespaces.Empty()
}

// isOurs says whether this controller looks after a namespace.
func (r *Reconciler) isOurs(ctx context.Context, namespace string) (bool, error) {
	if !r.isSharded() {
		return true, nil
	}
	metadata, err := r.metadataOf(ctx, "Namespace", "", namespace)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && r.Options.Namespaces.Matches(labels.Set(metadata.Labels)), err
}

// environments lists those that this controller looks after.
func (r *Reconciler) environments(ctx context.Context) ([]v1alpha1.Environment, error) {
	var all v1alpha1.EnvironmentList
	if err := r.Client.List(ctx, &all); err != nil {
		return nil, err
	}
	known, ours := map[string]bool{}, all.Items[:0]
	for _, environment := range all.Items {
		is, asked := known[environment.Namespace]
		if !asked {
			var err error
			if is, err = r.isOurs(ctx, environment.Namespace); err != nil {
				return nil, err
			}
			known[environment.Namespace] = is
		}
		if is {
			ours = append(ours, environment)
		}
	}
	return ours, nil
}

// letGo forgets an Environment that another controller looks after.
func (r *Reconciler) letGo(name types.NamespacedName) {
	r.settleSlot(name, plan.Decision{})
	r.memory.forget(name)
}

// watchNamespaces looks at the Environments of a namespace when its labels change.
func (r *Reconciler) watchNamespaces(building *ctrl.Builder) *ctrl.Builder {
	if !r.isSharded() {
		return building
	}
	return building.WatchesMetadata(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(r.within), builder.WithPredicates(predicate.LabelChangedPredicate{}))
}

// within finds the Environments of a namespace.
func (r *Reconciler) within(ctx context.Context, namespace client.Object) []reconcile.Request {
	var environments v1alpha1.EnvironmentList
	if err := r.Client.List(ctx, &environments, client.InNamespace(namespace.GetName())); err != nil {
		return nil // the cache has stopped
	}
	requests := make([]reconcile.Request, len(environments.Items))
	for i := range environments.Items {
		requests[i].NamespacedName = client.ObjectKeyFromObject(&environments.Items[i])
	}
	return requests
}

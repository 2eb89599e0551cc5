package controller

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/drift"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// setupDrift has the kinds watched of which Environments want that.
func (r *Reconciler) setupDrift(manager ctrl.Manager) (err error) {
	notify := func(ctx context.Context, name types.NamespacedName) {
		changed := &v1alpha1.Environment{}
		changed.Namespace, changed.Name = name.Namespace, name.Name
		select {
		case r.wake <- event.GenericEvent{Object: changed}:
		case <-ctx.Done():
		}
	}
	r.drift, err = drift.New(manager.GetConfig(), manager.GetRESTMapper(), r.Options.Namespace, notify)
	if err != nil {
		return err
	}
	return manager.Add(r.drift)
}

// observeWatched asks the watches about the objects of the Environment.
func (r *Reconciler) observeWatched(_ context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	key, detection := client.ObjectKeyFromObject(environment), environment.Spec.DriftDetection
	if detection == nil || !detection.Watch || !environment.DeletionTimestamp.IsZero() {
		r.drift.Want(key, nil)
		return nil
	}
	r.drift.Want(key, objectsOf(environment))
	if seen, known := r.drift.See(key); known {
		observed.Watched = &plan.Watched{
			Digest: seen.Digest, Objects: seen.Objects, NotWatched: seen.NotWatched, Missing: seen.Missing, Touched: seen.Touched, Quiet: seen.Quiet,
		}
	}
	return nil
}

// objectsOf are the objects that the status names, each once.
func objectsOf(environment *v1alpha1.Environment) (objects []drift.Object) {
	named := map[drift.Object]bool{}
	for _, resource := range environment.Status.Resources {
		if resource.Kind == "" || resource.ObjectName == "" || resource.UID == "" {
			continue
		}
		object := drift.Object{
			GroupVersionKind: schema.FromAPIVersionAndKind(resource.APIVersion, resource.Kind),
			NamespacedName:   types.NamespacedName{Namespace: resource.Namespace, Name: resource.ObjectName},
		}
		if !named[object] {
			named[object] = true
			objects = append(objects, object)
		}
	}
	return objects
}

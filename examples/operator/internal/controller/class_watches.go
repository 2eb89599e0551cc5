package controller

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// setupClasses registers the two controllers of classes.
func (r *Reconciler) setupClasses(manager ctrl.Manager) error {
	instances := &instanceReconciler{Reconciler: r, watches: &instanceWatches{cache: manager.GetCache(), watched: map[string]bool{}}, waits: make(chan event.GenericEvent, 1024)}
	running, err := controller.NewTyped("instance", manager, controller.TypedOptions[instanceRequest]{
		Reconciler: instances, MaxConcurrentReconciles: r.Options.Reconciles,
	})
	if err != nil {
		return err
	}
	instances.watches.controller = running
	for _, watch := range []source.TypedSource[instanceRequest]{
		source.TypedKind(manager.GetCache(), &v1alpha1.Environment{}, handler.TypedEnqueueRequestsFromMapFunc(instanceOfEnvironment)),
		source.TypedKind(manager.GetCache(), metadataKind("Secret"), handler.TypedEnqueueRequestsFromMapFunc(instances.bySecretOfTenant)),
		source.TypedKind(manager.GetCache(), &v1alpha1.EnvironmentClass{}, handler.TypedEnqueueRequestsFromMapFunc(instances.allOf)),
		source.TypedKind(manager.GetCache(), metadataKind("Namespace"), handler.TypedEnqueueRequestsFromMapFunc(instances.within),
			predicate.TypedLabelChangedPredicate[*metav1.PartialObjectMetadata]{}),
	} {
		if err := running.Watch(watch); err != nil {
			return err
		}
	}
	lookups := newLookups()
	return ctrl.NewControllerManagedBy(manager).
		Named("class").
		For(&v1alpha1.EnvironmentClass{}).
		Watches(&v1alpha1.Environment{}, handler.EnqueueRequestsFromMapFunc(byClass)).
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, handler.EnqueueRequestsFromMapFunc(byClass)).
		WatchesMetadata(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.byProgramOfClass)).
		WatchesMetadata(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.byPullSecret)).
		WatchesRawSource(source.Channel(instances.waits, &handler.EnqueueRequestForObject{})).
		WatchesRawSource(source.Channel(lookups.ended, &handler.EnqueueRequestForObject{})).
		Complete(&ClassReconciler{Reconciler: r, instances: instances, lookups: lookups})
}

func metadataKind(kind string) *metav1.PartialObjectMetadata {
	metadata := &metav1.PartialObjectMetadata{}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(kind))
	return metadata
}

// byClass finds the class that made an object.
func byClass(_ context.Context, object client.Object) []reconcile.Request {
	name := object.GetLabels()[v1alpha1.LabelClass]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: name}}}
}

// byProgramOfClass finds the classes whose program or revision a ConfigMap is.
func (r *Reconciler) byProgramOfClass(ctx context.Context, program client.Object) []reconcile.Request {
	return append(byClass(ctx, program), r.classes(ctx, func(of *v1alpha1.EnvironmentClass) bool {
		return of.Spec.Namespace == program.GetNamespace() && of.Spec.Template.Program.ConfigMapRef.Name == program.GetName()
	})...)
}

// byPullSecret finds the classes that pull their program with a Secret.
func (r *Reconciler) byPullSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	return r.classes(ctx, func(of *v1alpha1.EnvironmentClass) bool {
		return pullSecret(of) == client.ObjectKeyFromObject(secret)
	})
}

func (r *Reconciler) classes(ctx context.Context, wanted func(*v1alpha1.EnvironmentClass) bool) []reconcile.Request {
	var classes v1alpha1.EnvironmentClassList
	if err := r.Client.List(ctx, &classes); err != nil {
		return nil // the cache has stopped
	}
	var requests []reconcile.Request
	for i := range classes.Items {
		if of := &classes.Items[i]; wanted(of) {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: of.Name}})
		}
	}
	return requests
}

// instanceOfEnvironment finds the object that an Environment is for.
func instanceOfEnvironment(_ context.Context, environment *v1alpha1.Environment) []instanceRequest {
	name := environment.Labels[v1alpha1.LabelClass]
	if name == "" {
		return nil
	}
	return []instanceRequest{{Class: name, NamespacedName: class.InstanceOf(environment)}}
}

// bySecretOfTenant finds the objects that name a Secret, the one that a copy is for, and those whose outputs another Secret is in the way of.
func (r *instanceReconciler) bySecretOfTenant(ctx context.Context, secret *metav1.PartialObjectMetadata) []instanceRequest {
	if name := secret.Labels[v1alpha1.LabelClass]; name != "" {
		return []instanceRequest{{Class: name, NamespacedName: class.InstanceOf(secret)}}
	}
	object, mayBeOutputs := strings.CutSuffix(secret.Name, class.OutputsSuffix)
	return r.instances(ctx, func(of *v1alpha1.EnvironmentClass) bool { return mayBeOutputs || len(of.Spec.Secrets) > 0 }, secret.Namespace,
		func(of *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured) bool {
			if mayBeOutputs && instance.GetName() == object {
				return true
			}
			for _, from := range class.Secrets(of, instance) {
				if from.Name == secret.Name {
					return true
				}
			}
			return false
		})
}

// allOf finds the objects of a class that has changed: whether they may have an Environment, and which.
func (r *instanceReconciler) allOf(ctx context.Context, changed *v1alpha1.EnvironmentClass) []instanceRequest {
	return r.instances(ctx, func(of *v1alpha1.EnvironmentClass) bool { return of.Name == changed.Name }, "",
		func(*v1alpha1.EnvironmentClass, *unstructured.Unstructured) bool { return true })
}

// within finds the objects of a namespace whose labels have changed: whether their classes are for it.
func (r *instanceReconciler) within(ctx context.Context, namespace *metav1.PartialObjectMetadata) []instanceRequest {
	return r.instances(ctx, func(of *v1alpha1.EnvironmentClass) bool { return of.Spec.Namespaces != nil }, namespace.Name,
		func(*v1alpha1.EnvironmentClass, *unstructured.Unstructured) bool { return true })
}

// instances finds objects of classes whose kinds are watched.
func (r *instanceReconciler) instances(
	ctx context.Context, ofClass func(*v1alpha1.EnvironmentClass) bool, namespace string, wanted func(*v1alpha1.EnvironmentClass, *unstructured.Unstructured) bool,
) []instanceRequest {
	var classes v1alpha1.EnvironmentClassList
	if err := r.Client.List(ctx, &classes); err != nil {
		return nil // the cache has stopped
	}
	var requests []instanceRequest
	for i := range classes.Items {
		of := &classes.Items[i]
		if !ofClass(of) || !r.watches.has(of.Name) {
			continue
		}
		all := &unstructured.UnstructuredList{}
		all.SetGroupVersionKind(of.InstanceKind())
		if err := r.Client.List(ctx, all, client.InNamespace(namespace)); err != nil {
			continue
		}
		for j := range all.Items {
			if wanted(of, &all.Items[j]) {
				requests = append(requests, instanceRequest{Class: of.Name, NamespacedName: client.ObjectKeyFromObject(&all.Items[j])})
			}
		}
	}
	return requests
}

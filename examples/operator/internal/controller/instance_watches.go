package controller

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// instanceWatches are the watches of the kinds of classes. They begin when a kind is served, and end with its class.
type instanceWatches struct {
	cache      cache.Cache
	controller controller.TypedController[instanceRequest]

	mutex   sync.Mutex
	watched map[string]bool
}

// watch begins to watch the kind of a class.
func (r *instanceReconciler) watch(of *v1alpha1.EnvironmentClass) error {
	w := r.watches
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.watched[of.Name] {
		return nil
	}
	name, kind := of.Name, &unstructured.Unstructured{}
	kind.SetGroupVersionKind(of.InstanceKind())
	requests := func(_ context.Context, instance *unstructured.Unstructured) []instanceRequest {
		return []instanceRequest{{Class: name, NamespacedName: types.NamespacedName{Namespace: instance.GetNamespace(), Name: instance.GetName()}}}
	}
	if err := w.controller.Watch(source.TypedKind(w.cache, kind, handler.TypedEnqueueRequestsFromMapFunc(requests))); err != nil {
		return err
	}
	w.watched[of.Name] = true
	return nil
}

// forget ends the watch of a kind that goes away.
func (r *instanceReconciler) forget(ctx context.Context, of *v1alpha1.EnvironmentClass) {
	w := r.watches
	w.mutex.Lock()
	defer w.mutex.Unlock()
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(of.InstanceKind())
	_ = w.cache.RemoveInformer(ctx, kind) // An informer that is not there is fine.
	delete(w.watched, of.Name)
}

func (w *instanceWatches) has(class string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.watched[class]
}

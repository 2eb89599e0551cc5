package state

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
)

// Release lets go of the state: it stays, and whoever wants to may delete it. A second time it does nothing.
func (s *Store) Release(ctx context.Context) error { return s.forAll(ctx, s.release) }

// Delete removes the state. The head goes last, so that a Delete that was interrupted can be repeated.
func (s *Store) Delete(ctx context.Context) error {
	return s.forAll(ctx, func(ctx context.Context, object client.Object) error { return s.remove(ctx, object) })
}

func (s *Store) forAll(ctx context.Context, do func(context.Context, client.Object) error) error {
	parts, err := s.chunks(ctx)
	if err != nil {
		return err
	}
	for i := range parts {
		if err := do(ctx, &parts[i]); err != nil {
			return err
		}
	}
	head := &metav1.PartialObjectMetadata{}
	head.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	err = s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: s.name}, head)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the state %s/%s: %w", s.namespace, s.name, err)
	}
	if !ownership.IsPart(head, s.environment, v1alpha1.PartHead) {
		return nil
	}
	return do(ctx, head)
}

// remove deletes an object unless it was changed since it was read.
func (s *Store) remove(ctx context.Context, object client.Object) error {
	if object.GetDeletionTimestamp() == nil {
		uid, version := object.GetUID(), object.GetResourceVersion()
		err := s.client.Delete(ctx, object, client.Preconditions{UID: &uid, ResourceVersion: &version})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("delete Secret %s/%s: %w", object.GetNamespace(), object.GetName(), err)
		}
		object.SetResourceVersion("") // the deletion has changed it
	}
	return s.release(ctx, object)
}

// release removes the finalizer. It finds nothing to do where someone else has.
func (s *Store) release(ctx context.Context, object client.Object) error {
	if !controllerutil.ContainsFinalizer(object, v1alpha1.StateFinalizer) {
		return nil
	}
	// Naming the uid makes the API server refuse another object of this name.
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q,"$deleteFromPrimitiveList/finalizers":[%q]}}`, object.GetUID(), v1alpha1.StateFinalizer)
	err := s.client.Patch(ctx, object, client.RawPatch(types.StrategicMergePatchType, patch))
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("remove the finalizer from Secret %s/%s: %w", object.GetNamespace(), object.GetName(), err)
	}
	return nil
}

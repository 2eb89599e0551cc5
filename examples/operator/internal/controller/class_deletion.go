package controller

import (
	"context"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// end lets a class go once no object of its kind exists. Until then it is what their deletion needs.
func (r *ClassReconciler) end(ctx context.Context, of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus) (time.Duration, error) {
	if !controllerutil.ContainsFinalizer(of, v1alpha1.ClassFinalizer) {
		return 0, nil
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	err := r.Direct.Get(ctx, types.NamespacedName{Name: of.DefinitionName()}, definition)
	defined := err == nil && class.IsOf(of.Name, definition)
	if client.IgnoreNotFound(err) != nil {
		return 0, err
	}
	if defined {
		left := &unstructured.UnstructuredList{}
		left.SetGroupVersionKind(of.InstanceKind())
		if err := r.Direct.List(ctx, left); err != nil {
			return 0, err
		}
		if len(left.Items) > 0 {
			r.waits(of, status, class.WaitsForObjects(of, left.Items))
			return lookAgain, r.instances.watch(of)
		}
	}
	// Also where the definition was deleted by force: their runs need the revisions.
	if environments, err := r.environmentsOf(ctx, of); err != nil {
		return 0, err
	} else if len(environments) > 0 {
		r.waits(of, status, class.WaitsForEnvironments(of, environments))
		return lookAgain, nil
	}
	if defined {
		r.instances.forget(ctx, of)
		if err := r.deleteDefinition(ctx, definition); err != nil {
			return 0, err
		}
	}
	if err := r.forgetRevisions(ctx, of, nil, ""); err != nil {
		return 0, err
	}
	changed := of.DeepCopy()
	controllerutil.RemoveFinalizer(changed, v1alpha1.ClassFinalizer)
	err = r.Direct.Patch(ctx, changed, client.MergeFromWithOptions(of, client.MergeFromWithOptimisticLock{}), client.FieldOwner(FieldManager))
	return 0, client.IgnoreNotFound(err)
}

// deleteDefinition deletes a definition that has no objects, and says to the policy that this is meant.
func (r *ClassReconciler) deleteDefinition(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition) error {
	changed := definition.DeepCopy()
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, v1alpha1.AnnotationAllowDeletion, "true")
	if err := r.Direct.Patch(ctx, changed, client.MergeFrom(definition), client.FieldOwner(FieldManager)); err != nil {
		return client.IgnoreNotFound(err)
	}
	return client.IgnoreNotFound(r.Direct.Delete(ctx, changed, client.Preconditions{UID: &definition.UID}))
}

// waits says what a deleted class waits for. The kind is served meanwhile, and no revision is rolled out any more.
func (r *ClassReconciler) waits(of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus, message string) {
	r.says(of, status, v1alpha1.ConditionReady, metav1.ConditionTrue, "Deleting", message)
	r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "Deleting", message)
}

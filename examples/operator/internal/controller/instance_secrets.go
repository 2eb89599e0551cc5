package controller

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
)

// A pod cannot read Secrets of another namespace, and a tenant may read none of the platform team. So what the tenant names is copied to
// where the runs are, and the outputs are copied back.

// copySecrets copies the values that an object names to where the runs are. It returns what is missing.
func (r *instanceReconciler) copySecrets(ctx context.Context, of *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured) (string, error) {
	named := class.Secrets(of, instance)
	values := map[string][]byte{}
	for _, property := range slices.Sorted(maps.Keys(named)) {
		var secret corev1.Secret
		from := named[property]
		err := r.Direct.Get(ctx, client.ObjectKey{Namespace: instance.GetNamespace(), Name: from.Name}, &secret)
		if apierrors.IsNotFound(err) {
			return missing("Secret", from.Name, "spec."+property).Message, nil
		}
		if err != nil {
			return "", err
		}
		if problem := notConfiguration(&secret, "spec."+property); problem != nil {
			return problem.Message, nil
		}
		value, has := secret.Data[from.Key]
		if !has {
			return missingKey(from, "spec."+property, slices.Sorted(maps.Keys(secret.Data))).Message, nil
		}
		values[property] = value
	}
	wanted := class.CopiedSecret(of, instance, values)
	found := &corev1.Secret{}
	err := r.Direct.Get(ctx, client.ObjectKeyFromObject(wanted), found)
	switch {
	case apierrors.IsNotFound(err) && len(values) == 0:
		return "", nil
	case apierrors.IsNotFound(err):
		return "", r.Direct.Create(ctx, wanted, client.FieldOwner(FieldManager))
	case err != nil:
		return "", err
	case !class.IsFor(of, client.ObjectKeyFromObject(instance), found):
		return fmt.Sprintf("The Secret %s/%s is not of this object. It was not touched.", found.Namespace, found.Name), nil
	case reflect.DeepEqual(found.Data, wanted.Data):
		return "", nil
	}
	changed := found.DeepCopy()
	changed.Data = wanted.Data
	return "", r.Direct.Update(ctx, changed, client.FieldOwner(FieldManager))
}

// copyOutputs copies the Secret with all outputs to the namespace of an object.
func (r *instanceReconciler) copyOutputs(
	ctx context.Context, of *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured, environment *v1alpha1.Environment, status *class.Status,
) error {
	reference := environment.Status.OutputsSecretRef
	if reference == nil {
		return nil
	}
	from := &corev1.Secret{}
	if err := r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: reference.Name}, from); err != nil {
		return client.IgnoreNotFound(err) // It is being written.
	}
	if !ownership.IsOutputs(from, environment) {
		return nil // The Environment says so.
	}
	wanted := &corev1.Secret{ObjectMeta: class.Metadata(of, instance, instance.GetName()+class.OutputsSuffix), Data: from.Data}
	wanted.Namespace = instance.GetNamespace()
	wanted.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(instance, instance.GroupVersionKind())}
	found := &corev1.Secret{}
	err := r.Direct.Get(ctx, client.ObjectKeyFromObject(wanted), found)
	switch {
	case apierrors.IsNotFound(err):
		err = r.Direct.Create(ctx, wanted, client.FieldOwner(FieldManager))
	case err != nil:
	case !class.IsFor(of, client.ObjectKeyFromObject(instance), found):
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: "OutputsWritten", Status: metav1.ConditionFalse, Reason: "NameTaken", ObservedGeneration: instance.GetGeneration(),
			Message: fmt.Sprintf("The Secret %s is not of this object, so the outputs are not written to it. Delete it, or give the object another name.", found.Name),
		})
		return nil
	case !reflect.DeepEqual(found.Data, wanted.Data) || !metav1.IsControlledBy(found, instance):
		changed := found.DeepCopy()
		changed.Data, changed.OwnerReferences = wanted.Data, wanted.OwnerReferences
		err = r.Direct.Update(ctx, changed, client.FieldOwner(FieldManager))
	}
	status.OutputsSecretName = wanted.Name
	return err
}

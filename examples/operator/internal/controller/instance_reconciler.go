package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// instanceRequest names an object of a class.
type instanceRequest struct {
	Class string
	types.NamespacedName
}

// instanceReconciler gives each object of a class its Environment, and tells the tenant what becomes of it.
type instanceReconciler struct {
	*Reconciler

	watches *instanceWatches
	// waits tells a class of an object that waits, or does not wait any more, and reasons has the reasons that it was told of.
	waits   chan event.GenericEvent
	reasons sync.Map
}

// Reconcile does all that an object needs.
func (r *instanceReconciler) Reconcile(ctx context.Context, request instanceRequest) (ctrl.Result, error) {
	of := &v1alpha1.EnvironmentClass{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: request.Class}, of); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if ours, err := r.isOurs(ctx, of.Spec.Namespace); err != nil || !ours {
		return ctrl.Result{}, err
	}
	instance, err := r.read(ctx, of, request.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	r.tellClass(request, instance)
	if instance == nil {
		return ctrl.Result{}, nil
	}
	status, err := r.look(ctx, of, instance)
	if err == nil && status != nil {
		err = r.writeInstanceStatus(ctx, instance, *status)
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: conflictDelay}, nil // Decided from an old version. The new one is on its way to the cache.
	}
	if err == nil && status != nil && status.Reason() == class.ReasonEnvironmentRefused {
		return ctrl.Result{RequeueAfter: refusedDelay}, nil // What corrects it, such as a RoleBinding, is not watched.
	}
	return ctrl.Result{}, err
}

// tellClass tells a class of what its objects say, once the cache has it.
func (r *instanceReconciler) tellClass(request instanceRequest, instance *unstructured.Unstructured) {
	reason := ""
	if instance != nil {
		reason = class.WaitsFor(instance)
	}
	before, known := r.reasons.Swap(request, reason)
	if instance == nil {
		r.reasons.Delete(request)
	}
	if known && before != reason || !known && reason != "" {
		r.waits <- event.GenericEvent{Object: &v1alpha1.EnvironmentClass{ObjectMeta: metav1.ObjectMeta{Name: request.Class}}}
	}
}

// refusedDelay is when an Environment that the API server refuses is tried again.
const refusedDelay = 15 * time.Second

// look does the next thing, and returns what the tenant is told, nil for nothing new.
func (r *instanceReconciler) look(ctx context.Context, of *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured) (*class.Status, error) {
	name := client.ObjectKeyFromObject(instance)
	environment, err := r.environmentFor(ctx, of, name)
	if err != nil {
		return nil, err
	}
	says := func(reason, message string) (*class.Status, error) {
		status := class.Waits(instance, environment, reason, message)
		return &status, nil
	}
	if environment != nil && !class.IsFor(of, name, environment) {
		taken := environment
		environment = nil
		if instance.GetDeletionTimestamp() != nil {
			return nil, r.letInstanceGo(ctx, of, instance)
		}
		return says(class.ReasonNameTaken, fmt.Sprintf("The Environment %s/%s is not of this object. It was not touched.", taken.Namespace, taken.Name))
	}
	switch {
	case instance.GetDeletionTimestamp() != nil:
		return r.endInstance(ctx, of, instance, environment)
	case environment != nil && !environment.DeletionTimestamp.IsZero():
		return says("Deleting", "The Environment is being deleted. It is created again when it is gone.")
	case environment == nil && !of.DeletionTimestamp.IsZero():
		return says("ClassDeleting", fmt.Sprintf("The class %s is being deleted, so no object of this kind begins.", of.Name))
	}
	if environment == nil {
		if allowed, err := r.allows(ctx, of, instance.GetNamespace()); err != nil {
			return nil, err
		} else if !allowed {
			return says(class.ReasonNamespaceNotAllowed, fmt.Sprintf("The class %s is not for the namespace %s. Who looks after the class knows for which.", of.Name, instance.GetNamespace()))
		}
	}
	revision, problem, err := r.revisionFor(ctx, of, environment)
	if err != nil {
		return nil, err
	}
	if problem != "" {
		return says(class.ReasonRevisionMissing, problem)
	}
	if controllerutil.AddFinalizer(instance, v1alpha1.InstanceFinalizer) {
		return nil, r.patchFinalizers(ctx, instance)
	}
	if problem, err := r.copySecrets(ctx, of, instance); err != nil {
		return nil, err
	} else if problem != "" {
		return says(class.ReasonInputsMissing, problem)
	}
	written, err := r.write(ctx, of, revision, instance, environment)
	if err != nil {
		if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
			return says(class.ReasonEnvironmentRefused, "The API server refuses the Environment, which is tried again every 15 s: "+err.Error()+".")
		}
		return nil, err
	}
	status := class.StatusOf(instance, written)
	return &status, r.copyOutputs(ctx, of, instance, written, &status)
}

// environmentFor is the Environment under the name of that of an object, nil if there is none.
func (r *instanceReconciler) environmentFor(ctx context.Context, of *v1alpha1.EnvironmentClass, name types.NamespacedName) (*v1alpha1.Environment, error) {
	environment := &v1alpha1.Environment{}
	err := r.Client.Get(ctx, client.ObjectKey{Namespace: of.Spec.Namespace, Name: class.EnvironmentName(of, name)}, environment)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return environment, nil
}

// allows says whether objects of a namespace get an Environment.
func (r *instanceReconciler) allows(ctx context.Context, of *v1alpha1.EnvironmentClass, namespace string) (bool, error) {
	if of.Spec.Namespaces == nil {
		return true, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(of.Spec.Namespaces)
	if err != nil {
		return false, nil // The class is wrong, and is not for anyone.
	}
	metadata, err := r.metadataOf(ctx, "Namespace", "", namespace)
	if err != nil {
		return false, err
	}
	return selector.Matches(labels.Set(metadata.Labels)), nil
}

// update brings an object's Environment to a revision.
func (r *instanceReconciler) update(ctx context.Context, of *v1alpha1.EnvironmentClass, revision *class.Revision, instance *unstructured.Unstructured) error {
	name := client.ObjectKeyFromObject(instance)
	environment, err := r.environmentFor(ctx, of, name)
	if err != nil || environment == nil || !class.IsFor(of, name, environment) {
		return err
	}
	next := environment.DeepCopy()
	delete(next.Annotations, v1alpha1.AnnotationFailedBefore)
	if class.Fails(environment) {
		next.Annotations[v1alpha1.AnnotationFailedBefore] = revision.Name
	}
	_, err = r.write(ctx, of, revision, instance, next)
	return err
}

// write creates an Environment, or changes it if it is not as it should be.
func (r *instanceReconciler) write(
	ctx context.Context, of *v1alpha1.EnvironmentClass, revision *class.Revision, instance *unstructured.Unstructured, found *v1alpha1.Environment,
) (*v1alpha1.Environment, error) {
	withheld, err := r.withheld(ctx, of, revision, instance)
	if err != nil {
		return nil, err
	}
	wanted, err := class.Environment(of, revision, instance, withheld)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return wanted, r.Direct.Create(ctx, wanted, client.FieldOwner(FieldManager))
	}
	changed := found.DeepCopy()
	maps.Copy(changed.Annotations, wanted.Annotations)
	changed.Spec = wanted.Spec
	if reflect.DeepEqual(changed.Annotations, found.Annotations) && sameSpec(&changed.Spec, &found.Spec) {
		return found, nil
	}
	return changed, r.Direct.Update(ctx, changed, client.FieldOwner(FieldManager))
}

// sameSpec compares as JSON: values of configuration may be written in several ways.
func sameSpec(a, b *v1alpha1.EnvironmentSpec) bool {
	var decoded [2]any
	for i, spec := range []*v1alpha1.EnvironmentSpec{a, b} {
		encoded, err := json.Marshal(spec)
		if err != nil || json.Unmarshal(encoded, &decoded[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(decoded[0], decoded[1])
}

// endInstance deletes the Environment of an object that is deleted, and lets the object go when it is gone.
func (r *instanceReconciler) endInstance(
	ctx context.Context, of *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured, environment *v1alpha1.Environment,
) (*class.Status, error) {
	if environment == nil {
		// The cache may not have one yet that was just created.
		err := r.Direct.Get(ctx, client.ObjectKey{
			Namespace: of.Spec.Namespace, Name: class.EnvironmentName(of, client.ObjectKeyFromObject(instance)),
		}, &v1alpha1.Environment{})
		if apierrors.IsNotFound(err) {
			return nil, r.letInstanceGo(ctx, of, instance)
		}
		if err == nil {
			err = apierrors.NewConflict(v1alpha1.GroupVersion.WithResource("environments").GroupResource(), instance.GetName(), errLookAgain)
		}
		return nil, err
	}
	if environment.DeletionTimestamp.IsZero() {
		if err := r.Direct.Delete(ctx, environment, client.Preconditions{UID: &environment.UID}); client.IgnoreNotFound(err) != nil {
			return nil, err
		}
	}
	status := class.StatusOf(instance, environment)
	return &status, nil
}

// letInstanceGo removes what is left of an object, and its finalizer.
func (r *instanceReconciler) letInstanceGo(ctx context.Context, of *v1alpha1.EnvironmentClass, instance *unstructured.Unstructured) error {
	name := client.ObjectKeyFromObject(instance)
	secret := &corev1.Secret{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: of.Spec.Namespace, Name: class.SecretName(class.EnvironmentName(of, name))}, secret)
	if err == nil && class.IsFor(of, name, secret) {
		err = r.Direct.Delete(ctx, secret, client.Preconditions{UID: &secret.UID})
	}
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if !controllerutil.RemoveFinalizer(instance, v1alpha1.InstanceFinalizer) {
		return nil
	}
	return client.IgnoreNotFound(r.patchFinalizers(ctx, instance))
}

func (r *instanceReconciler) patchFinalizers(ctx context.Context, instance *unstructured.Unstructured) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": instance.GetResourceVersion(), "finalizers": instance.GetFinalizers(),
	}})
	if err != nil {
		return err
	}
	return r.Direct.Patch(ctx, instance, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(FieldManager))
}

// read is an object of a class as a copy, nil if it is gone.
func (r *instanceReconciler) read(ctx context.Context, of *v1alpha1.EnvironmentClass, name types.NamespacedName) (*unstructured.Unstructured, error) {
	instance := &unstructured.Unstructured{}
	instance.SetGroupVersionKind(of.InstanceKind())
	if err := r.Client.Get(ctx, name, instance); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	return instance, nil
}

// waiting are the objects of a class that do not get as far as their Environments, by their names with the reasons.
func (r *instanceReconciler) waiting(ctx context.Context, of *v1alpha1.EnvironmentClass) (map[types.NamespacedName]string, error) {
	if !r.watches.has(of.Name) {
		return nil, nil
	}
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(of.InstanceKind())
	if err := r.Client.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil { // They are read alone.
		return nil, err
	}
	waiting := map[types.NamespacedName]string{}
	for i := range all.Items {
		if reason := class.WaitsFor(&all.Items[i]); reason != "" {
			name := client.ObjectKeyFromObject(&all.Items[i])
			waiting[name] = fmt.Sprintf("%s (%s)", name, reason)
		}
	}
	return waiting, nil
}

func labelsOf(object client.Object) labels.Set { return labels.Set(object.GetLabels()) }

func (r *instanceReconciler) writeInstanceStatus(ctx context.Context, instance *unstructured.Unstructured, status class.Status) error {
	before := class.Status{}
	if found, has := instance.Object["status"]; has {
		encoded, err := json.Marshal(found)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(encoded, &before); err != nil {
			before = class.Status{} // It is not as the operator writes it, and is replaced.
		}
	}
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		if condition.LastTransitionTime.IsZero() {
			condition.LastTransitionTime = metav1.NewTime(r.Clock.Now())
			if was := meta.FindStatusCondition(before.Conditions, condition.Type); was != nil && was.Status == condition.Status {
				condition.LastTransitionTime = was.LastTransitionTime
			}
		}
	}
	encoded, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/resourceVersion", "value": instance.GetResourceVersion()},
		{"op": "add", "path": "/status", "value": status},
	})
	if err != nil {
		return err
	}
	if same(before, status) {
		return nil
	}
	err = r.Direct.Status().Patch(ctx, instance, client.RawPatch(types.JSONPatchType, encoded), client.FieldOwner(FieldManager))
	return client.IgnoreNotFound(err)
}

// same compares two statuses as they are stored.
func same(a, b class.Status) bool {
	first, err := json.Marshal(a)
	if err != nil {
		return false
	}
	second, err := json.Marshal(b)
	return err == nil && string(first) == string(second)
}

package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// ClassReconciler looks after classes: their kinds, their revisions, and which Environment gets the newest one when. What becomes of the
// objects of the kinds is for the instanceReconciler.
type ClassReconciler struct {
	*Reconciler

	instances *instanceReconciler
	lookups   *lookups
}

// lookAgain is how long until something is looked at again that no watch tells of.
const lookAgain = 5 * time.Second

// Reconcile does all that a class needs.
func (r *ClassReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	of := &v1alpha1.EnvironmentClass{}
	if err := r.Client.Get(ctx, request.NamespacedName, of); err != nil {
		r.lookups.forget(request.Name)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if ours, err := r.isOurs(ctx, of.Spec.Namespace); err != nil || !ours {
		return ctrl.Result{}, err
	}
	status := *of.Status.DeepCopy()
	status.ObservedGeneration = of.Generation
	after, err := r.look(ctx, of, &status)
	if err == nil {
		err = r.writeClassStatus(ctx, of, status)
	}
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: conflictDelay}, nil // Decided from an old version. The new one is on its way to the cache.
	}
	return ctrl.Result{RequeueAfter: after}, err
}

func (r *ClassReconciler) look(ctx context.Context, of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus) (time.Duration, error) {
	if !of.DeletionTimestamp.IsZero() {
		return r.end(ctx, of, status)
	}
	if !controllerutil.ContainsFinalizer(of, v1alpha1.ClassFinalizer) {
		changed := of.DeepCopy()
		controllerutil.AddFinalizer(changed, v1alpha1.ClassFinalizer)
		return 0, r.Direct.Patch(ctx, changed, client.MergeFromWithOptions(of, client.MergeFromWithOptimisticLock{}), client.FieldOwner(FieldManager))
	}
	if of.Spec.Schema != nil {
		if served, err := r.serve(ctx, of, nil, status); err != nil || !served {
			return lookAgain, err
		}
	}
	newest, err := r.revise(ctx, of, status)
	if err != nil {
		return lookAgain, err
	}
	if of.Spec.Schema == nil {
		if served, err := r.serve(ctx, of, newest, status); err != nil || !served {
			return lookAgain, err
		}
	}
	if newest == nil {
		return lookAgain, nil
	}
	r.compare(of, newest.Revision, status)
	if meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionReady) {
		newest.before = "The kind is served as before, as Ready says. " + newest.before
	}
	return newest.after, r.rollOut(ctx, of, newest, status)
}

// serve makes the kind. While a class is wrong, or has no schema and no program that it could be made of, the kind is served as it was.
func (r *ClassReconciler) serve(
	ctx context.Context, of *v1alpha1.EnvironmentClass, newest *revision, status *v1alpha1.EnvironmentClassStatus,
) (bool, error) {
	var program *class.Revision
	if of.Spec.Schema == nil {
		if newest == nil {
			because := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionRolledOut)
			return r.refuse(ctx, of, status, because.Reason, "The class has no schema, so its kind is made of the program. "+because.Message), nil
		}
		program = newest.Revision
	}
	wanted, err := class.Definition(of, program)
	if err != nil {
		return r.refuse(ctx, of, status, "ClassInvalid", err.Error()+"."), nil
	}
	found := &apiextensionsv1.CustomResourceDefinition{}
	err = r.Direct.Get(ctx, client.ObjectKeyFromObject(wanted), found)
	switch {
	case apierrors.IsNotFound(err):
		err = r.Direct.Create(ctx, wanted, client.FieldOwner(FieldManager))
		found = wanted
	case err != nil:
	case !class.IsOf(of.Name, found):
		return r.refuse(ctx, of, status, "NameTaken", fmt.Sprintf(
			"The CustomResourceDefinition %s exists, and this class did not make it. It was not touched. Choose another kind, or delete it.", found.Name)), nil
	case equality.Semantic.DeepEqual(found.Spec.Versions, defaulted(wanted, found)):
	case class.Narrowing(found, wanted) != "":
		return r.refuse(ctx, of, status, "SchemaNarrowed",
			class.Narrowing(found, wanted)+". Objects that exist would lose it or be invalid, so the kind is served as before. Undo that, or make another class."), nil
	default:
		changed := found.DeepCopy()
		changed.Spec.Versions = wanted.Spec.Versions
		err = r.Direct.Update(ctx, changed, client.FieldOwner(FieldManager))
		found = changed
	}
	if apierrors.IsInvalid(err) {
		return r.refuse(ctx, of, status, "ClassInvalid", "The API server refuses the definition of the kind: "+err.Error()+"."), nil
	}
	if err != nil {
		return false, err
	}
	if !isEstablished(found) {
		const message = "The API server does not serve the kind yet."
		r.says(of, status, v1alpha1.ConditionReady, metav1.ConditionFalse, "Progressing", message)
		r.says(of, status, v1alpha1.ConditionServed, metav1.ConditionFalse, "Progressing", message)
		return false, nil
	}
	message := fmt.Sprintf("Tenants create objects of the kind %s of %s.", of.Spec.Kind.Kind, v1alpha1.InstanceGroupVersion)
	r.says(of, status, v1alpha1.ConditionReady, metav1.ConditionTrue, "Served", message)
	r.says(of, status, v1alpha1.ConditionServed, metav1.ConditionTrue, "Served", message)
	return true, r.instances.watch(of)
}

// refuse says why the kind cannot be as the class says, and whether it is served as the class was before, with which it goes on.
func (r *ClassReconciler) refuse(
	ctx context.Context, of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus, reason, message string,
) bool {
	r.says(of, status, v1alpha1.ConditionReady, metav1.ConditionFalse, reason, message)
	found := &apiextensionsv1.CustomResourceDefinition{}
	err := r.Direct.Get(ctx, types.NamespacedName{Name: of.DefinitionName()}, found)
	served := err == nil && class.IsOf(of.Name, found) && isEstablished(found) && r.instances.watch(of) == nil
	if served {
		r.says(of, status, v1alpha1.ConditionServed, metav1.ConditionTrue, "AsBefore", fmt.Sprintf(
			"Tenants create objects of the kind %s of %s, as the class was before: the condition Ready says why.", of.Spec.Kind.Kind, v1alpha1.InstanceGroupVersion))
	} else {
		r.says(of, status, v1alpha1.ConditionServed, metav1.ConditionFalse, reason, message)
	}
	return served
}

// defaulted are the versions of a wanted definition as the API server would store them, as far as it defaults them.
func defaulted(wanted, found *apiextensionsv1.CustomResourceDefinition) []apiextensionsv1.CustomResourceDefinitionVersion {
	versions := wanted.DeepCopy().Spec.Versions
	if len(found.Spec.Versions) == len(versions) {
		for i := range versions {
			versions[i].Schema = normalized(versions[i].Schema)
		}
	}
	return versions
}

// normalized is a schema after a way through JSON, as one that was read.
func normalized(schema *apiextensionsv1.CustomResourceValidation) *apiextensionsv1.CustomResourceValidation {
	encoded, err := json.Marshal(schema)
	read := &apiextensionsv1.CustomResourceValidation{}
	if err != nil || json.Unmarshal(encoded, read) != nil {
		return schema
	}
	return read
}

func isEstablished(definition *apiextensionsv1.CustomResourceDefinition) bool {
	for _, condition := range definition.Status.Conditions {
		if condition.Type == apiextensionsv1.Established {
			return condition.Status == apiextensionsv1.ConditionTrue
		}
	}
	return false
}

// rollOut gives the newest revision to those whose turn it is.
func (r *ClassReconciler) rollOut(ctx context.Context, of *v1alpha1.EnvironmentClass, newest *revision, status *v1alpha1.EnvironmentClassStatus) error {
	environments, err := r.environmentsOf(ctx, of)
	if err != nil {
		return err
	}
	first, err := metav1.LabelSelectorAsSelector(of.Spec.Rollout.First)
	if err != nil {
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "ClassInvalid", fmt.Sprintf("spec.rollout.first is no selector: %v.", err))
		return nil
	}
	waiting, err := r.instances.waiting(ctx, of)
	if err != nil {
		return err
	}
	members, instances := []class.Member{}, map[string]*unstructured.Unstructured{}
	status.Environments, status.Updated, status.Ready = 0, 0, 0
	for i := range environments {
		environment := &environments[i]
		instance, err := r.instances.read(ctx, of, class.InstanceOf(environment))
		if err != nil {
			return err
		}
		if environment.Name != class.EnvironmentName(of, class.InstanceOf(environment)) {
			continue // A copy by a person.
		}
		if instance == nil || instance.GetDeletionTimestamp() != nil || !environment.DeletionTimestamp.IsZero() {
			continue
		}
		member := memberOf(environment, newest.Revision)
		member.First = of.Spec.Rollout.First != nil && first.Matches(labelsOf(instance))
		members, instances[member.Instance] = append(members, member), instance
		status.Environments++
		status.Updated += count(member.Updated)
		status.Ready += count(environment.State() == v1alpha1.StateReady && waiting[class.InstanceOf(environment)] == "")
	}
	next := class.Plan(members, of.Spec.Rollout)
	next.Message = class.SayWaiting(next.Message, slices.Collect(maps.Values(waiting)), status.Environments)
	for _, name := range next.Update {
		if err := r.instances.update(ctx, of, newest.Revision, instances[name]); err != nil {
			return err
		}
	}
	status.Updated += int32(len(next.Update)) //nolint:gosec // There are not so many.
	failing := slices.Concat(next.Failing, next.FailingAsBefore)
	status.Failing = failing[:min(len(failing), 10)]
	switch {
	case next.Stopped:
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "Stopped", newest.before+next.Message)
	case newest.reason != "":
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, newest.reason, newest.before+next.Message)
	case next.Done:
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionTrue, "RolledOut", newest.before+next.Message)
	default:
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "Progressing", newest.before+next.Message)
	}
	if next.Done {
		return r.forgetRevisions(ctx, of, environments, newest.Name)
	}
	return nil
}

func memberOf(environment *v1alpha1.Environment, newest *class.Revision) class.Member {
	return class.Member{
		Instance:     class.InstanceOf(environment).String(),
		Updated:      environment.Annotations[v1alpha1.AnnotationRevision] == newest.Name,
		Ready:        environment.State() == v1alpha1.StateReady,
		Failing:      class.Fails(environment),
		FailedBefore: environment.Annotations[v1alpha1.AnnotationFailedBefore] == newest.Name,
	}
}

func count(holds bool) int32 {
	if holds {
		return 1
	}
	return 0
}

// environmentsOf are the Environments of a class.
func (r *ClassReconciler) environmentsOf(ctx context.Context, of *v1alpha1.EnvironmentClass) ([]v1alpha1.Environment, error) {
	var all v1alpha1.EnvironmentList
	err := r.Client.List(ctx, &all, client.InNamespace(of.Spec.Namespace), client.MatchingLabels{v1alpha1.LabelClass: of.Name})
	return all.Items, err
}

// forgetRevisions deletes those that no Environment is on.
func (r *ClassReconciler) forgetRevisions(ctx context.Context, of *v1alpha1.EnvironmentClass, environments []v1alpha1.Environment, newest string) error {
	used := map[string]bool{newest: true}
	for i := range environments {
		used[environments[i].Spec.Program.ConfigMapRef.Name] = true
		used[environments[i].Annotations[v1alpha1.AnnotationRevision]] = true
	}
	kept := &metav1.PartialObjectMetadataList{}
	kept.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	if err := r.Client.List(ctx, kept, client.InNamespace(of.Spec.Namespace), client.MatchingLabels{v1alpha1.LabelClass: of.Name}); err != nil {
		return err
	}
	for i := range kept.Items {
		one := &kept.Items[i]
		if used[one.Name] || !strings.HasPrefix(one.Name, of.Name+"-") {
			continue
		}
		if err := r.Direct.Delete(ctx, one, client.Preconditions{UID: &one.UID}); client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// says sets a condition.
func (r *ClassReconciler) says(
	of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus, kind string, holds metav1.ConditionStatus, reason, message string,
) {
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: kind, Status: holds, Reason: reason, Message: shorten(message), ObservedGeneration: of.Generation, LastTransitionTime: metav1.NewTime(r.Clock.Now()),
	})
}

func (r *ClassReconciler) writeClassStatus(ctx context.Context, of *v1alpha1.EnvironmentClass, status v1alpha1.EnvironmentClassStatus) error {
	if reflect.DeepEqual(of.Status, status) {
		return nil
	}
	changed := of.DeepCopy()
	changed.Status = status
	err := r.Direct.Status().Patch(ctx, changed, client.MergeFromWithOptions(of, client.MergeFromWithOptimisticLock{}), client.FieldOwner(FieldManager))
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	for _, event := range classEvents(&of.Status, &status) {
		r.say(of, event)
	}
	return nil
}

package controller

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// indexApprovals finds Approvals by the names of their Environments.
const indexApprovals = "environment"

func approves(object client.Object) []string {
	return []string{object.(*v1alpha1.Approval).Spec.EnvironmentRef.Name}
}

// byApproval finds the Environment that an Approval is about.
func byApproval(_ context.Context, object client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: approves(object)[0]}}}
}

// approvals are those of an Environment, also of one that is gone.
func (r *Reconciler) approvals(ctx context.Context, environment types.NamespacedName) ([]v1alpha1.Approval, error) {
	if !r.Options.Approvals {
		return nil, nil
	}
	var all v1alpha1.ApprovalList
	err := r.Client.List(ctx, &all, client.InNamespace(environment.Namespace), client.MatchingFields{indexApprovals: environment.Name})
	return all.Items, err
}

// observeApprovals looks which plans are approved. One that is deleted approves nothing any more, and one that was there before its
// Environment is of another one.
func (r *Reconciler) observeApprovals(ctx context.Context, observed *plan.Observed) error {
	all, err := r.approvals(ctx, client.ObjectKeyFromObject(observed.Environment))
	for i := range all {
		if all[i].DeletionTimestamp == nil && !isOfNobody(&all[i]) {
			observed.Approvals = append(observed.Approvals, all[i].Spec.Plan)
		}
	}
	return err
}

func isOfNobody(approval *v1alpha1.Approval) bool {
	used := meta.FindStatusCondition(approval.Status.Conditions, v1alpha1.ConditionUsed)
	return used != nil && used.Reason == v1alpha1.ApprovalOfNobody
}

// tellApprovals says to the Approvals of an Environment what became of them.
func (r *Reconciler) tellApprovals(ctx context.Context, environment *v1alpha1.Environment) error {
	all, err := r.approvals(ctx, client.ObjectKeyFromObject(environment))
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].DeletionTimestamp != nil || isOfNobody(&all[i]) {
			continue
		}
		if err := r.tellApproval(ctx, &all[i], plan.OfApproval(environment, &all[i])); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reconciler) tellApproval(ctx context.Context, approval *v1alpha1.Approval, says *metav1.Condition) error {
	if says == nil {
		return nil
	}
	changed := approval.DeepCopy()
	says.ObservedGeneration, says.LastTransitionTime = approval.Generation, metav1.NewTime(r.Clock.Now())
	if !meta.SetStatusCondition(&changed.Status.Conditions, *says) {
		return nil
	}
	return client.IgnoreNotFound(r.Direct.Status().Patch(
		ctx, changed, client.MergeFromWithOptions(approval, client.MergeFromWithOptimisticLock{}), client.FieldOwner(FieldManager)))
}

// deleteApprovals removes those of an Environment that is gone: another one of its name is another matter. One that nobody was there for
// says so, and stays.
func (r *Reconciler) deleteApprovals(ctx context.Context, environment types.NamespacedName) error {
	all, err := r.approvals(ctx, environment)
	if err != nil {
		return err
	}
	for i := range all {
		if len(all[i].Status.Conditions) == 0 || isOfNobody(&all[i]) {
			err = r.tellNobody(ctx, &all[i], environment)
		} else {
			err = client.IgnoreNotFound(r.Client.Delete(ctx, &all[i], client.Preconditions{UID: &all[i].UID}))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tellNobody says to an Approval that there is no such Environment.
func (r *Reconciler) tellNobody(ctx context.Context, approval *v1alpha1.Approval, environment types.NamespacedName) error {
	// The cache may not have an Environment yet that was just created.
	if err := r.Direct.Get(ctx, environment, &v1alpha1.Environment{}); !apierrors.IsNotFound(err) {
		return err
	}
	return r.tellApproval(ctx, approval, &metav1.Condition{
		Type: v1alpha1.ConditionUsed, Status: metav1.ConditionFalse, Reason: v1alpha1.ApprovalOfNobody, Message: fmt.Sprintf(
			"There is no Environment %s in this namespace. This Approval never counts, also if one is created. Delete it.", environment.Name),
	})
}

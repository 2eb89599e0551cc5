package controller

import (
	"context"

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

// observeApprovals looks which plans are approved. One that is deleted approves nothing any more.
func (r *Reconciler) observeApprovals(ctx context.Context, observed *plan.Observed) error {
	all, err := r.approvals(ctx, client.ObjectKeyFromObject(observed.Environment))
	for i := range all {
		if all[i].DeletionTimestamp == nil {
			observed.Approvals = append(observed.Approvals, all[i].Spec.Plan)
		}
	}
	return err
}

// deleteApprovals removes those of an Environment that is gone: another one of its name is another matter.
func (r *Reconciler) deleteApprovals(ctx context.Context, environment types.NamespacedName) error {
	all, err := r.approvals(ctx, environment)
	if err != nil {
		return err
	}
	for i := range all {
		of := client.Preconditions{UID: &all[i].UID}
		if err := client.IgnoreNotFound(r.Client.Delete(ctx, &all[i], of)); err != nil {
			return err
		}
	}
	return nil
}

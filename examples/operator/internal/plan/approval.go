package plan

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// approved says whether a plan may run. One without changes needs nobody's approval.
func (d *decision) approved(plan *v1alpha1.Plan) bool {
	if plan.Hash == v1alpha1.NoChanges || slices.Contains(d.Approvals, plan.Hash) {
		return true
	}
	return d.modeOf(plan) != v1alpha1.ApprovalReviewed && d.Environment.Annotations[v1alpha1.AnnotationApprove] == plan.Hash
}

// modeOf says who approves a plan.
func (d *decision) modeOf(plan *v1alpha1.Plan) v1alpha1.ApprovalMode { return modeOf(d.spec, plan) }

func modeOf(spec *v1alpha1.EnvironmentSpec, plan *v1alpha1.Plan) v1alpha1.ApprovalMode {
	if plan.Destroy {
		return spec.DestroyApproval
	}
	return spec.Approval
}

// OfApproval says what became of an Approval of an Environment, nil for one with which a run has begun before. A run that has begun is in
// the status until it has ended, so none is missed.
func OfApproval(environment *v1alpha1.Environment, approval *v1alpha1.Approval) *metav1.Condition {
	if meta.IsStatusConditionTrue(approval.Status.Conditions, v1alpha1.ConditionUsed) {
		return nil
	}
	says := func(status metav1.ConditionStatus, reason, message string) *metav1.Condition {
		return &metav1.Condition{Type: v1alpha1.ConditionUsed, Status: status, Reason: reason, Message: message}
	}
	plan, of := environment.Status.PendingPlan, approval.Spec.Plan
	if operation := environment.Status.CurrentOperation; operation != nil && operation.ApprovedPlan == of {
		return says(metav1.ConditionTrue, v1alpha1.ApprovalUsed, fmt.Sprintf("Run %d has begun with it.", operation.Serial))
	}
	switch {
	case plan == nil || plan.Hash == v1alpha1.NoChanges || !plan.Drift && !modeOf(&environment.Spec, plan).IsNeeded():
		return says(metav1.ConditionFalse, v1alpha1.ApprovalOfNothing, fmt.Sprintf(
			"In Environment %s, no plan waits for an approval. This one is for the plan %s.", environment.Name, of))
	case plan.Hash != of:
		return says(metav1.ConditionFalse, v1alpha1.ApprovalOfOtherPlan, fmt.Sprintf(
			"In Environment %s, the plan %s waits. This Approval is for the plan %s. Look at status.pendingPlan, and create another one.", environment.Name, plan.Hash, of))
	default:
		return says(metav1.ConditionFalse, v1alpha1.ApprovalWaiting, fmt.Sprintf(
			"The plan is approved, and its run has not begun. The condition Ready of Environment %s says why.", environment.Name))
	}
}

// approveWith is the command that approves a plan.
func (d *decision) approveWith(plan *v1alpha1.Plan) string {
	if d.modeOf(plan) == v1alpha1.ApprovalReviewed {
		return "To approve, with the ClusterRole environment-approver: kubectl create --namespace " + d.Environment.Namespace + " -f - <<< '" + d.approval(plan) + "'"
	}
	return "To approve: kubectl annotate --overwrite --namespace " + d.Environment.Namespace + " environment " + d.Environment.Name + " " +
		v1alpha1.AnnotationApprove + "=" + plan.Hash
}

// approval is the Approval of a plan.
func (d *decision) approval(plan *v1alpha1.Plan) string {
	name, _ := json.Marshal(d.Environment.Name)
	return fmt.Sprintf(`{"apiVersion":"%s","kind":"Approval","metadata":{"generateName":"%s-"},"spec":{"environmentRef":{"name":%s},"plan":"%s"}}`,
		v1alpha1.GroupVersion, d.Environment.Name, name, plan.Hash)
}

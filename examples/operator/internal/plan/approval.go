package plan

import (
	"encoding/json"
	"fmt"
	"slices"

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
func (d *decision) modeOf(plan *v1alpha1.Plan) v1alpha1.ApprovalMode {
	if plan.Destroy {
		return d.spec.DestroyApproval
	}
	return d.spec.Approval
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

package plan

import (
	"fmt"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// delete brings a deleted Environment to its end.
func (d *decision) delete() {
	switch {
	case d.endEarlierRun():
	case d.orphaned():
		d.Step = KeepState
	case d.Damaged != nil:
		d.damaged()
	case d.stateLost(v1alpha1.OperationDestroy) != nil:
		d.blocked(v1alpha1.OperationDestroy)
	case !d.holdsResources():
		d.Step = DeleteState
	case d.NamespaceTerminating:
		d.deleteWithNamespace()
	case d.spec.Suspend:
		d.suspended()
	case d.waitForDependents():
	case !d.waitForRetry(v1alpha1.OperationDestroy, ""):
		d.destroy()
	}
}

// destroy destroys what the program made, or plans that first. One that has failed goes on with the plan that was approved.
func (d *decision) destroy() {
	if !d.spec.DestroyApproval.IsNeeded() {
		d.begin(v1alpha1.OperationDestroy, "")
		return
	}
	plan := d.status.PendingPlan
	switch {
	case plan == nil || !plan.Destroy:
		if !d.waitForRetry(v1alpha1.OperationDestroyPreview, "") {
			d.begin(v1alpha1.OperationDestroyPreview, "")
		}
	case d.approved(plan):
		d.begin(v1alpha1.OperationDestroy, plan.Hash)
	default:
		d.waiting("WaitingForApproval", "The Environment is deleted, and its objects are: "+describe(plan.Summary)+". "+d.approveWith(plan)+
			". To leave the objects: "+d.orphanWith())
	}
}

// orphaned says whether what the program made is to stay.
func (d *decision) orphaned() bool {
	return d.spec.OnDelete == v1alpha1.DeletionOrphan || d.Environment.Annotations[v1alpha1.AnnotationOrphan] == "true"
}

func (d *decision) orphanWith() string {
	return "kubectl annotate --namespace " + d.Environment.Namespace + " environment " + d.Environment.Name + " " +
		v1alpha1.AnnotationOrphan + "=true"
}

// holdsResources says whether there may be something to destroy.
func (d *decision) holdsResources() bool {
	if d.Head == nil || d.Head.Record.Serial == 0 {
		return false
	}
	record := d.Head.Record
	return record.Kind != v1alpha1.OperationDestroy || record.Outcome != state.Succeeded
}

// deleteWithNamespace leaves to the namespace what goes with it: no Job can be created in it any more.
func (d *decision) deleteWithNamespace() {
	record := d.Head.Record
	if record.ElsewhereCount == 0 {
		d.Step = DeleteState
		return
	}
	more := ""
	if rest := int(record.ElsewhereCount) - len(record.Elsewhere); rest > 0 {
		more = fmt.Sprintf(" and %d more", rest)
	}
	d.waiting("NamespaceTerminating", fmt.Sprintf("The namespace is being deleted, so no run can destroy what the program made outside of it: "+
		"%s%s. Delete these by hand; then let the Environment go: %s", strings.Join(record.Elsewhere, ", "), more, d.orphanWith()))
}

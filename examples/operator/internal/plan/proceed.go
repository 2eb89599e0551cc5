package plan

import (
	"fmt"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// proceed brings the current operation on.
func (d *decision) proceed(operation *v1alpha1.Operation) {
	if record := d.ended(operation.Serial); record != nil {
		d.conclude(operation, record)
		return
	}
	switch {
	case d.Damaged != nil && d.running() == nil && (d.Job == nil || d.Job.Finished):
		d.damaged()
	case d.Job == nil && operation.JobUID == "":
		d.launch(operation)
	case d.lostNode(operation):
		if d.lease(operation); d.Step != ReleaseLease {
			d.interrupted(operation)
			return
		}
		d.Slot = true
		d.reconciling(operation)
	case d.Job == nil || d.Job.Finished:
		d.interrupted(operation)
	default:
		d.watch(operation)
	}
}

// lostNode says whether the pod of a run is lost with its node. Its Job would wait for it for ever.
func (d *decision) lostNode(operation *v1alpha1.Operation) bool {
	for i := range d.Pods {
		pod := &d.Pods[i]
		if pod.Job != operation.Job || pod.Terminated || pod.Deleted.IsZero() {
			continue
		}
		if d.lost(pod) {
			return true
		}
		d.wait(pod.Deleted.Add(deletedAfter).Sub(d.Now))
	}
	return false
}

// launch creates what a run needs, one thing after the other.
func (d *decision) launch(operation *v1alpha1.Operation) {
	if d.endEarlierRun() {
		return // Its Job was deleted before the status knew it, but its pod may have begun to work.
	}
	if d.dropped(operation) {
		d.status.CurrentOperation = nil
		return
	}
	if d.spec.Suspend {
		d.suspended()
		return
	}
	if d.blocked(operation.Kind) {
		return
	}
	if d.waitForRetry(operation.Kind, operation.InputHash) || d.queued(operation.Kind) {
		return
	}
	d.Slot = true
	d.reconciling(operation)
	switch {
	case d.SerialTaken:
		d.rename(operation)
	case d.Frozen && d.Head != nil:
		d.Step = CreateJob
	case d.begun(operation):
		d.loseInputs(operation)
	default:
		d.Step = FreezeInputs
	}
}

// loseInputs gives up what cannot be continued without its inputs. What comes next sees what it has recorded.
func (d *decision) loseInputs(operation *v1alpha1.Operation) {
	message := fmt.Sprintf("The Secret %s with the inputs of run %d was removed before the run had ended. "+
		"The Environment goes on with its present inputs.", operation.InputsSecret, operation.Serial)
	d.status.CurrentOperation = nil
	d.status.LastFailure = &v1alpha1.Failure{Time: d.now(), Reason: "InputsLost", Message: message}
	d.event(true, "InputsLost", message)
}

// rename gives an operation the next serial: something else has the name of its Job or of its inputs.
func (d *decision) rename(operation *v1alpha1.Operation) {
	continues := d.continues(operation)
	operation.Serial = d.takeSerial()
	operation.Job = d.Environment.JobName(operation.Serial)
	if !continues {
		operation.InputsSecret = d.Environment.InputsSecretName(operation.Serial)
	}
}

// continues says whether a run has the inputs of an earlier one that was interrupted.
func (d *decision) continues(operation *v1alpha1.Operation) bool {
	return operation.InputsSecret != d.Environment.InputsSecretName(operation.Serial)
}

// begun says whether a run, or the one that it continues, has begun to work. Only then it has to be brought to its end.
func (d *decision) begun(operation *v1alpha1.Operation) bool {
	return d.recordOf(operation.Serial) != nil ||
		d.continues(operation) && d.Head != nil && d.Head.Record.Outcome == state.Running
}

// dropped says whether a run that has no Job is not wanted any more.
func (d *decision) dropped(operation *v1alpha1.Operation) bool {
	switch {
	case !d.begun(operation):
		return d.outdated(operation)
	case !d.deleted():
		return false
	case operation.Concluding:
		return d.left()
	default:
		return d.leaves(operation)
	}
}

// outdated says whether an operation that has not begun is not what would begin now.
func (d *decision) outdated(operation *v1alpha1.Operation) bool {
	switch {
	case operation.Kind.IsOfDeletion():
		return d.left() || d.spec.Suspend || (operation.Kind.IsPreview() || operation.ApprovedPlan == "") && operation.Kind.IsPreview() != d.spec.DestroyApproval.IsNeeded()
	case d.deleted():
		return true
	default:
		return d.spec.Suspend || operation.Request != d.requested() && operation.Kind != v1alpha1.OperationDriftCheck || d.Inputs.Problem != nil || d.Inputs.Hash != operation.InputHash ||
			operation.Generation != d.Environment.Generation || !d.mayRun(operation.Kind)
	}
}

// lookForProgress is how often a run that goes on is looked at for people.
const lookForProgress = 15 * time.Second

// watch looks at a run that goes on.
func (d *decision) watch(operation *v1alpha1.Operation) {
	d.Slot = true
	d.wait(lookForProgress)
	operation.JobUID = d.Job.UID
	d.lease(operation)
	d.reconciling(operation)
	if d.Job.Deleting {
		return
	}
	if d.deleted() && d.endsForDeletion(operation) {
		d.Step = DeleteJob
		return
	}
	if problem := d.Job.NotStarted; problem != nil {
		if !d.begun(operation) && d.outdated(operation) {
			d.Step = DeleteJob
			return
		}
		if d.Job.Outdated || d.spec.Suspend {
			// The pod has done nothing. Without a Job in the status it counts neither as interrupted nor as failed, and gets another.
			operation.JobUID = ""
			d.Step = DeleteJob
		}
		message := problem.Message
		if d.deleted() {
			message += "\nMake again what is missing, such as the account; or leave what the program made: " + d.orphanWith()
		}
		d.notReady(problem.Reason, message)
		d.Slot = false // It takes nothing that others could use, for as long as that may be.
	}
}

// endsForDeletion says whether a run is not waited for once the Environment is deleted.
func (d *decision) endsForDeletion(operation *v1alpha1.Operation) bool {
	if d.orphaned() {
		return true
	}
	return !operation.Kind.IsOfDeletion() && !operation.Concluding
}

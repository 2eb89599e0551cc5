package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// interrupted continues an operation whose run ended without a word: with its own inputs, whatever the Environment
// says now.
func (d *decision) interrupted(operation *v1alpha1.Operation) {
	if d.running() != nil {
		d.Slot = true
		d.reconciling(operation)
		d.lease(operation)
		return
	}
	if !d.begun(operation) && d.outdated(operation) {
		d.status.CurrentOperation = nil
		return
	}
	record := d.recordOf(operation.Serial)
	if record == nil && d.neverStarted() {
		operation.JobUID = "" // It gets another Job, and waits on.
		d.Step = DeleteJob
		return
	}
	if record != nil {
		d.takeResources(record)
	}
	d.remember(operation, v1alpha1.ResultInterrupted, d.now(), nil)
	if d.deleted() && d.leaves(operation) {
		d.status.CurrentOperation = nil
		return
	}

	ending := "the pod is gone"
	if d.Job != nil && d.Job.Ending != "" {
		ending = d.Job.Ending
	}
	message := fmt.Sprintf("Run %d (%s) ended before it could say how: %s.", operation.Serial, operation.Kind, ending)
	advice := " If it was out of memory, raise the limit in spec.runner.resources."
	if why := d.notReadyFor(ReasonStateNotSaved); why != "" {
		message, advice = message+" Before, it said: "+why, ""
	}
	d.event(true, "Interrupted", message)
	serial := d.takeSerial()
	next := &v1alpha1.Operation{
		Serial: serial, Kind: operation.Kind, InputHash: operation.InputHash, Generation: operation.Generation,
		InputsSecret: operation.InputsSecret, ApprovedPlan: operation.ApprovedPlan, Concluding: operation.Concluding, Request: operation.Request,
		Job: d.Environment.JobName(serial), StartedAt: d.now(),
	}
	d.status.CurrentOperation = next
	d.reconciling(next)
	if record != nil && record.Progressed {
		d.status.Retry, d.Slot = nil, true // It came further, and goes on at once.
		return
	}
	d.failed(next, "Interrupted", message+advice)
}

// neverStarted says whether a Job has spent all of its time without a pod that starts. That is no attempt that failed.
func (d *decision) neverStarted() bool {
	return d.Job != nil && d.Job.Expired && d.notReadyFor(ReasonPodNotStarted) != ""
}

// notReadyFor is what the status says so far, if it is not ready for this reason.
func (d *decision) notReadyFor(reason string) string {
	ready := meta.FindStatusCondition(d.status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.Reason != reason {
		return ""
	}
	return ready.Message
}

// leaves says whether a deleted Environment need not continue what was interrupted. What the engine had begun and not
// recorded would not be destroyed: that is concluded first, once.
func (d *decision) leaves(operation *v1alpha1.Operation) bool {
	switch {
	case d.left():
		return true
	case operation.Kind.IsOfDeletion():
		return false
	case operation.Concluding || d.Head == nil || d.Head.Record.PendingOperations == 0:
		return true
	}
	operation.Concluding = true
	return false
}

// left says whether a deleted Environment runs nothing any more: what its program made stays, or no Job can be created.
func (d *decision) left() bool { return d.orphaned() || d.NamespaceTerminating }

package plan

import (
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// restore reads from the head what a status that was lost, or that is older, does not say, such as after the restore of a
// backup. A run that goes on would change the head, so it is ended first.
func (d *decision) restore() {
	if d.Head == nil || d.Head.Record.Serial <= d.status.Serial {
		return
	}
	d.status.CurrentOperation = nil
	if d.running() != nil {
		return
	}
	record := &d.Head.Record
	d.status.Serial = record.Serial
	operation := &v1alpha1.Operation{
		Serial: record.Serial, Kind: record.Kind, InputHash: record.InputHash, Job: d.Environment.JobName(record.Serial),
		JobUID: "lost", StartedAt: record.StartedAt,
	}
	kept, isKept := d.KeptInputs[record.InputHash]
	switch {
	case record.Outcome == state.Succeeded:
		d.succeeded(operation, record)
	case record.Outcome == state.Running && isKept:
		// It is seen to be interrupted, and continued.
		operation.InputsSecret = kept
		if record.Plan != nil {
			operation.ApprovedPlan = record.Plan.Hash
		}
		d.status.CurrentOperation = operation
	}
}

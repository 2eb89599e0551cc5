package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// conclude takes what the head says of an operation into the status.
func (d *decision) conclude(operation *v1alpha1.Operation, record *state.Record) {
	d.remember(operation, string(record.Outcome), record.EndedAt, record.Summary)
	d.status.CurrentOperation = nil
	d.lookedAt(operation, record)
	switch {
	case record.Outcome == state.Succeeded:
		d.succeeded(operation, record)
		d.tellSuccess(operation, record)
		return
	case record.Reason == v1alpha1.ReasonPlanChanged && record.Plan != nil:
		plan := record.Plan.DeepCopy()
		plan.Drift = d.status.PendingPlan != nil && d.status.PendingPlan.Drift
		plan.Request, plan.Destroy = operation.Request, operation.Kind.IsOfDeletion()
		d.status.PendingPlan = plan
	case operation.Kind == v1alpha1.OperationDriftCheck:
		d.lookFailed(record)
	default:
		d.updateFailed(operation, record)
	}
	d.event(true, record.Reason, record.Message)
}

// tellSuccess says what a run did, and what now waits for a person.
func (d *decision) tellSuccess(operation *v1alpha1.Operation, record *state.Record) {
	message, forTenant := fmt.Sprintf("Run %d: %s.", operation.Serial, describe(record.Summary)), !operation.Kind.IsPreview()
	switch {
	case operation.Kind == v1alpha1.OperationDriftCheck && !record.Drifted:
		forTenant = false // Nothing has happened.
	case operation.Kind == v1alpha1.OperationDriftCheck && record.Applied:
		message += " It put drift right."
	case operation.Kind == v1alpha1.OperationDriftCheck:
		message += " Objects differ from the program, and this plan waits for approval."
	case operation.Kind.IsPreview() && d.status.PendingPlan.Hash != v1alpha1.NoChanges:
		message += " This plan waits for approval."
		forTenant = true
	}
	d.Events = append(d.Events, Event{Reason: string(operation.Kind) + "Succeeded", Message: message, ForTenant: forTenant})
}

// lookFailed is about a look for drift. It is repeated at its interval.
func (d *decision) lookFailed(record *state.Record) {
	d.takeResources(record)
	now, count := d.now(), int32(1)
	if failure := d.status.LastFailure; failure != nil && failure.Reason == record.Reason {
		count = failure.RetryCount + 1
	}
	d.status.LastDriftCheck = &now
	d.status.LastFailure = &v1alpha1.Failure{Time: now, Reason: record.Reason, Message: cut(record.Message, messageSize), RetryCount: count}
	d.setDrift(metav1.ConditionUnknown, record.Reason, record.Message)
}

// updateFailed is about everything that is repeated until it succeeds, or until the limit.
func (d *decision) updateFailed(operation *v1alpha1.Operation, record *state.Record) {
	d.takeResources(record)
	if operation.ApprovedPlan != "" && operation.Kind != v1alpha1.OperationDestroy {
		d.status.PendingPlan = nil // It has begun: what is left to do is another plan.
	}
	d.failed(operation, record.Reason, record.Message)
}

// succeeded takes what a successful operation has left.
func (d *decision) succeeded(operation *v1alpha1.Operation, record *state.Record) {
	now := d.now() // The run's own clock may be another one.
	switch operation.Kind {
	case v1alpha1.OperationPreview, v1alpha1.OperationDestroyPreview:
		if retry := d.status.Retry; retry != nil && retry.Kind == operation.Kind {
			d.status.Retry = nil // The count of failed updates goes on.
		}
		d.status.PendingPlan = record.Plan.DeepCopy()
		if record.Plan == nil {
			d.status.PendingPlan = &v1alpha1.Plan{Hash: v1alpha1.NoChanges, InputHash: operation.InputHash}
		}
		d.status.PendingPlan.Request, d.status.PendingPlan.Destroy = operation.Request, operation.Kind.IsOfDeletion()
		return
	case v1alpha1.OperationDriftCheck:
		d.status.LastDriftCheck = &now
		switch {
		case !record.Drifted:
			d.status.PendingPlan = nil
			d.setDrift(metav1.ConditionFalse, "NoDrift", "Every object is as the program says.")
		case record.Applied:
			d.status.PendingPlan = nil
			d.setDrift(metav1.ConditionFalse, "Corrected", fmt.Sprintf("Run %d put drift right: %s.", operation.Serial, describe(record.Summary)))
		default:
			d.status.PendingPlan = record.Plan.DeepCopy()
			d.setDrift(metav1.ConditionTrue, "DriftDetected", "Objects differ from the program, see status.pendingPlan. "+d.approveWith(record.Plan))
		}
	default:
		d.status.PendingPlan, d.status.LastDriftCheck = nil, &now
		d.dropDrift()
		if operation.Request != "" {
			d.status.LastRunRequest = operation.Request
		}
	}
	d.status.Retry, d.status.LastFailure = nil, nil
	if operation.Kind == v1alpha1.OperationUpdate || operation.Kind == v1alpha1.OperationDriftCheck && record.Applied {
		d.takeResources(record)
		d.takeOutputs()
		d.status.LastApplied = &v1alpha1.Applied{
			Hash: operation.InputHash, Generation: cmp.Or(operation.Generation, d.Environment.Generation), Serial: record.Serial,
			Time: now, Summary: record.Summary,
		}
	}
}

func (d *decision) takeResources(record *state.Record) {
	d.status.ResourceCount, d.status.Resources = record.ResourceCount, record.Resources
}

// takeOutputs shows those outputs that are not secret.
func (d *decision) takeOutputs() {
	d.status.Outputs = nil
	for name, output := range d.Head.Outputs {
		if output.Secret {
			continue
		}
		if d.status.Outputs == nil {
			d.status.Outputs = map[string]apiextensionsv1.JSON{}
		}
		d.status.Outputs[name] = shown(output.Value)
	}
	d.status.OutputsSecretRef = &v1alpha1.LocalObjectReference{Name: d.Environment.OutputsSecretName()}
}

// remember adds an operation that has ended to the history.
func (d *decision) remember(operation *v1alpha1.Operation, result string, ended metav1.Time, summary v1alpha1.Summary) {
	entry := v1alpha1.HistoryEntry{
		Serial: operation.Serial, Kind: operation.Kind, Result: result, StartedAt: operation.StartedAt, EndedAt: ended, Summary: summary,
	}
	d.status.History = slices.Insert(d.status.History, 0, entry)
	d.status.History = d.status.History[:min(len(d.status.History), 10)]
}

// describe is a summary as a person reads it.
func describe(summary v1alpha1.Summary) string {
	var parts []string
	for _, op := range slices.Sorted(maps.Keys(summary)) {
		if summary[op] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", summary[op], op))
		}
	}
	if parts == nil {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}

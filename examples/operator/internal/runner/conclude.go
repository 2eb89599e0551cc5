package runner

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// conclude writes the result, with the last checkpoint, into the state. From then on the operation is over.
func (r *run) conclude(life context.Context, done *result) error {
	var made map[string]state.Output
	if done.failure == nil && done.updated {
		r.addToken() // It may be another one than at the beginning.
		var err error
		if made, err = outputs(life, r.key, &r.given, done.deployment); err != nil {
			done.failure = r.asFailure(err, ReasonOutputsInvalid)
		}
	}
	var checkpoint []byte
	if r.local() && r.project != "" && done.applied {
		var err error
		if checkpoint, err = r.readCheckpoint(); err != nil {
			return err
		}
	}
	return r.save(life, func(head *state.Head) {
		record := &head.Record
		record.Outcome, record.EndedAt = state.Succeeded, metav1.Now()
		record.Applied, record.Drifted = record.Applied || done.applied, done.drifted
		record.Summary, record.Plan = done.summary, r.clean(done.plan)
		if done.failure != nil {
			record.Outcome, record.Reason = state.Failed, done.failure.reason
			record.Message = cut(r.secrets.text(done.failure.message), maximumMessage)
			if r.Kind == v1alpha1.OperationDestroy && done.applied && r.inputs.ApprovedPlan != "" {
				record.Plan = &v1alpha1.Plan{Hash: r.inputs.ApprovedPlan}
			}
		}
		if done.deployment != nil {
			inventory(record, done.deployment, r.Namespace, done.failed)
		}
		if checkpoint != nil {
			head.SetCheckpoint(checkpoint)
			head.Project = r.project
		}
		switch {
		case done.failure != nil:
		case r.Kind == v1alpha1.OperationDestroy:
			head.Outputs = nil
		case done.updated:
			head.Outputs = made
		}
	})
}

// clean takes secrets out of a plan: paths and names come from the program.
func (r *run) clean(plan *v1alpha1.Plan) *v1alpha1.Plan {
	if plan == nil {
		return nil
	}
	for i := range plan.Changes {
		change := &plan.Changes[i]
		change.Name = r.secrets.text(change.Name)
		for j := range change.Paths {
			change.Paths[j] = r.secrets.text(change.Paths[j])
		}
	}
	return plan
}

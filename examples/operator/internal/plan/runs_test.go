package plan_test

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// run is the pod of a run, which does what package runner does.
type run struct {
	operation  v1alpha1.Operation
	pod        plan.Pod
	notStarted *plan.Problem
	refused    bool // its token was, once and for all
}

// running says whether a pod has not ended.
func (r *run) running() bool { return r != nil && !r.pod.Terminated }

// runs says whether a pod runs that has rights, as far as anybody can know: one of a node that is lost does not.
func (w *world) runs() bool {
	return w.run.running() && (w.run.pod.Deleted.IsZero() || w.now.Before(w.run.pod.Deleted.Add(75*time.Second)))
}

func (r *run) deletedAt() time.Time {
	if r == nil {
		return time.Time{}
	}
	return r.pod.Deleted
}

// working says whether a pod has started and not ended.
func (r *run) working() bool { return r.running() && r.notStarted == nil }

// alive says whether a pod may still write: after its deletion, its token is refused in the end.
func (r *run) alive(w *world) bool {
	return r.working() && !r.late(w)
}

// delete gives a pod a minute. It has no more of them however often it is deleted.
func (r *run) delete(w *world) {
	if r.pod.Deleted.IsZero() {
		r.pod.Deleted = w.now.Add(time.Minute)
	}
}

// late says whether the token of a pod is refused.
func (r *run) late(w *world) bool {
	return r.refused || !r.pod.Deleted.IsZero() && !w.now.Before(r.pod.Deleted.Add(time.Minute))
}

func (r *run) holds(w *world) bool { return r != nil && w.lease != nil && w.lease.UID == r.pod.UID }

// begins is the first that a run writes. It says whether the run may write at all.
func (w *world) begins() bool {
	r := w.run
	if w.lease != nil && !r.holds(w) || w.head == nil || w.head.Record.Serial > r.operation.Serial {
		return false // It waits for the Lease, or was overtaken.
	}
	w.lease = &plan.Holder{Pod: r.pod.Name, UID: r.pod.UID}
	before := w.head.Record
	if before.Serial == r.operation.Serial {
		return before.Outcome == state.Running
	}
	head := *w.head
	head.Record = state.Record{
		Serial: r.operation.Serial, Kind: r.operation.Kind, InputHash: r.operation.InputHash, Outcome: state.Running,
		PendingOperations: before.PendingOperations, ElsewhereCount: before.ElsewhereCount, ResourceCount: before.ResourceCount,
	}
	w.head = &head
	return true
}

// saves is a checkpoint.
func (w *world) saves(pending int32) {
	if !w.begins() {
		return
	}
	head := *w.head
	head.Revision++
	head.Record.PendingOperations, head.Record.Applied, head.Record.Progressed = pending, true, true
	head.Record.ResourceCount = 1
	w.head = &head
}

// ends is a run that says how it ended.
func (w *world) ends(outcome state.Outcome, change func(*state.Record)) {
	if !w.begins() {
		w.dies()
		return
	}
	head := *w.head
	record := &head.Record
	record.Outcome, record.EndedAt, record.Summary = outcome, metav1.NewTime(w.now), v1alpha1.Summary{"same": 1}
	applies := record.Kind == v1alpha1.OperationUpdate || record.Kind == v1alpha1.OperationDestroy
	record.Applied = record.Applied || applies
	if outcome == state.Succeeded && applies {
		record.ResourceCount = 0
		if record.Kind == v1alpha1.OperationUpdate {
			record.ResourceCount = 1
		}
		record.PendingOperations, record.ElsewhereCount = 0, w.elsewhere
		head.Revision++
	}
	switch {
	case outcome == state.Failed:
		record.Reason, record.Message = string(record.Kind)+"Failed", "it did not work"
	case record.Kind.IsPreview():
		record.Plan = &v1alpha1.Plan{
			Hash: fmt.Sprintf("plan-%d", record.Serial), InputHash: record.InputHash, Summary: v1alpha1.Summary{"create": 1},
		}
	}
	if change != nil {
		change(record)
	}
	w.head, w.lease = &head, nil
	w.dies()
}

func (w *world) succeeds() { w.ends(state.Succeeded, nil) }

func (w *world) fails() { w.ends(state.Failed, nil) }

// drifts is a look that finds drift, and may not put it right.
func (w *world) drifts() {
	w.ends(state.Succeeded, func(record *state.Record) {
		if record.Kind == v1alpha1.OperationDriftCheck {
			record.Drifted = true
			record.Plan = &v1alpha1.Plan{Hash: fmt.Sprintf("plan-%d", record.Serial), InputHash: record.InputHash, Drift: true}
		}
	})
}

// replans is an approved run that sees that its plan is outdated.
func (w *world) replans() {
	if w.run.operation.ApprovedPlan == "" {
		return
	}
	w.ends(state.Failed, func(record *state.Record) {
		record.Reason = "PlanChanged"
		record.Plan = &v1alpha1.Plan{Hash: fmt.Sprintf("plan-%d", record.Serial), InputHash: record.InputHash}
	})
}

// dies is a pod that ends, with or without a word.
func (w *world) dies() {
	if !w.run.pod.Deleted.IsZero() {
		w.run = nil // The kubelet removes it.
	} else {
		w.run.pod.Terminated = true
	}
	if w.job != nil {
		w.job.finished = true
		if w.job.deleting {
			w.job = nil
		}
	}
}

// vanishes is a pod that is gone with its Job and its node.
func (w *world) vanishes() { w.job, w.run = nil, nil }

// stuck is a pod that cannot start, or can after all.
func (w *world) stuck(problem *plan.Problem) {
	if w.run.running() && (w.head == nil || w.head.Record.Serial < w.run.operation.Serial) && !w.run.holds(w) {
		w.run.notStarted = problem
	}
}

// settle decides until there is nothing to do but to wait for a person or for the next look, and plays runs that do what
// they have to.
func (w *world) settle(play func()) plan.Decision {
	for range 400 {
		decision := w.decide()
		switch {
		case w.gone:
			return decision
		case decision.Step != plan.Nothing:
		case w.run.working() && !w.run.pod.Deleted.IsZero():
			if w.run.alive(w) {
				w.saves(0)
			}
			w.dies()
		case w.run.working() && w.lease != nil && !w.run.holds(w):
			w.now = w.now.Add(max(decision.After, time.Second))
		case w.run.working():
			play()
		case decision.After > 0 && (w.operation() != nil || w.is(v1alpha1.ConditionReconciling)):
			w.now = w.now.Add(decision.After)
		default:
			return decision
		}
	}
	panic(fmt.Sprintf("it does not end: %v; %+v", slices.Compact(w.done[len(w.done)-20:]), w.environment.Status))
}

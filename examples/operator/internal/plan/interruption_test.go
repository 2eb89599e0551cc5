package plan_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// interrupted is a run that was killed after it had done something.
func interrupted(w *world) { w.starts(); w.saves(1); w.dies() }

// losesNode is a run whose pod should have ended some time ago, and of which nobody says whether it has.
func (w *world) losesNode(ago time.Duration) {
	w.starts()
	w.saves(1)
	w.rests()
	w.run.pod.Deleted, w.now = w.now, w.now.Add(ago)
}

func TestInterruption(t *testing.T) { // [X21] [X31]
	check(t, []decided{
		{"a run that was killed is continued at once if it came further [X21]", interrupted,
			plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"it is continued with its own inputs before a newer spec [X31] [X4]", func(w *world) { interrupted(w); w.change("inputs-2") },
			plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"the newer spec comes after it [X31]", func(w *world) {
			interrupted(w)
			w.change("inputs-2")
			w.starts()
			w.succeeds()
		}, plan.FreezeInputs, updating, "Update 3", status.InProgressStatus},
		{"a run that came no further is repeated later [X21]", func(w *world) { w.starts(); w.dies() },
			plan.Nothing, "Ready=False/Interrupted Reconciling=True/Retrying", "Update 2", status.InProgressStatus},
		{"in the end it is Stalled [X17] [X21]", func(w *world) { w.settle(w.dies) },
			plan.Nothing, "Ready=False/Interrupted Stalled=True/Interrupted", "Update 4", status.FailedStatus},
		{"another generation tries again, such as with more memory [X17]", func(w *world) { w.settle(func() { w.begins(); w.dies() }); w.change(w.hash) },
			plan.CreateJob, updating, "Update 4", status.InProgressStatus},
		{"what has not begun gives way to a newer spec", func(w *world) { w.starts(); w.dies(); w.rests(); w.change("inputs-2") },
			plan.FreezeInputs, updating, "Update 3", status.InProgressStatus},
		{"a Job that was deleted by hand is an interruption [X33]", func(w *world) { w.starts(); w.saves(1); w.vanishes() },
			plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"but its pod is waited for [X33]", func(w *world) { w.starts(); w.saves(1); w.deleteJob() },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"a run whose node is lost is waited for while its pod has rights [X22]", func(w *world) { w.losesNode(74 * time.Second) },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"and is continued then, whatever the Job says [X22]", func(w *world) { w.losesNode(75 * time.Second); w.lease = nil },
			plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"a Job that is deleted before it was seen, too [X33]", func(w *world) {
			w.decide()
			w.rests()
			w.decide()
			w.decide()
			w.deleteJob()
		}, plan.Nothing, "Ready=False/EarlierRun Reconciling=True/EarlierRun", "Update 1", status.InProgressStatus},
		{"without its inputs it gives way to the present ones", func(w *world) { interrupted(w); w.rests(); clear(w.inputs) },
			plan.FreezeInputs, updating, "Update 3", status.InProgressStatus},
		{"a status that was lost is read from the head", func(w *world) { w.applies(); w.loseStatus() },
			plan.Nothing, applied, "", status.CurrentStatus},
		{"an interruption, too [X31]", func(w *world) {
			interrupted(w)
			w.loseStatus()
			w.change("inputs-2")
			w.rests()
			w.now = w.now.Add(time.Minute)
		},
			plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"a run that goes on while the status is lost is ended first", func(w *world) { w.starts(); w.saves(1); w.loseStatus() },
			plan.EndRuns, "Ready=False/EarlierRun Reconciling=True/EarlierRun", "", status.InProgressStatus},
		{"so is a pod that does not start", func(w *world) {
			w.starts()
			w.stuck(&plan.Problem{Reason: "PodNotStarted", Message: "The image is not there."})
			w.loseStatus()
			w.change("inputs-2")
		}, plan.EndRuns, "Ready=False/EarlierRun Reconciling=True/EarlierRun", "", status.InProgressStatus},
	})
}

func TestProgressIsNoFailure(t *testing.T) { // [X21]
	w := newWorld()
	for range 10 {
		interrupted(w)
	}
	w.applies()
	require.Equal(t, applied, shown(w))
	require.Len(t, w.started, 11)
}

func TestInterruptionsAndFailuresCountTogether(t *testing.T) { // [X17]
	w := newWorld()
	ends := []func(){w.dies, w.fails, w.dies}
	w.settle(func() { end := ends[0]; ends = ends[1:]; end() })
	require.True(t, w.is(v1alpha1.ConditionStalled), "%+v", w.status())
}

func TestALostStatusKeepsTheApproval(t *testing.T) { // [X9] [X31]
	w := newWorld()
	planned(w)
	w.approve()
	w.starts()
	w.saves(1)
	head := *w.head
	head.Record.Plan = &v1alpha1.Plan{Hash: w.operation().ApprovedPlan}
	w.head = &head
	w.dies()
	w.loseStatus()
	w.rests()
	require.Equal(t, "plan-1", w.operation().ApprovedPlan)
}

func TestAStatusThatIsOlderThanTheHeadIsReadFromIt(t *testing.T) {
	w := newWorld()
	w.starts()
	old := w.environment.Status
	w.succeeds()
	for range 3 {
		w.change("inputs-2")
		w.applies()
		w.change("inputs-1")
		w.applies()
	}
	w.environment.Status = old
	w.vanishes()
	w.applies()
	require.Equal(t, w.head.Record.Serial, w.status().LastApplied.Serial)
	require.Equal(t, state.Succeeded, w.head.Record.Outcome)
	require.Len(t, w.started, 7, "nothing runs for it")
}

// A state that cannot be read may know of a run that was interrupted: with a status that was lost, nothing else does.
func TestARunIsContinuedThoughItsStateCouldNotBeRead(t *testing.T) { // [X31] [X49]
	w := newWorld()
	for w.run == nil {
		w.decide()
	}
	w.begins()
	w.vanishes()
	w.loseStatus()
	w.damaged = true
	w.rests()
	require.Equal(t, "StateUnusable", w.ready().Reason)
	require.Contains(t, w.inputs, "shop-1-inputs")
	w.damaged = false
	w.change("inputs-2")
	w.starts()
	require.Equal(t, []string{"Update inputs-1", "Update inputs-1"}, w.started)
}

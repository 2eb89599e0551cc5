package plan_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// held is a run that waits for the Lease of an earlier one, whose pod is gone with its node.
func held(w *world) {
	w.starts()
	w.saves(1)
	w.vanishes()
	w.until(func() bool { return w.run.working() })
}

func TestLease(t *testing.T) { // [X22]
	check(t, []decided{
		{"the Lease of a pod that works is left to it [X22]", func(w *world) { w.starts(); w.saves(1); w.now = w.now.Add(time.Hour) },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"the Lease of a pod that has ended is taken at once [X22]", func(w *world) {
			w.starts()
			w.saves(1)
			w.dies()
			ended := w.run.pod
			w.until(func() bool { return w.run.working() })
			w.lease = &plan.Holder{Pod: ended.Name, UID: ended.UID}
			w.run.pod, w.run.operation = ended, *w.operation()
		}, plan.ReleaseLease, updating, "Update 2", status.InProgressStatus},
		{"the Lease of a pod that is gone is left for a while: its token is still good [X22]", func(w *world) { held(w); w.rests(); w.now = w.now.Add(14 * time.Second) },
			plan.Nothing, updating, "Update 2", status.InProgressStatus},
		{"then it is taken [X22]", func(w *world) { held(w); w.rests(); w.now = w.now.Add(15 * time.Second) },
			plan.ReleaseLease, updating, "Update 2", status.InProgressStatus},
		{"a clock that was set back does not keep it [X40]", func(w *world) {
			held(w)
			w.rests()
			w.now = w.now.Add(-time.Hour)
			w.rests()
			w.now = w.now.Add(15 * time.Second)
		}, plan.ReleaseLease, updating, "Update 2", status.InProgressStatus},
		{"a pod that is deleted keeps it during its grace period [X22]", func(w *world) {
			w.starts()
			w.saves(1)
			w.deleteJob()
			w.rests()
			w.now = w.now.Add(time.Second)
		}, plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"and until its token is refused [X22]", func(w *world) { w.starts(); w.saves(1); w.deleteJob(); w.now = w.now.Add(134 * time.Second) },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"then it is taken, whatever a lost node says [X22]", func(w *world) { w.starts(); w.saves(1); w.deleteJob(); w.now = w.now.Add(135 * time.Second) },
			plan.ReleaseLease, updating, "Update 1", status.InProgressStatus},
	})
}

func TestARunThatCannotSaveSaysWhy(t *testing.T) { // [X49]
	w := newWorld()
	w.starts()
	w.saves(1)
	w.lease = &plan.Holder{Pod: w.run.pod.Name, UID: w.run.pod.UID, NotSaved: "exceeded quota: small."}
	w.rests()
	require.Equal(t, plan.ReasonStateNotSaved, w.ready().Reason)
	require.Contains(t, w.ready().Message, "its state cannot be saved: exceeded quota: small.\nIt goes on")
	w.lease.NotSaved = ""
	w.rests()
	require.Equal(t, "Updating", w.ready().Reason)

	w.lease.NotSaved = "exceeded quota: small"
	w.rests()
	w.dies()
	decision := w.decide()
	require.Len(t, decision.Events, 1)
	require.Contains(t, decision.Events[0].Message, "its state cannot be saved: exceeded quota: small.")
	require.Equal(t, "Updating", w.ready().Reason, "the next run may save")
}

func TestTheHolderIsInTheStatus(t *testing.T) { // [X22]
	w := newWorld()
	held(w)
	decision := w.rests()
	require.Equal(t, "shop-1-x", w.operation().Holder.Pod)
	require.Equal(t, w.now, w.operation().Holder.GoneSince.Time)
	require.Equal(t, 15*time.Second, decision.After)
}

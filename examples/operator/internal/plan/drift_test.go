package plan_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// looked is a Ready Environment whose look for drift is due.
func looked(w *world) {
	w.environment.Spec.DriftDetection = &v1alpha1.DriftDetection{Interval: &metav1.Duration{Duration: time.Minute}}
	w.applies()
	w.now = w.now.Add(time.Minute)
}

func TestDrift(t *testing.T) { // [X6]
	check(t, []decided{
		{"it is not looked for before its time", func(w *world) { looked(w); w.now = w.now.Add(-time.Second) },
			plan.Nothing, applied, "", status.CurrentStatus},
		{"it is looked for at its time, and the Environment stays Ready [X6] [X29]", looked,
			plan.FreezeInputs, applied, "DriftCheck 2", status.CurrentStatus},
		{"it is looked for when the last look was in the future", func(w *world) { looked(w); w.now = w.now.Add(-time.Hour) },
			plan.FreezeInputs, applied, "DriftCheck 2", status.CurrentStatus},
		{"a clock that is a little behind the last look does not count as that [X40]", func(w *world) { looked(w); w.now = w.now.Add(-time.Minute - 2*time.Second) },
			plan.Nothing, applied, "", status.CurrentStatus},
		{"where there is none, that is said [X6]", func(w *world) { looked(w); w.settle(w.succeeds) },
			plan.Nothing, "DriftDetected=False/NoDrift Ready=True/Applied", "", status.CurrentStatus},
		{"what is put right is said, and its outputs are written [X6]", func(w *world) {
			looked(w)
			w.starts()
			w.ends(state.Succeeded, func(record *state.Record) { record.Drifted, record.Applied = true, true })
		}, plan.WriteOutputs, "DriftDetected=False/Corrected Ready=True/Applied", "", status.CurrentStatus},
		{"what may not be put right is a plan [X6] [X24]", func(w *world) { looked(w); w.settle(w.drifts) },
			plan.Nothing, "DriftDetected=True/DriftDetected Ready=True/Applied", "", status.CurrentStatus},
		{"which runs when it is approved [X24]", func(w *world) { looked(w); w.settle(w.drifts); w.approve() },
			plan.FreezeInputs, "DriftDetected=True/DriftDetected Ready=False/Updating Reconciling=True/Updating", "Update 3", status.InProgressStatus},
		{"after which there is none [X24]", func(w *world) { looked(w); w.settle(w.drifts); w.approve(); w.settle(w.succeeds) },
			plan.Nothing, applied, "", status.CurrentStatus},
		{"a look that fails leaves open whether there is any", func(w *world) { looked(w); w.settle(w.fails) },
			plan.Nothing, "DriftDetected=Unknown/DriftCheckFailed Ready=True/Applied", "", status.CurrentStatus},
		{"a change during a look is not Ready [X29]", func(w *world) { looked(w); w.starts(); w.change("inputs-2") },
			plan.Nothing, updating, "DriftCheck 2", status.InProgressStatus},
		{"a change before the look's Job is created comes first", func(w *world) { looked(w); w.rests(); w.change("inputs-2") },
			plan.FreezeInputs, updating, "Update 3", status.InProgressStatus},
	})
}

func TestADriftPlanThatHasChangedCanBeApproved(t *testing.T) { // [X24]
	w := newWorld()
	looked(w)
	w.settle(w.drifts)
	w.approve()
	w.starts()
	w.replans()
	w.settle(w.succeeds)
	require.Equal(t, "plan-3", w.status().PendingPlan.Hash)
	require.True(t, w.status().PendingPlan.Drift)
	w.approve()
	w.settle(w.succeeds)
	require.Nil(t, w.status().PendingPlan)
	require.Equal(t, applied, shown(w))
}

func TestLooksThatFailAreRepeatedAtTheirIntervalForEver(t *testing.T) { // [X6]
	w := newWorld()
	looked(w)
	for range 10 {
		decision := w.settle(w.fails)
		require.Equal(t, time.Minute, decision.After)
		w.now = w.now.Add(decision.After)
	}
	require.EqualValues(t, 10, w.status().LastFailure.RetryCount)
	require.False(t, w.is(v1alpha1.ConditionStalled))
}

package plan_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

const (
	retrying = "Ready=False/UpdateFailed Reconciling=True/Retrying"
	stalled  = "Ready=False/UpdateFailed Stalled=True/UpdateFailed"
)

// failed is an Environment whose update has failed once.
func failed(w *world) {
	w.starts()
	w.fails()
	w.rests()
	w.decide() // It cleans up.
}

// gaveUp is an Environment whose update has failed as often as it may.
func gaveUp(w *world) { w.settle(w.fails) }

func TestFailure(t *testing.T) { // [X17]
	check(t, []decided{
		{"a failed update is said, and repeated later [X8] [X29]", failed,
			plan.Nothing, retrying, "", status.InProgressStatus},
		{"when it is time, it is repeated [X17]", func(w *world) { failed(w); w.now = w.now.Add(11 * time.Second) },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"when its time is further away than any, it is repeated at once [X40]", func(w *world) { failed(w); w.now = w.now.Add(-time.Hour) },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"after the limit it is Stalled, and what nobody needs is removed [X7] [X17] [X29]", func(w *world) {
			failed(w)
			failed(w)
			w.starts()
			w.fails()
		}, plan.CleanUp, stalled, "", status.FailedStatus},
		{"Stalled stays so [X17]", func(w *world) { gaveUp(w); w.now = w.now.Add(24 * time.Hour) },
			plan.Nothing, stalled, "", status.FailedStatus},
		{"another generation tries again [X17]", func(w *world) { gaveUp(w); w.change(w.hash) },
			plan.FreezeInputs, updating, "Update 4", status.InProgressStatus},
		{"other inputs try again [X17]", func(w *world) { gaveUp(w); w.hash = "inputs-2" },
			plan.FreezeInputs, updating, "Update 4", status.InProgressStatus},
		{"a person's request tries again [X17]", func(w *world) { gaveUp(w); w.annotate(v1alpha1.AnnotationRetry, "1") },
			plan.FreezeInputs, updating, "Update 4", status.InProgressStatus},
		{"a request is for the present failures only [X17]", func(w *world) { gaveUp(w); w.annotate(v1alpha1.AnnotationRetry, "1"); gaveUp(w) },
			plan.Nothing, stalled, "", status.FailedStatus},
		{"the next request tries again [X17]", func(w *world) {
			gaveUp(w)
			w.annotate(v1alpha1.AnnotationRetry, "1")
			gaveUp(w)
			w.annotate(v1alpha1.AnnotationRetry, "2")
		}, plan.FreezeInputs, updating, "Update 7", status.InProgressStatus},
		{"the removal of a request is none [X17]", func(w *world) {
			w.annotate(v1alpha1.AnnotationRetry, "1")
			gaveUp(w)
			w.environment.Annotations = nil
		}, plan.Nothing, stalled, "", status.FailedStatus},
		{"a request does not wait for the backoff [X17]", func(w *world) { failed(w); w.annotate(v1alpha1.AnnotationRetry, "1") },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"after a success it is Ready", func(w *world) { failed(w); w.applies() },
			plan.Nothing, applied, "", status.CurrentStatus},
	})
}

func TestTheBackoffDoublesAndHasJitter(t *testing.T) { // [X17]
	w := newWorld()
	w.environment.Spec.Retry = v1alpha1.RetryPolicy{Limit: new(int32(20)), Backoff: &metav1.Duration{Duration: 30 * time.Second}}
	wanted := 30 * time.Second
	jitter := map[time.Duration]bool{}
	for attempt := range 12 {
		failed(w)
		decision := w.rests()
		require.GreaterOrEqual(t, decision.After, wanted.Truncate(time.Second), "attempt %d", attempt+1)
		require.LessOrEqual(t, decision.After, wanted+wanted/10)
		require.Equal(t, decision.After, w.rests().After, "whoever computes it")
		jitter[decision.After-wanted] = true
		w.now = w.now.Add(decision.After)
		wanted = min(2*wanted, 30*time.Minute)
	}
	require.Greater(t, len(jitter), 5)
}

func TestAStalledEnvironmentSaysWhatToDo(t *testing.T) { // [X8] [X17]
	w := newWorld()
	gaveUp(w)
	require.Equal(t, "it did not work", w.ready().Message)
	require.EqualValues(t, 3, w.status().LastFailure.RetryCount)
	require.Nil(t, w.status().Retry.NextTime)
	message := w.condition(v1alpha1.ConditionStalled).Message
	require.Contains(t, message, "3 attempts failed")
	require.Contains(t, message, `kubectl annotate --overwrite --namespace team environment shop platform.example.com/retry="$(date)"`)
}

func TestAStalledEnvironmentLeavesItsSlot(t *testing.T) {
	w := newWorld()
	w.settle(w.dies)
	require.True(t, w.is(v1alpha1.ConditionStalled))
	require.NotNil(t, w.operation(), "what was interrupted is kept")
	require.False(t, w.rests().Slot)
	w.noSlot = true
	w.annotate(v1alpha1.AnnotationRetry, "1")
	require.Equal(t, v1alpha1.OperationUpdate, w.rests().Queued, "and has to get one again")
}

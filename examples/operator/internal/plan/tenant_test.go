package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// What is for a tenant is for whom it can mean something: the number of a Job is not.
func TestWhatIsForATenant(t *testing.T) { // [X59]
	for name, c := range map[string]struct {
		given   func(*world) // up to the end of a run
		reason  string
		says    string
		forThem bool
	}{
		"the beginning of a run is not": {func(*world) {}, "UpdateStarted", "Job shop-1.", false},
		"what a run has changed":        {func(w *world) { w.starts(); w.succeeds() }, "UpdateSucceeded", "Run 1: 1 same.", true},
		"a failure":                     {func(w *world) { w.starts(); w.fails() }, "UpdateFailed", "it did not work", true},
		"a plan that waits": {func(w *world) {
			w.environment.Spec.Approval = v1alpha1.ApprovalManual
			w.starts()
			w.succeeds()
		}, "PreviewSucceeded", "Run 1: 1 same. This plan waits for approval.", true},
		"a plan without changes is not": {func(w *world) {
			w.environment.Spec.Approval = v1alpha1.ApprovalManual
			w.starts()
			w.ends(state.Succeeded, func(record *state.Record) { record.Plan = nil })
		}, "PreviewSucceeded", "Run 1: 1 same.", false},
		"a look that finds nothing is not": {func(w *world) { looked(w); w.starts(); w.succeeds() }, "DriftCheckSucceeded", "Run 2: 1 same.", false},
		"drift that is put right": {func(w *world) {
			looked(w)
			w.starts()
			w.ends(state.Succeeded, func(record *state.Record) { record.Drifted, record.Applied = true, true })
		}, "DriftCheckSucceeded", "Run 2: 1 same. It put drift right.", true},
		"drift that may not be put right": {
			func(w *world) { looked(w); w.starts(); w.drifts() }, "DriftCheckSucceeded", "Run 2: 1 same. Objects differ from the program, and this plan waits for approval.", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			c.given(w)
			var events []plan.Event
			for range 5 {
				if events = w.decide().Events; len(events) > 0 {
					break
				}
			}
			require.Len(t, events, 1)
			require.Equal(t, c.reason, events[0].Reason)
			require.Contains(t, events[0].Message, c.says)
			require.Equal(t, c.forThem, events[0].ForTenant)
		})
	}
}

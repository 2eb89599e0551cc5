package plan_test

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

const stateLost = "Ready=False/StateLost Reconciling=True/StateLost"

func TestStateThatWasRemovedByForce(t *testing.T) { // [X33]
	check(t, []decided{
		{"a changed spec does not run without it: everything would be created once more", func(w *world) {
			w.applies()
			w.removeState()
			w.change("inputs-2")
			w.rests()
		}, plan.Nothing, stateLost, "Update 2", status.InProgressStatus},
		{"restored from a backup, it runs", func(w *world) {
			w.applies()
			w.removeState()
			w.change("inputs-2")
			w.rests()
			w.restoreState()
		}, plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"a run that failed had made something, too", func(w *world) {
			w.starts()
			w.saves(0)
			w.fails()
			w.rests()
			w.removeState()
			w.change("inputs-2")
			w.rests()
		}, plan.Nothing, stateLost, "Update 2", status.InProgressStatus},
		{"and one that was killed", func(w *world) { interrupted(w); w.rests(); w.removeState() },
			plan.Nothing, stateLost, "Update 2", status.InProgressStatus},
		{"without the passphrase it cannot be read, so no run begins", func(w *world) {
			w.applies()
			w.change("inputs-2")
			w.rests()
			w.passphraseLost = true
		}, plan.Nothing, stateLost, "Update 2", status.InProgressStatus},
		{"the state of another backend is not in the Secret", func(w *world) {
			w.environment.Spec.Backend = &v1alpha1.Backend{URL: "s3://states"}
			w.applies()
			w.removeState()
			w.change("inputs-2")
			w.rests()
		}, plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"where nothing was made, nothing is lost", func(w *world) {
			w.starts()
			w.fails()
			w.rests()
			w.removeState()
			w.change("inputs-2")
			w.rests()
		}, plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"an empty state that was removed before the run is made again", func(w *world) {
			w.decide()
			w.rests()
			w.decide()
			w.removed, w.head = w.head, nil
		}, plan.FreezeInputs, updating, "Update 1", status.InProgressStatus},
		{"without its state nothing can be destroyed, and nothing is forgotten", func(w *world) { w.applies(); w.removeState(); w.remove() },
			plan.Nothing, stateLost, "", status.TerminatingStatus},
		{"nor without its passphrase", func(w *world) { w.applies(); w.passphraseLost = true; w.remove() },
			plan.Nothing, stateLost, "", status.TerminatingStatus},
		{"which is not needed where nothing is left", func(w *world) {
			w.applies()
			w.remove()
			w.starts()
			w.succeeds()
			w.passphraseLost = true
		}, plan.DeleteState, destroying, "", status.TerminatingStatus},
	})
}

func TestLostStateSaysWhatToDo(t *testing.T) { // [X33]
	w := newWorld()
	w.applies()
	w.removeState()
	w.change("inputs-2")
	w.settle(w.succeeds)
	require.Equal(t, "The Secret shop-state with the state is gone, so a run would create once more what is there (1 resource). "+
		"Restore the Secret from a backup, or delete this Environment, which leaves its objects, and create one that adopts them: "+
		"kubectl annotate --namespace team environment shop platform.example.com/orphan=true", w.ready().Message)
	w.remove()
	w.settle(w.succeeds)
	require.Equal(t, "The Secret shop-state with the state is gone, so what the program made (1 resource) cannot be destroyed. "+
		"Restore the Secret from a backup, or delete the objects by hand and let the Environment go: "+
		"kubectl annotate --namespace team environment shop platform.example.com/orphan=true", w.ready().Message)
}

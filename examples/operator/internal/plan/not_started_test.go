package plan_test

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

var noImage = &plan.Problem{Reason: "PodNotStarted", Message: "The image is not there."}

// cannotContinue is a run that continues another one and whose pod does not start.
func cannotContinue(w *world) { interrupted(w); w.starts(); w.stuck(noImage) }

func TestPodThatDoesNotStart(t *testing.T) { // [X34]
	stuck := "Ready=False/PodNotStarted Reconciling=True/Updating"
	check(t, []decided{
		{"of a run that continues another one is waited for [X34]", cannotContinue,
			plan.Nothing, stuck, "Update 2", status.InProgressStatus},
		{"newer inputs do not end it, because the old ones come first [X31]", func(w *world) { cannotContinue(w); w.change("inputs-2") },
			plan.Nothing, stuck, "Update 2", status.InProgressStatus},
		{"is removed once it would be created with other settings [X34]", func(w *world) { cannotContinue(w); w.changeSettings() },
			plan.DeleteJob, stuck, "Update 2", status.InProgressStatus},
		{"and created with them, with the inputs of its run [X34] [X31]", func(w *world) {
			cannotContinue(w)
			w.change("inputs-2")
			w.changeSettings()
			w.rests()
			w.decide()
		}, plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"is left alone if it starts after all [X34]", func(w *world) {
			cannotContinue(w)
			w.changeSettings()
			w.rests()
			w.stuck(nil)
		}, plan.Nothing, updating, "Update 2", status.InProgressStatus},
		{"of a first run is removed, too, where only the operator's image is another one [X34] [X30]", func(w *world) {
			w.starts()
			w.stuck(noImage)
			w.settings++
		}, plan.DeleteJob, stuck, "Update 1", status.InProgressStatus},
		{"of a destroy, too [X34]", func(w *world) { w.applies(); w.remove(); w.starts(); w.stuck(noImage); w.changeSettings() },
			plan.DeleteJob, "Ready=False/PodNotStarted Reconciling=True/Destroying", "Destroy 2", status.TerminatingStatus},
		{"is removed while suspended, and stays what it is [X25] [X31]", func(w *world) { cannotContinue(w); w.suspend(); w.rests(); w.decide() },
			plan.Nothing, "Suspended=True/Suspended", "Update 2", status.CurrentStatus},
		{"a run that has begun goes on with the old settings", func(w *world) { w.starts(); w.begins(); w.changeSettings() },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
	})
}

func TestNothingIsCountedOfAPodThatDidNotStart(t *testing.T) { // [X34] [X17]
	w := newWorld()
	cannotContinue(w)
	for range 5 {
		w.changeSettings()
		w.rests()
		w.decide()
		w.starts()
		w.stuck(noImage)
	}
	require.Nil(t, w.status().Retry)
	require.Len(t, w.status().History, 1)
	w.stuck(nil)
	w.applies()
	require.Equal(t, []string{"Update inputs-1", "Update inputs-1", "Update inputs-1", "Update inputs-1", "Update inputs-1", "Update inputs-1", "Update inputs-1"}, w.started)
	require.Equal(t, int64(2), w.status().LastApplied.Serial)
}

func TestADestroyThatCannotStartSaysBothWaysOut(t *testing.T) { // [X51]
	w := newWorld()
	w.applies()
	w.remove()
	w.starts()
	w.stuck(&plan.Problem{Reason: "PodNotStarted", Message: `The pod of Job shop-2 cannot be created: serviceaccount "runner" not found`})
	w.rests()
	require.Contains(t, w.ready().Message, "Make again what is missing, such as the account")
	require.Contains(t, w.ready().Message, "platform.example.com/orphan=true")
}

package plan_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

func (w *world) suspend() { w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = true }) }

func (w *world) resume() { w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = false }) }

func TestSuspension(t *testing.T) { // [X25] [X29]
	check(t, []decided{
		{"nothing begins while suspended [X25]", func(w *world) { w.decide(); w.suspend() },
			plan.Nothing, "Suspended=True/Suspended", "", status.CurrentStatus},
		{"what has not begun is stopped [X25]", func(w *world) { w.decide(); w.rests(); w.suspend() },
			plan.Nothing, "Suspended=True/Suspended", "", status.CurrentStatus},
		{"a run that goes on is not ended [X25]", func(w *world) { w.starts(); w.suspend() },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"its outputs are written [X25]", func(w *world) { w.starts(); w.suspend(); w.succeeds() },
			plan.WriteOutputs, "Ready=True/Applied Suspended=True/Suspended", "", status.CurrentStatus},
		{"a pod that does not start is removed [X25]", func(w *world) {
			w.starts()
			w.stuck(&plan.Problem{Reason: "PodNotStarted", Message: "The image is not there."})
			w.suspend()
		}, plan.DeleteJob, updating, "Update 1", status.InProgressStatus},
		{"what was interrupted is kept for later [X25] [X31]", func(w *world) { interrupted(w); w.suspend() },
			plan.Nothing, "Suspended=True/Suspended", "Update 2", status.CurrentStatus},
		{"and continued then [X25] [X31]", func(w *world) { interrupted(w); w.suspend(); w.rests(); w.resume() },
			plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"what is Ready stays Ready [X25]", func(w *world) { w.applies(); w.suspend() },
			plan.Nothing, "Ready=True/Applied Suspended=True/Suspended", "", status.CurrentStatus},
		{"drift is not looked for [X25]", func(w *world) { looked(w); w.suspend(); w.now = w.now.Add(time.Hour) },
			plan.Nothing, "Ready=True/Applied Suspended=True/Suspended", "", status.CurrentStatus},
		{"a change is not Ready [X25]", func(w *world) { w.applies(); w.suspend(); w.change("inputs-2") },
			plan.Nothing, "Suspended=True/Suspended", "", status.CurrentStatus},
		{"resumed, the change runs [X25]", func(w *world) { w.applies(); w.suspend(); w.change("inputs-2"); w.rests(); w.resume() },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"what was Stalled is not while suspended [X25] [X29]", func(w *world) { gaveUp(w); w.suspend() },
			plan.Nothing, "Suspended=True/Suspended", "", status.CurrentStatus},
	})
}

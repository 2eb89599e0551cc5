package plan_test

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

const (
	destroying = "Ready=False/Destroying Reconciling=True/Destroying"
	deleting   = "Ready=False/Deleting Reconciling=True/Deleting"
)

func (w *world) orphan() { w.annotate(v1alpha1.AnnotationOrphan, "true") }

// terminate is a "kubectl delete namespace".
func (w *world) terminate() {
	w.terminating = true
	w.remove()
	if w.job != nil {
		w.deleteJob()
	}
}

func TestDeletion(t *testing.T) { // [X11] [X32]
	check(t, []decided{
		{"without our finalizer nothing is done", func(w *world) { w.remove() },
			plan.Nothing, "", "", status.TerminatingStatus},
		{"an Environment that ran nothing goes [X32]", func(w *world) { w.decide(); w.remove() },
			plan.DeleteState, "", "", status.TerminatingStatus},
		{"what the program made is destroyed, also without the program [X11] [X23]", func(w *world) {
			w.applies()
			w.remove()
			w.problem = &plan.Problem{Reason: "InputsMissing", Message: "There is no ConfigMap webapp."}
		}, plan.FreezeInputs, destroying, "Destroy 2", status.TerminatingStatus},
		{"then the state goes [X11]", func(w *world) { w.applies(); w.remove(); w.starts(); w.succeeds() },
			plan.DeleteState, destroying, "", status.TerminatingStatus},
		{"orphaned by the spec, everything stays [X11]", func(w *world) {
			w.applies()
			w.environment.Spec.OnDelete = v1alpha1.DeletionOrphan
			w.remove()
		}, plan.KeepState, deleting, "", status.TerminatingStatus},
		{"orphaned by the annotation, everything stays [X11]", func(w *world) { w.applies(); w.orphan(); w.remove() },
			plan.KeepState, deleting, "", status.TerminatingStatus},
		{"a run that goes on is ended first [X11]", func(w *world) { w.starts(); w.saves(0); w.remove() },
			plan.DeleteJob, updating, "Update 1", status.TerminatingStatus},
		{"a run of which the status does not know, too [X11]", func(w *world) { w.starts(); w.loseStatus(); w.remove() },
			plan.EndRuns, "Ready=False/EarlierRun Reconciling=True/EarlierRun", "", status.TerminatingStatus},
		{"what it had begun and not recorded is concluded [X31]", func(w *world) {
			w.starts()
			w.saves(1)
			w.remove()
			w.rests()
			w.decide()
			w.dies()
		},
			plan.CreateJob, updating, "Update 2", status.TerminatingStatus},
		{"also if the run that continues it was killed before it began [X31]", func(w *world) {
			interrupted(w)
			w.starts()
			w.remove()
			w.rests()
			w.decide()
			w.dies()
		}, plan.Nothing, "Ready=False/Interrupted Reconciling=True/Retrying", "Update 3", status.TerminatingStatus},
		{"otherwise it is destroyed as it is", func(w *world) {
			w.starts()
			w.saves(0)
			w.remove()
			w.rests()
			w.decide()
			w.dies()
		},
			plan.FreezeInputs, destroying, "Destroy 2", status.TerminatingStatus},
		{"a destroy that fails is repeated later", func(w *world) { w.applies(); w.remove(); w.starts(); w.fails() },
			plan.Nothing, "Ready=False/DestroyFailed Reconciling=True/Retrying", "", status.TerminatingStatus},
		{"in the end it is Stalled", func(w *world) { w.applies(); w.remove(); w.settle(w.fails) },
			plan.Nothing, "Ready=False/DestroyFailed Stalled=True/DestroyFailed", "", status.TerminatingStatus},
		{"orphaning lets it go then [X11]", func(w *world) { w.applies(); w.remove(); w.settle(w.fails); w.orphan() },
			plan.KeepState, "Ready=False/DestroyFailed Stalled=True/DestroyFailed", "", status.TerminatingStatus},
		{"orphaning ends a destroy that goes on [X11]", func(w *world) { w.applies(); w.remove(); w.starts(); w.orphan() },
			plan.DeleteJob, destroying, "Destroy 2", status.TerminatingStatus},
		{"suspended, nothing is destroyed [X25]", func(w *world) { w.applies(); w.environment.Spec.Suspend = true; w.remove() },
			plan.Nothing, "Ready=False/Suspended Reconciling=True/Suspended", "", status.TerminatingStatus},
		{"suspended before its Job is created, a destroy is not begun [X25]", func(w *world) {
			w.applies()
			w.remove()
			w.rests()
			w.environment.Spec.Suspend = true
		}, plan.Nothing, "Ready=False/Suspended Reconciling=True/Suspended", "", status.TerminatingStatus},
		{"what a terminating namespace takes along is left to it [X32]", func(w *world) { w.applies(); w.terminate() },
			plan.DeleteState, deleting, "", status.TerminatingStatus},
		{"what it does not is said [X32]", func(w *world) { w.elsewhere = 1; w.applies(); w.terminate() },
			plan.Nothing, "Ready=False/NamespaceTerminating Reconciling=True/NamespaceTerminating", "", status.TerminatingStatus},
		{"until it is orphaned [X32]", func(w *world) { w.elsewhere = 1; w.applies(); w.terminate(); w.rests(); w.orphan() },
			plan.KeepState, "Ready=False/NamespaceTerminating Reconciling=True/NamespaceTerminating", "", status.TerminatingStatus},
		{"a destroy that was not begun is not begun in it [X32]", func(w *world) { w.applies(); w.remove(); w.rests(); w.terminate() },
			plan.DeleteState, destroying, "", status.TerminatingStatus},
		{"nor is one continued in it [X32]", func(w *world) {
			w.applies()
			w.remove()
			w.starts()
			w.saves(1)
			w.terminate()
			w.dies()
		}, plan.DeleteState, destroying, "", status.TerminatingStatus},
	})
}

func TestWhatStaysOutsideOfATerminatingNamespaceIsNamed(t *testing.T) { // [X32]
	w := newWorld()
	w.elsewhere = 21
	w.applies()
	head := *w.head
	head.Record.Elsewhere = []string{"ClusterRole shop", "Namespace shop-cache"}
	w.head = &head
	w.terminate()
	w.rests()
	require.Contains(t, w.ready().Message, "ClusterRole shop, Namespace shop-cache and 19 more")
	require.Contains(t, w.ready().Message, "kubectl annotate --namespace team environment shop platform.example.com/orphan=true")
}

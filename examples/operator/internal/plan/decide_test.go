package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/argocdtest"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// decided is one line of the specification: in a state of the world, after an event, this is done next, and this is what the
// status says meanwhile.
type decided struct {
	name  string
	given func(*world)
	// step is the first that is not the write of the status.
	step plan.Step
	// conditions are all that the status has by then, as "Type=Status/Reason".
	conditions string
	// operation is the current one by then, as "kind serial", empty if there is none.
	operation string
	kstatus   status.Status
}

func check(t *testing.T, rows []decided) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld()
			row.given(w)
			decision := w.rests()
			require.Equal(t, row.step, decision.Step)
			require.Equal(t, row.conditions, shown(w))
			operation := ""
			if current := w.operation(); current != nil {
				operation = fmt.Sprintf("%s %d", current.Kind, current.Serial)
			}
			require.Equal(t, row.operation, operation)
			require.Equal(t, row.kstatus, kstatus(t, w))
			obeys(t, w)
		})
	}
}

// rests writes the status until something else is to be done, and returns that.
func (w *world) rests() plan.Decision {
	for range 10 {
		decision := plan.Decide(w.observed())
		if decision.Step != plan.WriteStatus {
			return decision
		}
		w.carryOut(decision)
	}
	panic("the status is written for ever")
}

// starts decides, and lets time pass, until a pod works and its Job is in the status.
func (w *world) starts() {
	w.until(func() bool { return w.run.working() && (w.lease == nil || w.run.holds(w)) })
}

func (w *world) until(is func() bool) {
	for range 30 {
		decision := w.rests()
		if is() {
			return
		}
		if decision.Step == plan.Nothing {
			w.now = w.now.Add(decision.After)
		}
		w.decide()
	}
	panic(fmt.Sprintf("nothing starts: %+v", w.status()))
}

// applies brings the Environment to Ready.
func (w *world) applies() { w.settle(w.succeeds) }

// shown are the conditions, sorted by their types.
func shown(w *world) string {
	var all []string
	for _, condition := range w.status().Conditions {
		all = append(all, fmt.Sprintf("%s=%s/%s", condition.Type, condition.Status, condition.Reason))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// kstatus is what GitOps tools make of the Environment.
func kstatus(t require.TestingT, w *world) status.Status {
	result, err := status.Compute(asObject(t, w))
	require.NoError(t, err)
	return result.Status
}

func asObject(t require.TestingT, w *world) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&w.environment)
	require.NoError(t, err)
	object := &unstructured.Unstructured{Object: content}
	object.SetAPIVersion(v1alpha1.GroupVersion.String())
	object.SetKind("Environment")
	return object
}

// argoCD is the same for Argo CD, with the health check that is in config.
func argoCD(t require.TestingT, w *world) string {
	health, _ := argocdtest.Health(t, "../../config/argocd/argocd-cm.yaml", "platform.example.com/Environment", asObject(t, w))
	return health
}

const (
	updating = "Ready=False/Updating Reconciling=True/Updating"
	applied  = "Ready=True/Applied"
)

func TestChange(t *testing.T) {
	check(t, []decided{
		{"a new Environment gets the finalizer before anything else", func(*world) {},
			plan.AddFinalizer, "", "", status.InProgressStatus},
		{"its first update is in the status before its inputs are kept", func(w *world) { w.decide() },
			plan.FreezeInputs, updating, "Update 1", status.InProgressStatus},
		{"the Job is created once its inputs are kept", func(w *world) { w.decide(); w.rests(); w.decide() },
			plan.CreateJob, updating, "Update 1", status.InProgressStatus},
		{"a run that goes on is waited for", (*world).starts,
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"after its end the outputs are written, and who waits for Ready finds them", func(w *world) { w.starts(); w.succeeds() },
			plan.WriteOutputs, updating, "", status.InProgressStatus},
		{"outputs that cannot be written are a problem of the Environment [X37]", func(w *world) {
			w.starts()
			w.succeeds()
			w.outputsProblem = &plan.Problem{Reason: "OutputsNotWritten", Message: "The Secret is not ours."}
		}, plan.CleanUp, "Ready=False/OutputsNotWritten Reconciling=True/OutputsNotWritten", "", status.InProgressStatus},
		{"outputs that were edited are written again, while all else stays [X37]", func(w *world) { w.applies(); w.outputs = 0 },
			plan.WriteOutputs, applied, "", status.CurrentStatus},
		{"then what nobody needs is removed", func(w *world) { w.starts(); w.succeeds(); w.rests(); w.decide() },
			plan.CleanUp, applied, "", status.CurrentStatus},
		{"nothing runs while nothing changes [X2]", (*world).applies,
			plan.Nothing, applied, "", status.CurrentStatus},
		{"nothing runs for a spec that leads to the same inputs [X2]", func(w *world) { w.applies(); w.change(w.hash) },
			plan.Nothing, applied, "", status.CurrentStatus},
		{"a changed spec is one update [X3]", func(w *world) { w.applies(); w.change("inputs-2") },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"a changed program or secret is one update [X3]", func(w *world) { w.applies(); w.hash = "inputs-2" },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"a change during a run waits for its end [X4]", func(w *world) { w.starts(); w.change("inputs-2") },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"and is run then [X4]", func(w *world) { w.starts(); w.change("inputs-2"); w.succeeds() },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"a change before the Job is created replaces the operation", func(w *world) { w.decide(); w.rests(); w.change("inputs-2") },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"an input that is missing is waited for", func(w *world) {
			w.decide()
			w.problem = &plan.Problem{Reason: "InputsMissing", Message: "There is no Secret shop-db."}
		}, plan.Nothing, "Ready=False/InputsMissing Reconciling=True/InputsMissing", "", status.InProgressStatus},
		{"without a free slot it is queued", func(w *world) { w.decide(); w.noSlot = true },
			plan.Nothing, "Ready=False/Queued Reconciling=True/Queued", "", status.InProgressStatus},
		{"where something else has the Job's name, the next serial is taken [X34]", func(w *world) {
			w.decide()
			w.foreign["shop-1"] = true
		}, plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"a pod that does not start is told, with the reason [X34]", func(w *world) {
			w.starts()
			w.stuck(&plan.Problem{Reason: "PodNotStarted", Message: "The image is not there."})
		}, plan.Nothing, "Ready=False/PodNotStarted Reconciling=True/Updating", "Update 1", status.InProgressStatus},
		{"its Job is removed when the spec changes [X34]", func(w *world) {
			w.starts()
			w.stuck(&plan.Problem{Reason: "PodNotStarted", Message: "The image is not there."})
			w.change("inputs-2")
		}, plan.DeleteJob, updating, "Update 1", status.InProgressStatus},
		{"and the changed spec runs [X34]", func(w *world) {
			w.starts()
			w.stuck(&plan.Problem{Reason: "PodNotStarted", Message: "The image is not there."})
			w.change("inputs-2")
			w.rests()
			w.decide()
		}, plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
	})
}

func TestAChangeDuringARunIsRunOnceAfterIt(t *testing.T) { // [X4]
	w := newWorld()
	w.starts()
	w.change("inputs-2")
	w.change("inputs-3")
	w.applies()
	require.Equal(t, []string{"Update inputs-1", "Update inputs-3"}, w.started)
}

func TestConditionsAreOfThePresentGeneration(t *testing.T) { // [X16]
	w := newWorld()
	w.applies()
	w.change(w.hash)
	w.applies()
	require.NotEmpty(t, w.status().Conditions)
	for _, condition := range w.status().Conditions {
		require.Equal(t, int64(2), condition.ObservedGeneration)
	}
	require.Equal(t, int64(2), w.status().ObservedGeneration)
}

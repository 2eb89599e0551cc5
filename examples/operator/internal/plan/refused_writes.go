package plan

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// ReasonWriteRefused is the reason of Ready while the API server refuses what the operator writes, and of Stalled where it will always.
const ReasonWriteRefused = "WriteRefused"

// Refused is a write that the API server has refused, of the present generation.
type Refused struct {
	Step Step
	// Message is what the API server said.
	Message string
	// Final says that the same write is refused always: it is invalid, or too big.
	Final bool
	// After is when it is tried again; zero if that is now.
	After time.Duration
}

// cannot says for people what a step that was refused cannot do.
var cannot = map[Step]string{
	AddFinalizer: "The finalizer, without which nothing may run, cannot be added",
	FreezeInputs: "What the run needs cannot be created",
	CreateJob:    "The Job of the run cannot be created",
	DeleteJob:    "The Job of the run cannot be deleted",
	EndRuns:      "The Job of an earlier run cannot be deleted",
	ReleaseLease: "The Lease cannot be taken from a run that has died",
	WriteOutputs: "The Secret with the outputs cannot be written",
	CleanUp:      "What earlier runs have left cannot be removed",
	DeleteState:  "The state, which is not needed any more, cannot be removed",
	KeepState:    "The state cannot be let go",
}

// refused says that the step that comes next was refused, and has it wait until it is tried again. Whoever waits for its slot gets it.
func (d *decision) refused() {
	refused := d.Refused
	if refused == nil || refused.Step == Nothing || refused.Step != d.Step {
		return
	}
	message := cannot[refused.Step] + ": " + refused.Message + "\n"
	switch {
	case refused.Step == CleanUp:
		// What nobody needs any more takes nothing from what is ready.
	case refused.Final:
		message += "The same is refused always: change the Environment."
		d.remove(v1alpha1.ConditionReconciling)
		d.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, ReasonWriteRefused, message)
		d.notReady(ReasonWriteRefused, message)
	default:
		d.waiting(ReasonWriteRefused, message+"It is tried again until it is accepted.")
	}
	d.event(true, ReasonWriteRefused, message)
	if refused.After > 0 {
		d.Step, d.Slot = Nothing, false
		d.wait(refused.After)
	}
}

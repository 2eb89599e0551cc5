package state

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Outcome says how far an operation came.
type Outcome string

// The outcomes. An operation that ended without a word stays Running: who sees that its pod is gone knows that it was
// interrupted.
const (
	Running   Outcome = "Running"
	Succeeded Outcome = "Succeeded"
	Failed    Outcome = "Failed"
)

// Record is what the head says of the operation that wrote it. It has everything that a status needs, so that the
// outcome survives a deleted Job, a lost pod and a lost status.
type Record struct {
	// Serial is the operation's number. It only grows.
	Serial    int64                  `json:"serial"`
	Kind      v1alpha1.OperationKind `json:"kind"`
	InputHash string                 `json:"inputHash,omitempty"`
	Outcome   Outcome                `json:"outcome"`
	// Pod and PodUID are of the pod that writes.
	Pod       string      `json:"pod,omitempty"`
	PodUID    types.UID   `json:"podUID,omitempty"`
	StartedAt metav1.Time `json:"startedAt"`
	EndedAt   metav1.Time `json:"endedAt,omitzero"`
	// Applied says that the operation changed, or may have changed, what the program made: false for a plan alone.
	Applied bool `json:"applied,omitempty"`
	// Progressed says that the operation has changed what the state says of the resources: another run gets farther.
	Progressed bool `json:"progressed,omitempty"`
	// Summary counts what was done, or for a plan what would be done.
	Summary v1alpha1.Summary `json:"summary,omitempty"`
	// Imported says that a person has replaced the state. This is not how the operation of this serial has ended: it has not, or said
	// so before.
	Imported bool `json:"imported,omitempty"`
	// Reason and Message are of a failure.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Plan is what a preview or a drift check found: nil if nothing would change.
	Plan *v1alpha1.Plan `json:"plan,omitempty"`
	// Drifted says that a drift check has found drift, corrected or not.
	Drifted bool `json:"drifted,omitempty"`
	// PendingOperations is how many operations the engine had begun and not concluded, as the state says.
	PendingOperations int32 `json:"pendingOperations,omitempty"`
	// ResourceCount is the number of resources in the state, the stack itself and providers left out.
	ResourceCount int32 `json:"resourceCount"`
	// Resources are up to 100 of them, those first that failed.
	Resources []v1alpha1.ResourceStatus `json:"resources,omitempty"`
	// Elsewhere names up to 20 resources that are not objects of the Environment's namespace, and ElsewhereCount
	// counts all: a terminating namespace takes the others with it.
	Elsewhere      []string `json:"elsewhere,omitempty"`
	ElsewhereCount int32    `json:"elsewhereCount,omitempty"`
}

// Output is one of the stack's outputs.
type Output struct {
	Value  any  `json:"value"`
	Secret bool `json:"secret,omitempty"`
}

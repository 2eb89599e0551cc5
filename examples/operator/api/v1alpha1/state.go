package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// State is what an Environment is in, in one word, for those who count Environments.
type State string

// The states.
const (
	// StateStalled needs a person.
	StateStalled State = "Stalled"
	// StateDeleting is being destroyed, or waits for that.
	StateDeleting State = "Deleting"
	// StateReady is as its spec says.
	StateReady State = "Ready"
	// StateFailing has failed and is repeated.
	StateFailing State = "Failing"
	// StateSuspended is not as its spec says, and nothing begins.
	StateSuspended State = "Suspended"
	// StateReconciling runs, or waits for something.
	StateReconciling State = "Reconciling"
)

// States are all of them.
var States = []State{StateStalled, StateDeleting, StateReady, StateFailing, StateSuspended, StateReconciling}

// State is the first of them that holds. A status of another generation says nothing of this one.
func (e *Environment) State() State {
	holds := func(kind string) bool {
		condition := meta.FindStatusCondition(e.Status.Conditions, kind)
		return condition != nil && condition.Status == metav1.ConditionTrue && condition.ObservedGeneration == e.Generation
	}
	switch {
	case holds(ConditionStalled):
		return StateStalled
	case !e.DeletionTimestamp.IsZero():
		return StateDeleting
	case holds(ConditionReady):
		return StateReady
	case e.isRepeated():
		return StateFailing
	case holds(ConditionSuspended):
		return StateSuspended
	default:
		return StateReconciling
	}
}

// isRepeated says whether a run has failed with the inputs with which it is repeated: a run with others has not failed yet.
func (e *Environment) isRepeated() bool {
	retry, operation := e.Status.Retry, e.Status.CurrentOperation
	return retry != nil && retry.Count > 0 && (operation == nil || operation.InputHash == retry.InputHash)
}

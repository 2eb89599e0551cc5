package controller

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// classEvents are those of a status that has just been written over another: a program that was fetched, and what is wrong with it, once for
// as long as it is the same. They are made after the write, because what comes before a write that conflicts is decided, and told, again.
func classEvents(before, now *v1alpha1.EnvironmentClassStatus) []plan.Event {
	var events []plan.Event
	fetched := meta.FindStatusCondition(now.Conditions, v1alpha1.ConditionProgramFetched)
	if now.Artifact != nil && (before.Artifact == nil || before.Artifact.Digest != now.Artifact.Digest) && fetched != nil {
		events = append(events, plan.Event{Reason: fetched.Reason, Message: fetched.Message})
	}
	for _, kind := range []string{v1alpha1.ConditionProgramFetched, v1alpha1.ConditionProgramAgrees} {
		condition, last := meta.FindStatusCondition(now.Conditions, kind), meta.FindStatusCondition(before.Conditions, kind)
		isWrong := condition != nil && condition.Status == metav1.ConditionFalse
		if isWrong && (last == nil || last.Reason != condition.Reason || last.Message != condition.Message) {
			events = append(events, plan.Event{Warning: true, Reason: condition.Reason, Message: condition.Message})
		}
	}
	return events
}

package class

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// The reasons of Ready of an object that does not get as far as its Environment.
const (
	ReasonNamespaceNotAllowed = "NamespaceNotAllowed"
	ReasonInputsMissing       = "InputsMissing"
	ReasonNameTaken           = "NameTaken"
	ReasonRevisionMissing     = "RevisionMissing"
	ReasonEnvironmentRefused  = "EnvironmentRefused"
)

var waitsFor = []string{ReasonNamespaceNotAllowed, ReasonInputsMissing, ReasonNameTaken, ReasonRevisionMissing, ReasonEnvironmentRefused}

// WaitsFor is the reason why what an object says does not reach its Environment, "" if it does. It is asked of all objects of a class with
// each change of one, so it copies nothing.
func WaitsFor(instance *unstructured.Unstructured) string {
	if instance.GetDeletionTimestamp() != nil {
		return ""
	}
	found, _, _ := unstructured.NestedFieldNoCopy(instance.Object, "status", "conditions")
	conditions, _ := found.([]any)
	for _, condition := range conditions {
		condition, _ := condition.(map[string]any)
		if reason, _ := condition["reason"].(string); condition["type"] == v1alpha1.ConditionReady && slices.Contains(waitsFor, reason) {
			return reason
		}
	}
	return ""
}

// SayWaiting adds to the message about a rollout which objects wait, by their names with the reasons.
func SayWaiting(message string, waiting []string, environments int32) string {
	const named = 3
	if len(waiting) == 0 {
		return message
	}
	if environments == 0 {
		message = "No object of the kind has an Environment."
	}
	slices.Sort(waiting)
	more := ""
	if rest := len(waiting) - named; rest > 0 {
		more = fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Sprintf("%s Not as their objects say: %s%s.", message, strings.Join(waiting[:min(len(waiting), named)], ", "), more)
}

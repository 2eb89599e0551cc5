package readiness

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// deadlineExceeded is the reason in a Deployment's Progressing condition after spec.progressDeadlineSeconds without
// progress.
const deadlineExceeded = "ProgressDeadlineExceeded"

// terminal lists, by kind, the states that no waiting changes.
var terminal = map[schema.GroupKind]func(object map[string]any) string{
	kinds.Job: func(object map[string]any) string {
		return failedCondition(object, "Failed", "True", "")
	},
	kinds.Deployment: func(object map[string]any) string {
		return failedCondition(object, "Progressing", "False", deadlineExceeded)
	},
	kinds.Pod: func(object map[string]any) string {
		if phase, _, _ := unstructured.NestedString(object, "status", "phase"); phase != "Failed" {
			return ""
		}
		var text strings.Builder
		text.WriteString("the pod has failed")
		for _, name := range []string{"reason", "message"} {
			if why, _, _ := unstructured.NestedString(object, "status", name); why != "" {
				text.WriteString(": " + why)
			}
		}
		return text.String()
	},
}

// failedCondition returns a condition that means failure, if the object has it and it describes the current object.
func failedCondition(object map[string]any, kind, status, reason string) string {
	condition, stale, found := current(object, kind)
	if !found || stale || condition.Status != status || reason != "" && condition.Reason != reason {
		return ""
	}
	return "condition " + condition.String()
}

// terminallyFailed says why an object will never reach the goal; otherwise "".
func terminallyFailed(object map[string]any) string {
	live := unstructured.Unstructured{Object: object}
	if failed, ok := terminal[live.GroupVersionKind().GroupKind()]; ok {
		return failed(object)
	}
	return ""
}

package readiness

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// deadlineExceeded is the reason of a Deployment's condition Progressing once spec.progressDeadlineSeconds have passed
// without progress.
const deadlineExceeded = "ProgressDeadlineExceeded"

// terminal are the states from which no waiting leads anywhere, by kind.
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

// failedCondition is a condition that means failure, if the object has it and it is
// about the object as it is now.
func failedCondition(object map[string]any, kind, status, reason string) string {
	condition, stale, found := current(object, kind)
	if !found || stale || condition.Status != status || reason != "" && condition.Reason != reason {
		return ""
	}
	return "condition " + condition.String()
}

// terminallyFailed says why an object will never be what is waited for; else "".
func terminallyFailed(object map[string]any) string {
	live := unstructured.Unstructured{Object: object}
	if failed, ok := terminal[live.GroupVersionKind().GroupKind()]; ok {
		return failed(object)
	}
	return ""
}

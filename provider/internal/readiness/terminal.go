package readiness

import (
	"cmp"
	"fmt"
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

// finally says why more time would not help. An object that is suspended may have any status, and one that its controller
// has not seen: it looks at the object again when it is resumed.
func (g *Goal) finally(object map[string]any, holds bool, behind string) terminalFailure {
	if suspended := g.suspended(object); suspended.why != "" {
		return suspended
	}
	if unaskable := g.unaskable(object); unaskable.why != "" {
		return unaskable
	}
	if holds || behind != "" {
		return terminalFailure{}
	}
	return cmp.Or(terminalFailure{why: terminallyFailed(object)}, g.final(object))
}

// failsWhen returns the expression that ends the wait as failed; otherwise "".
func (g *Goal) failsWhen(object map[string]any, behind string) string {
	// Fields that an expression reads may not exist yet; then it is not true.
	isTrue := func(e *expression) bool {
		if behind != "" && e.readsStatus() {
			return false
		}
		failed, err := e.evaluate(object)
		return err == nil && failed
	}
	if g.failWhen != nil && isTrue(g.failWhen) {
		return "failWhen is true: " + g.failWhen.text
	}
	if ready, asked := g.ready(); asked {
		if failure := ready.rule(object).failWhen; failure != nil && isTrue(failure.expression) {
			return fmt.Sprintf("failWhen of %s is true: %s", failure.rule, failure.text)
		}
	}
	return ""
}

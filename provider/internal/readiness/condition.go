package readiness

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Condition is one entry of status.conditions, as nearly all kinds have them:
// https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
type Condition struct {
	Type, Status, Reason, Message string
	// At is when it was last written, if it says so.
	At time.Time

	observedGeneration int64 // of the condition, else of the status
	observed           bool  // one of them says
}

// String is the condition in one line: "Ready=False (ImagePullBackOff): message".
func (c Condition) String() string {
	text := c.Type + "=" + c.Status
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	if c.Message != "" {
		text += ": " + c.Message
	}
	return text
}

// Conditions lists the conditions of an object in their order.
func Conditions(object map[string]any) []Condition {
	entries, _, _ := unstructured.NestedFieldNoCopy(object, "status", "conditions")
	ofStatus, observed, _ := unstructured.NestedInt64(object, "status", "observedGeneration")
	return conditionsIn(entries, ofStatus, observed)
}

// conditionsIn lists conditions. ofStatus is the generation that those are about which do not state their own, if that is
// observed.
func conditionsIn(entries any, ofStatus int64, observed bool) []Condition {
	list, _ := entries.([]any)
	var conditions []Condition
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		text := func(name string) string { v, _ := fields[name].(string); return v }
		condition := Condition{
			Type: text("type"), Status: text("status"), Reason: text("reason"), Message: text("message"),
			observedGeneration: ofStatus, observed: observed,
		}
		if is, ok := fields["status"].(bool); ok { // some definitions have no enumeration of texts
			condition.Status = map[bool]string{true: "True", false: "False"}[is]
		}
		for _, name := range []string{"lastTransitionTime", "lastUpdateTime"} {
			if at, err := time.Parse(time.RFC3339, text(name)); err == nil {
				condition.At = at
			}
		}
		if own, ok := fields["observedGeneration"].(int64); ok {
			condition.observedGeneration, condition.observed = own, true
		}
		conditions = append(conditions, condition)
	}
	return conditions
}

// current returns the condition of a type. A condition is stale while its controller has not seen the newest
// generation of the object: it then describes the previous generation.
func current(object map[string]any, kind string) (condition Condition, stale, found bool) {
	generation, _, _ := unstructured.NestedInt64(object, "metadata", "generation")
	for _, condition := range Conditions(object) {
		if strings.EqualFold(condition.Type, kind) {
			stale := condition.observed && condition.observedGeneration < generation
			return condition, stale, true
		}
	}
	return Condition{}, false, false
}

// conditionCriterion holds when a status condition has a status and is not stale.
type conditionCriterion struct{ kind, status string }

// parseCondition reads "Ready" or "Ready=False".
func parseCondition(text string) (conditionCriterion, error) {
	kind, status, given := strings.Cut(text, "=")
	kind, status = strings.TrimSpace(kind), strings.TrimSpace(status)
	if !given {
		status = "True"
	}
	if kind == "" {
		return conditionCriterion{}, errors.New("name a condition, such as Ready or Ready=False")
	}
	for _, known := range []string{"True", "False", "Unknown"} {
		if strings.EqualFold(status, known) {
			return conditionCriterion{kind, known}, nil
		}
	}
	return conditionCriterion{}, fmt.Errorf("the status of a condition is True, False or Unknown, not %q", status)
}

func (c conditionCriterion) String() string { return "condition " + c.kind + "=" + c.status }

// readsStatus is false: a condition that states its own generation is trusted, whatever the rest of the status says.
func (conditionCriterion) readsStatus() bool { return false }

func (c conditionCriterion) missing(object map[string]any) string {
	condition, stale, found := current(object, c.kind)
	switch {
	case !found:
		return fmt.Sprintf("there is no condition %s yet", c.kind)
	case !strings.EqualFold(condition.Status, c.status):
		return "condition " + condition.String()
	case stale:
		generation, _, _ := unstructured.NestedInt64(object, "metadata", "generation")
		return fmt.Sprintf("condition %s=%s is out of date: it is about generation %d, the object is at %d",
			condition.Type, condition.Status, condition.observedGeneration, generation)
	default:
		return ""
	}
}

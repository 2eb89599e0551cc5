package readiness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// switches are the fields of spec by which people suspend what a controller does with an object.
var switches = []string{"suspend", "suspended", "paused", "pause"}

// pausedAnnotations are the names of annotations, of whatever domain, that do the same.
var pausedAnnotations = []string{"paused", "pause-reconciliation", "pause-reconcile"}

// switchedOff says by which field or annotation an object is suspended; "" if by none.
func switchedOff(object map[string]any) (by, next string) {
	for _, name := range switches {
		if is, _, _ := unstructured.NestedBool(object, "spec", name); is {
			return "spec." + name, fmt.Sprintf("set spec.%s to false", name)
		}
	}
	annotations, _, _ := unstructured.NestedStringMap(object, "metadata", "annotations")
	for name, value := range annotations {
		_, short, _ := strings.Cut(name, "/")
		if slices.Contains(pausedAnnotations, short) && (strings.EqualFold(value, "true") || value == "") {
			return "the annotation " + name, "remove the annotation " + name
		}
	}
	return "", ""
}

// isSchedule reports whether an object only starts others at certain times, by the name of its kind. Like a CronJob, it is
// ready while it is suspended.
func isSchedule(object map[string]any) bool {
	return slices.ContainsFunc(wordsOf(kindOf(object).Kind), func(word string) bool {
		return isOneOf(word, "cron", "schedule", "scheduled", "recurring")
	})
}

// conventionallySuspended says that an object is suspended. Its controller leaves it alone, so its status, good or bad, is
// of the time before.
func conventionallySuspended(object map[string]any) terminalFailure {
	if isSchedule(object) {
		return terminalFailure{}
	}
	if by, next := switchedOff(object); by != "" {
		return suspension(fmt.Sprintf("it is suspended (%s), so its controller leaves it alone", by), next)
	}
	if outdatedByConvention(object) != "" {
		return terminalFailure{}
	}
	s := surveyOf(object)
	fields, _ := object["status"].(map[string]any)
	s.lookAtConditions("", Conditions(object), func(c Condition) bool { return toneOfCondition(c) != suspendedTone })
	for _, name := range []string{"phase", "state", "status"} {
		if value, _ := fields[name].(string); toneOf(value) == suspendedTone {
			s.lookAtText("status."+name, []string{name}, value, fields, 0)
		}
	}
	if worst := s.worst(); worst.tone == suspendedTone {
		return suspension("it is suspended: "+worst.text, "resume it")
	}
	return terminalFailure{}
}

// suspension is why an object that is suspended does not become ready.
func suspension(why, next string) terminalFailure {
	return terminalFailure{why: why, suspended: true, next: cmp.Or(next, "resume it") +
		", or wait for something other than `ready`, such as a condition, if it is to stay suspended"}
}

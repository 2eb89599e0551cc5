package readiness

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func surveyOf(object map[string]any) *survey {
	generation, _, _ := unstructured.NestedInt64(object, "metadata", "generation")
	return &survey{generation: generation, isRun: isRun(object)}
}

func (s *survey) isStale(c Condition) bool { return c.observed && c.observedGeneration < s.generation }

// counted pairs the numbers of ready parts with the field that says how many there should be.
var counted = []struct{ wanted, is string }{
	{"replicas", "readyReplicas"}, {"replicas", "availableReplicas"}, {"replicas", "updatedReadyReplicas"},
	{"replicas", "updatedAvailableReplicas"}, {"replicas", "updatedReplicas"},
	{"instances", "readyInstances"}, {"nodes", "readyNodes"}, {"members", "readyMembers"}, {"size", "readyReplicas"},
	{"desiredNumberScheduled", "numberReady"}, {"desiredNumberScheduled", "numberAvailable"},
	{"desiredNumberScheduled", "updatedNumberScheduled"}, {"desiredReplicas", "readyReplicas"}, {"desired", "succeeded"},
}

// count compares the numbers of ready replicas with those that should be. A number that is absent says nothing: many
// kinds count their replicas, and not which of them are ready.
func (s *survey) count(object map[string]any) {
	for _, pair := range counted {
		is, says, _ := unstructured.NestedInt64(object, "status", pair.is)
		wanted, wants, _ := unstructured.NestedInt64(object, "spec", pair.wanted)
		if !wants {
			wanted, wants, _ = unstructured.NestedInt64(object, "status", pair.wanted)
		}
		if !says || !wants || is >= wanted || strings.HasPrefix(pair.is, "updated") && keepsOld(object) {
			continue
		}
		s.add(busy, "status.%s is %d of %d", pair.is, is, wanted)
	}
}

// keepsOld reports whether an object leaves some replicas as they are on purpose.
func keepsOld(object map[string]any) bool {
	for _, path := range [][]string{{"spec", "updateStrategy"}, {"spec", "strategy"}} {
		strategy, _, _ := unstructured.NestedFieldNoCopy(object, path...)
		fields, _ := strategy.(map[string]any)
		if text(fields, "type") == "OnDelete" {
			return true
		}
		for _, part := range []map[string]any{fields, below(fields, "rollingUpdate"), below(fields, "rollingUpdateStrategy")} {
			if partition, partitioned := part["partition"]; partitioned && partition != int64(0) {
				return true
			}
		}
	}
	return false
}

func below(fields map[string]any, name string) map[string]any {
	part, _ := fields[name].(map[string]any)
	return part
}

// lookAtRun reads whether what runs once has come to its end.
func (s *survey) lookAtRun(object map[string]any) {
	if !s.isRun || s.ended {
		return
	}
	fields, _ := object["status"].(map[string]any)
	started := false
	for name, value := range fields {
		if isEmpty(value) {
			continue
		}
		switch words := wordsOf(name); {
		case len(words) > 1 && isOneOf(words[0], "completion", "completed", "end", "ended", "finish", "finished"):
			return
		case len(words) > 1 && isOneOf(words[0], "start", "started"):
			started = true
		case len(words) == 1 && isOneOf(words[0], "phase", "state", "status"):
			if value, _ := value.(string); isOneOf(strings.ToLower(value), "running", "started", "active") {
				s.add(busy, "status.%s is %s", name, value)
			}
		}
	}
	if started {
		s.add(busy, "it has started and not ended")
	}
}

func isOneOf(word string, words ...string) bool { return slices.Contains(words, word) }

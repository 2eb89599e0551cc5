package readiness

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// conventional is the rule of custom kinds without a rule of their own. The conditions Ready and Available are the common
// ones; Reconciling and Stalled are those of https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md.
// Where they are absent, the words of phases and conditions decide, and the numbers of replicas: an object is ready
// unless it says that it is not.
var conventional = rule{
	missing:   func(object map[string]any) string { return judgeConventions(object).missing },
	guessed:   func(object map[string]any) string { return judgeConventions(object).guessed },
	final:     conventionallyFailed,
	doubt:     unwritten,
	suspended: conventionallySuspended,
}

// conventionalVerdict is what the conventions say of an object.
type conventionalVerdict struct {
	missing string
	// failed means that the object as a whole has failed.
	failed bool
	// guessed says what a ready object was judged by, if no convention says that it is ready.
	guessed string
}

// readyTypes are the conditions that say by convention whether an object can be used, the first one first.
var readyTypes = []string{"Ready", "Available"}

func judgeConventions(object map[string]any) conventionalVerdict {
	if isUnwritten(object["status"]) {
		return conventionalVerdict{missing: "no status yet"}
	}
	if behind := outdatedByConvention(object); behind != "" && outdated(object) == "" {
		return conventionalVerdict{missing: "readiness is out of date: " + behind}
	}
	for _, busy := range []string{"Stalled", "Reconciling"} {
		if is := failedCondition(object, busy, "True", ""); is != "" {
			return conventionalVerdict{missing: is}
		}
	}
	for _, known := range readyTypes {
		if _, _, found := current(object, known); !found {
			continue
		}
		if missing := isTrue(known)(object); missing != "" {
			return conventionalVerdict{missing: missing, failed: judgeWords(object).failed}
		}
		return judgeBeside(object, known)
	}
	return judgeWords(object)
}

// judgeBeside judges an object that says that it is Ready or Available. Ready is believed but for an explicit word to the
// contrary; Available, which also holds during a rollout, only if nothing at the top of the status denies it.
func judgeBeside(object map[string]any, known string) conventionalVerdict {
	s := surveyOf(object)
	fields, _ := object["status"].(map[string]any)
	if known == "Ready" {
		for _, c := range Conditions(object) {
			if outweighs(c) && !s.isStale(c) {
				s.add(bad, "condition %s", c)
			}
		}
		for _, name := range []string{"phase", "state", "status"} {
			if value, _ := fields[name].(string); value != "" {
				s.lookAtText("status."+name, []string{name}, value, fields, 0)
			}
		}
		return s.verdict("")
	}
	s.lookAtConditions("", Conditions(object), func(c Condition) bool {
		// What is good and False may be of no use here; that the object is Available counts more.
		return isCondition(c, readyTypes...) || toneOfCondition(c) == busy && !strings.EqualFold(c.Status, "True")
	})
	s.look("status", fields, maxDepth)
	s.count(object)
	return s.verdict("")
}

// judgeWords judges an object without the conditions Ready and Available.
func judgeWords(object map[string]any) conventionalVerdict {
	fields, _ := object["status"].(map[string]any)
	if behind := allStale(object); behind != "" && outdated(object) == "" {
		return conventionalVerdict{missing: behind}
	}
	s := surveyOf(object)
	for _, name := range []string{"phase", "state", "status"} {
		if value, _ := fields[name].(string); isFinal(value) && (s.isRun || len(Conditions(object)) > 0) {
			// It has done its work. What did not have to happen on the way stays Unknown.
			s.ended = true
		}
	}
	s.lookAtConditions("", newest(Conditions(object)), func(c Condition) bool { return s.ended && strings.EqualFold(c.Status, "Unknown") })
	s.look("status", fields, 0)
	s.count(object)
	s.lookAtRun(object)
	if missing := noneTrue(object); missing != "" && s.worst().tone < good {
		s.add(busy, "%s", missing)
	}
	return s.verdict("nothing in its status says otherwise")
}

// verdict draws the conclusion. otherwise is why a silent object counts as ready; "" if that is known already.
func (s *survey) verdict(otherwise string) conventionalVerdict {
	switch worst := s.worst(); {
	case worst.tone > good:
		return conventionalVerdict{missing: worst.text, failed: worst.tone == bad && worst.final}
	case otherwise == "":
		return conventionalVerdict{}
	case worst.tone == good:
		return conventionalVerdict{guessed: worst.text}
	default:
		return conventionalVerdict{guessed: otherwise}
	}
}

// newest leaves out the older ones of conditions of one type: some controllers keep a history of them.
func newest(conditions []Condition) []Condition {
	var kept []Condition
	for _, c := range conditions {
		at := slices.IndexFunc(kept, func(other Condition) bool { return other.Type == c.Type })
		switch {
		case at < 0:
			kept = append(kept, c)
		case !c.At.Before(kept[at].At):
			kept[at] = c
		}
	}
	return kept
}

// noneTrue reports that an object has conditions, that one of them may be a good one, and that none is True.
func noneTrue(object map[string]any) string {
	var some *Condition
	for _, c := range Conditions(object) {
		if strings.EqualFold(c.Status, "True") {
			return ""
		}
		if tone := polarity(c.Type); tone == good || tone == silent && !isMoot(c.Reason) && !mayBefall(c.Type) {
			some = &c
		}
	}
	if some == nil {
		return ""
	}
	return "none of its conditions is True, such as " + some.String()
}

// allStale reports that all conditions which state their generation are about an older one. Controllers leave single
// conditions behind that they use no more.
func allStale(object map[string]any) string {
	generation, _, _ := unstructured.NestedInt64(object, "metadata", "generation")
	newest := newestGeneration(Conditions(object))
	if newest < 0 || newest >= generation {
		return ""
	}
	return fmt.Sprintf("its conditions are about generation %d, the object is at %d", newest, generation)
}

// newestGeneration is the newest generation that conditions are about, and -1 if they do not say.
func newestGeneration(conditions []Condition) int64 {
	newest := int64(-1)
	for _, c := range conditions {
		if c.observed {
			newest = max(newest, c.observedGeneration)
		}
	}
	return newest
}

// conventionallyFailed says why an object never becomes ready: its controller says that it gives up, or it runs once and
// has failed. Most controllers try again in every other case.
func conventionallyFailed(object map[string]any) terminalFailure {
	if outdatedByConvention(object) != "" {
		return terminalFailure{}
	}
	if stalled := failedCondition(object, "Stalled", "True", ""); stalled != "" {
		return because(stalled, "correct what the condition says")
	}
	if judged := judgeConventions(object); judged.failed && isRun(object) {
		return because(judged.missing, "correct what has failed, and delete the object so that it can run again")
	}
	return terminalFailure{}
}

func unwritten(object map[string]any) Doubt {
	if isUnwritten(object["status"]) {
		return NoStatus
	}
	return NoDoubt
}

// isUnwritten reports whether a status has no value at all. Some controllers begin with empty fields.
func isUnwritten(status any) bool {
	if fields, is := status.(map[string]any); is {
		for _, value := range fields {
			if !isEmpty(value) {
				return false
			}
		}
		return true
	}
	return isEmpty(status)
}

// runs are the last words of the names of kinds that run once.
var runs = strings.Fields(`job run workflow backup restore build migration execution task experiment`)

// isRun reports whether an object is of a kind that runs once, by the name of the kind.
func isRun(object map[string]any) bool {
	words := wordsOf(kindOf(object).Kind)
	if len(words) == 0 || slices.Contains(words, "cron") || slices.Contains(words, "scaled") || slices.Contains(words, "scheduled") {
		return false
	}
	return slices.Contains(runs, words[len(words)-1])
}

package readiness

import (
	"slices"
	"strings"
)

// polarity is the tone of a condition's type: what the condition says if it is True. The last word decides, as in
// ValidationFailed and ErrorsResolved. If it has no tone, a first word does that means failure, as in FailedScale.
func polarity(conditionType string) tone {
	name := conditionType[strings.LastIndex(conditionType, "/")+1:]
	words := wordsOf(name)
	if len(words) == 0 || slices.Contains(passing, words[0]) {
		return silent
	}
	last := words[len(words)-1]
	if last == "active" || last == "running" {
		return silent // an object without load or work has them False, and is fine
	}
	said := toneOfWord(last)
	switch {
	case strings.HasSuffix(strings.Join(words, ""), "uptodate"):
		said = good
	case said == silent && toneOfWord(words[0]) == bad:
		said = bad
	case said == suspendedTone && len(words) > 1 && !slices.Contains(whole, words[0]):
		return silent // only a part is, such as the scaling of a workload
	}
	if slices.ContainsFunc(words, func(word string) bool { return slices.Contains(negations, word) }) {
		return negate(said)
	}
	return said
}

// whole are the first words of types that are about the whole object, as in ReconciliationPaused.
var whole = strings.Fields(`reconcile reconciliation reconciler rollout is`)

// isAchievement reports whether a condition is probably one that should become True, although its word is not known: it
// is in the past tense, as in Advertised. The exceptions are about what may happen to any object.
func isAchievement(conditionType string) bool {
	words := wordsOf(conditionType)
	if len(words) == 0 || slices.Contains(passing, words[0]) || polarity(conditionType) != silent {
		return false
	}
	return strings.HasSuffix(words[len(words)-1], "ed") && !mayBefall(conditionType)
}

// mayBefall reports whether a condition is about what may happen to any object.
func mayBefall(conditionType string) bool {
	words := wordsOf(conditionType)
	return len(words) > 0 && slices.Contains(befalling, words[len(words)-1])
}

var befalling = strings.Fields(`deleted upgraded updated throttled deprecated modified limited cordoned drained exhausted terminated
	locked overridden excluded truncated skipped disabled enabled changed drifted managed unmanaged shared occurred need needed
	required isolated embedded encrypted interrupted evicted preempted restarted scaled requested started expired speed feed`)

// passing are the first words of names that are about an earlier time, a wish, or a part of the way: what such a field says
// may be out of date, or never come true.
var passing = strings.Fields(`last previous prev old former history desired target expected requested initial partially min max next
	attempt attempts retry retries event events transition transitions revision revisions log logs`)

// toneOfCondition is what a condition says beside Ready and Available, whose meaning is known.
func toneOfCondition(c Condition) tone {
	meaning, reason := polarity(c.Type), toneOf(c.Reason)
	switch {
	case isCondition(c, "Progressing"):
		return toneOfProgress(c)
	case isCondition(c, "Running") && c.Reason == "Running":
		return busy // operators of the Operator SDK that are written in Ansible say so while they reconcile
	case strings.EqualFold(c.Status, "True"):
		return toneOfTrue(meaning, reason)
	case meaning == bad || meaning == suspendedTone:
		return silent // what is feared has not happened
	default:
		return toneOfShortfall(c, meaning, reason)
	}
}

// toneOfShortfall is what a condition says that is not True, although nobody fears it.
func toneOfShortfall(c Condition, meaning, reason tone) tone {
	switch {
	case reason == suspendedTone && isCondition(c, "Ready", "Available", "Healthy", "Synced", "Reconciled"):
		return suspendedTone
	case strings.EqualFold(c.Status, "Unknown"):
		return busy
	case isMoot(c.Reason):
		return silent
	case reason == bad:
		return bad
	case meaning == good || meaning == silent && reason == busy || isAchievement(c.Type):
		return busy
	default:
		return silent
	}
}

// toneOfTrue is what a condition says that is True: the reason can tell that what has come to an end has failed.
func toneOfTrue(meaning, reason tone) tone {
	switch {
	case meaning == good && reason == bad, meaning == silent && (reason == bad || reason == busy):
		return reason
	default:
		return meaning
	}
}

// toneOfProgress reads the condition Progressing, which is True during a rollout and, for kinds that are modelled on the
// Deployment, also after it. The reason distinguishes the two.
func toneOfProgress(c Condition) tone {
	reason := toneOf(c.Reason)
	switch {
	case reason == suspendedTone:
		return suspendedTone
	case strings.EqualFold(c.Status, "True") && reason == good:
		return silent
	case strings.EqualFold(c.Status, "True"), strings.EqualFold(c.Status, "Unknown"):
		return busy
	case reason == bad:
		return bad
	default:
		return silent
	}
}

// isMoot reports that a condition is False because the object does not need it.
func isMoot(reason string) bool {
	words := wordsOf(reason)
	for i, word := range words {
		switch word {
		case "disabled", "skipped", "unused", "optional", "idle":
			return true
		case "applicable", "needed", "required", "requested", "enabled", "used", "configured":
			if i > 0 && slices.Contains(negations, words[i-1]) {
				return true
			}
		}
	}
	return false
}

// outweighs reports whether a condition is True that an object which is Ready must not have, or False although its
// controller needs it to reach what it manages.
func outweighs(c Condition) bool {
	switch {
	case isCondition(c, "Failed", "Failure", "Degraded", "Error", "Errored", "Invalid", "InvalidSpec", "NotReady"):
		return strings.EqualFold(c.Status, "True")
	case isCondition(c, "Healthy"):
		return strings.EqualFold(c.Status, "False")
	case isCondition(c, "Synced", "Reconciled", "ReconcileSuccess", "Progressing"):
		return strings.EqualFold(c.Status, "False") && toneOf(c.Reason) == bad
	default:
		return false
	}
}

func isCondition(c Condition, types ...string) bool {
	return slices.ContainsFunc(types, func(known string) bool { return strings.EqualFold(known, c.Type) })
}

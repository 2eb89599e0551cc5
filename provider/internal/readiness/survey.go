package readiness

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// finding is what a part of a status says.
type finding struct {
	tone tone
	text string
	// final means that the object says so of itself as a whole, so that a bad end is the end of what runs once.
	final bool
}

// survey collects what the parts of a status say.
type survey struct {
	findings []finding
	// trouble is the text of an error that a status has; "" if it has none.
	trouble string
	// generation is that of the object: what is about an older one says nothing.
	generation int64
	// isRun means that the object runs once, and ended that it has done its work.
	isRun, ended bool
}

// maxDepth is how far below status a survey looks for parts with a state of their own.
const maxDepth = 4

func (s *survey) add(tone tone, format string, args ...any) {
	if tone != silent {
		s.findings = append(s.findings, finding{tone: tone, text: fmt.Sprintf(format, args...)})
	}
}

// worst returns the finding that counts: the first one of the greatest tone. An error counts only if nothing is good:
// many controllers leave the last one in place.
func (s *survey) worst() finding {
	found := finding{}
	if s.trouble != "" && !slices.ContainsFunc(s.findings, func(f finding) bool { return f.tone == good }) {
		found = finding{tone: bad, text: s.trouble}
	}
	for _, f := range s.findings {
		if f.tone > found.tone {
			found = f
		}
	}
	return found
}

// look reads the fields of a status, or of a part of it.
func (s *survey) look(path string, fields map[string]any, depth int) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		words := wordsOf(name)
		if len(words) == 0 || name == "conditions" || slices.Contains(passing, words[0]) {
			continue
		}
		at := path + "." + name
		switch value := fields[name].(type) {
		case string:
			s.lookAtText(at, words, value, fields, depth)
		case bool:
			s.lookAtFlag(at, words, value, depth)
		case []any, map[string]any:
			s.lookAtParts(at, words, value, depth)
		}
	}
}

// stateful are the last words of the names of fields that say in one word how an object is.
var stateful = strings.Fields(`phase state status health result outcome compliant compliance compliancy`)

// share is what texts such as "2/3" in fields like podsReady look like.
var share = regexp.MustCompile(`^(\d+)/(\d+)$`)

func (s *survey) lookAtText(at string, words []string, value string, beside map[string]any, depth int) {
	name, last := strings.Join(words, ""), words[len(words)-1]
	switch {
	case share.MatchString(value):
		if isShort(value) && slices.ContainsFunc(words, isCountWord) {
			s.add(busy, "%s is %s", at, value)
		}
	case slices.Contains(stateful, last):
		s.lookAtState(at, value, beside, depth, depth == 0 && len(words) == 1)
	case slices.Contains(flags, name):
		if is, err := strconv.ParseBool(value); err == nil {
			s.lookAtFlag(at, words, is, depth)
		}
	case value != "" && (isErrorName(words) || depth == 0 && explains(words) && toneOf(value) == bad):
		s.trouble = fmt.Sprintf("%s is %s", at, value)
	}
}

// lookAtState reads a phase or the like. final means that it is that of the object as a whole.
func (s *survey) lookAtState(at, value string, beside map[string]any, depth int, final bool) {
	if depth > 0 && strings.EqualFold(value, "Unknown") {
		return // of some parts, nobody knows more
	}
	said, text := toneOf(value), fmt.Sprintf("%s is %s", at, value)
	if said > good {
		text = withMessage(text, messageOf(beside))
	}
	s.findings = append(s.findings, finding{tone: said, text: text, final: final})
}

// isShort reports whether a share is not the whole.
func isShort(value string) bool {
	parts := share.FindStringSubmatch(value)
	is, _ := strconv.Atoi(parts[1])
	wanted, _ := strconv.Atoi(parts[2])
	return is < wanted
}

// explains reports whether a field is the explanation of a status.
func explains(words []string) bool {
	return len(words) == 1 && (words[0] == "message" || words[0] == "reason")
}

// flags are the names of booleans that say whether an object is ready.
var flags = strings.Fields(`ready healthy available succeeded success pass passed valid synced initialized provisioned established
	installed deployed online connected readytouse isready ishealthy`)

func (s *survey) lookAtFlag(at string, words []string, value bool, depth int) {
	name, last := strings.Join(words, ""), words[len(words)-1]
	// A part may well be without what the whole needs.
	known := depth == 0 && slices.Contains(flags, name) || last == "ready" || name == "healthy"
	switch {
	case known && value:
		s.add(good, "%s is true", at)
	case known:
		s.add(busy, "%s is false", at)
	case value && slices.Contains(alarms, name):
		s.add(bad, "%s is true", at)
	case value && depth == 0 && toneOfWord(name) == suspendedTone:
		s.add(suspendedTone, "%s is true", at)
	}
}

// alarms are the names of booleans that say that an object has failed.
var alarms = strings.Fields(`failed degraded errored`)

func (s *survey) lookAtParts(at string, words []string, value any, depth int) {
	if isEmpty(value) || depth >= maxDepth {
		return
	}
	fields, _ := value.(map[string]any)
	switch text := withMessage(at+" is not empty", messageOf(fields)); {
	case isErrorName(words):
		s.trouble = text
		return
	case slices.Contains(failing, words[0]):
		s.add(bad, "%s", text)
		return
	}
	var paths []string
	var parts []map[string]any
	switch value := value.(type) {
	case map[string]any:
		paths, parts = []string{at}, []map[string]any{value}
	case []any:
		for i, item := range value {
			if fields, is := item.(map[string]any); is {
				paths, parts = append(paths, fmt.Sprintf("%s[%d]", at, i)), append(parts, fields)
			}
		}
	}
	newest := int64(-1)
	for i, part := range parts {
		conditions := conditionsIn(part["conditions"], 0, false)
		newest = max(newest, newestGeneration(conditions))
		s.lookAtConditions(paths[i], conditions, nil)
		s.look(paths[i], part, depth+1)
	}
	if newest >= 0 && newest < s.generation {
		// A single part may be left behind that is no more; see the routes of the Gateway API.
		s.add(busy, "the conditions of %s are about generation %d, the object is at %d", at, newest, s.generation)
	}
}

// failing are the first words of the names of lists whose items have failed, or wait.
var failing = strings.Fields(`failed failing unhealthy unready notready unavailable`)

// lookAtConditions reads conditions, but for those that the caller has read already.
func (s *survey) lookAtConditions(at string, conditions []Condition, known func(Condition) bool) {
	for _, c := range conditions {
		if known != nil && known(c) || c.observed && c.observedGeneration < s.generation {
			continue
		}
		text := "condition " + c.String()
		if at != "" {
			text = at + ": " + text
		}
		ends := isCondition(c, "Failed", "Complete", "Completed", "Succeeded", "Finished")
		s.findings = append(s.findings, finding{tone: toneOfCondition(c), text: text, final: at == "" && ends})
	}
}

// isErrorName reports whether a field has the reason of a failure. Most controllers leave lastError in place.
func isErrorName(words []string) bool {
	switch strings.Join(words, "") {
	case "error", "errors", "errormessage", "errmsg", "errormsg", "failurereason", "failuremessage", "failure":
		return true
	}
	return false
}

func isCountWord(word string) bool {
	return slices.Contains([]string{"ready", "available", "healthy", "replicas", "pods", "members", "nodes"}, word)
}

// messageOf returns what is written beside a state to explain it.
func messageOf(fields map[string]any) string {
	for _, name := range []string{"message", "statusMessage", "stateMessage", "reason", "error"} {
		if message, _ := fields[name].(string); message != "" {
			return message
		}
	}
	return ""
}

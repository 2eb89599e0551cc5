package failure

import (
	"fmt"
	"strings"
	"unicode"
)

// When Kubernetes refuses a value, it repeats it: all of a pod's template, with every field that is not set, before it says
// what is wrong. Of what it writes about a change of a pod, most is what does not change.

const (
	// invalidValue begins a message that repeats a value.
	invalidValue = "Invalid value: "
	// maxRepeated bounds a structure that is repeated, in bytes.
	maxRepeated = 200
	// maxChanged bounds how many lines of a diff are shown.
	maxChanged = 20
)

// brief returns what helps of the API server's message about one field.
func brief(message string) string {
	if repeated, ok := strings.CutPrefix(message, invalidValue); ok {
		if n := structureLength(repeated); n > maxRepeated {
			if wrong, ok := strings.CutPrefix(repeated[n:], ": "); ok {
				message = wrong
			}
		}
	}
	if first, diff, _ := strings.Cut(message, "\n"); isDiff(diff) {
		return first + changedLines(diff)
	}
	return message
}

// isDiff reports whether a text is a diff of structures, as API servers from 1.34 or up to 1.33 write it.
func isDiff(text string) bool {
	begin, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(begin, "@@ ") || strings.HasSuffix(begin, "{")
}

// structureLength measures the structure at the beginning of a text, as Go or JSON writes it; 0 if there is none.
func structureLength(text string) int {
	open := strings.IndexAny(text, "{[")
	if open < 0 || strings.ContainsAny(text[:open], `"' :`) {
		return 0
	}
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '`':
			i += max(0, strings.IndexByte(text[i+1:], '`')) + 1
		}
		if depth == 0 && (i+1 == len(text) || text[i+1] == ':') { // a Go type may have brackets of its own
			return i + 1
		}
	}
	return 0
}

// changedLines returns the lines of a diff that change.
func changedLines(diff string) string {
	var changed []string
	for line := range strings.Lines(diff) {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		if line = strings.TrimLeft(line, " \t"); strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
			changed = append(changed, line)
		}
	}
	if more := len(changed) - maxChanged; more > 0 {
		changed = append(changed[:maxChanged], fmt.Sprintf("and %d more lines", more))
	}
	return "\n" + strings.Join(changed, "\n")
}

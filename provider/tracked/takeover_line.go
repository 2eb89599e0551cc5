package tracked

import (
	"encoding/json"
	"slices"
	"strings"
)

// Line returns the line for the program that also takes fields over from these managers. It includes the managers that
// the program already names, because it replaces the existing line.
func (o TakeOver) Line(managers ...string) string {
	names := slices.Clone(o)
	for _, manager := range managers {
		if !slices.Contains(names, manager) {
			names = append(names, manager)
		}
	}
	return KeyTakeOverFrom + ": [" + QuotedList(names) + "]"
}

// QuotedList writes texts so that YAML and the languages of programs read them alike.
func QuotedList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		var b strings.Builder
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(text) // a string can always be encoded
		quoted[i] = strings.TrimSuffix(b.String(), "\n")
	}
	return strings.Join(quoted, ", ")
}

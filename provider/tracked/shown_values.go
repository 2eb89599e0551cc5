package tracked

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// maxShown limits the length of values in messages, in bytes.
const maxShown = 200

// maxNamed limits the number of names in messages.
const maxNamed = 10

// Named formats names for a message.
func Named(names []string) string {
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Unique sorts texts and leaves out repetitions.
func Unique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// Show formats the value of a field for a message. It shows a missing value as nothing, and never shows a secret one.
// Nor does it show a value that contains a sensitive text: the live value may be a former secret of a program that no
// longer marks it.
func Show(v any, found, secret bool, sensitive []string) string {
	switch {
	case !found:
		return "nothing"
	case secret:
		return "[secret]"
	}
	text, err := json.Marshal(v)
	switch {
	case err != nil || len(text) > maxShown:
		return "(a long value)"
	case failure.NewRedactor(sensitive).Redact(string(text)) != string(text):
		return "[secret]"
	}
	return string(text)
}

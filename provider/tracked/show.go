package tracked

import "encoding/json"

// longestShown bounds the values in messages, in bytes.
const longestShown = 200

// Show writes the value of a field for a message. One that was not found is nothing,
// and a secret one is never shown.
func Show(v any, found, secret bool) string {
	switch {
	case !found:
		return "nothing"
	case secret:
		return "[secret]"
	}
	text, err := json.Marshal(v)
	if err != nil || len(text) > longestShown {
		return "(a long value)"
	}
	return string(text)
}

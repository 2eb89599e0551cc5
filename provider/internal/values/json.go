package values

import (
	"bytes"
	"encoding/json"
)

// FormatJSON writes a plain tree as one line of JSON. Equal trees give equal texts: keys are sorted. It fails for an
// [Unknown].
func FormatJSON(plain any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // people may read it
	if err := encoder.Encode(plain); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte("\n"))), nil
}

// ParseJSON reads what [FormatJSON] writes. The tree is the one that [FromProperty] returns for the same values.
func ParseJSON(text string) (any, error) {
	var plain any
	if err := json.Unmarshal([]byte(text), &plain); err != nil {
		return nil, err
	}
	return withNumbers(plain), nil
}

// withNumbers converts the numbers of a tree in place.
func withNumbers(plain any) any {
	switch plain := plain.(type) {
	case float64:
		return Number(plain)
	case map[string]any:
		for key, member := range plain {
			plain[key] = withNumbers(member)
		}
		return plain
	case []any:
		for i, item := range plain {
			plain[i] = withNumbers(item)
		}
		return plain
	default:
		return plain
	}
}

package runner

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	redacted = "[secret]"
	// shortest is how short a value may be that is taken out of texts. Without "no", "1" and "on" nobody could read them,
	// and whoever guesses such a value needs no text.
	shortest = 3
	// shortestLine is the same for a line of a value with many.
	shortestLine = 8
)

// redactor takes the secrets out of texts.
type redactor struct {
	mutex sync.Mutex
	// known says of all forms of the secrets whether the secret is long enough not to be in a text by chance.
	known    map[string]bool
	replacer *strings.Replacer
}

// add makes values known, in all the ways in which they are usually written.
func (r *redactor) add(values ...string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.known == nil {
		r.known = map[string]bool{}
	}
	for _, value := range values {
		long := len(strings.TrimSpace(value)) >= shortestLine
		for _, form := range forms(value) {
			if wasLong, isKnown := r.known[form]; len(form) >= shortest && (!isKnown || long && !wasLong) {
				r.known[form], r.replacer = long, nil
			}
		}
	}
}

// text returns a text without secrets.
func (r *redactor) text(text string) string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.replacer == nil {
		r.replacer = r.build()
	}
	return r.replacer.Replace(text)
}

// reveals says whether a text has a secret in it that is not there by chance.
func (r *redactor) reveals(text string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for form, long := range r.known {
		if long && strings.Contains(text, form) {
			return true
		}
	}
	return false
}

// build prefers the longest: of two values at one place the replacer takes the first.
func (r *redactor) build() *strings.Replacer {
	longestFirst := slices.SortedFunc(maps.Keys(r.known), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(longestFirst))
	for _, form := range longestFirst {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...)
}

func forms(value string) []string {
	trimmed := strings.TrimSpace(value)
	all := []string{value, trimmed}
	if len(trimmed) >= shortest {
		quoted, _ := json.Marshal(trimmed)
		all = append(all, string(quoted[1:len(quoted)-1]),
			base64.StdEncoding.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte(trimmed)),
			url.QueryEscape(trimmed), url.PathEscape(trimmed))
	}
	if decoded, err := base64.StdEncoding.DecodeString(trimmed); err == nil && len(decoded) >= shortestLine && utf8.Valid(decoded) {
		all = append(all, string(decoded))
	}
	for line := range strings.Lines(trimmed) {
		if line = strings.TrimSpace(line); len(line) >= shortestLine {
			all = append(all, line)
		}
	}
	return all
}

// addJSON makes all texts known that are in a secret value. What only says which object of Kubernetes it is, is no secret:
// without kinds and names nobody could read a message.
func (r *redactor) addJSON(value any) {
	switch value := value.(type) {
	case string:
		r.add(value)
	case json.Number:
		if len(value) >= shortestLine {
			r.add(value.String())
		}
	case []any:
		for _, item := range value {
			r.addJSON(item)
		}
	case map[string]any:
		_, hasKind := value["kind"].(string)
		_, hasVersion := value["apiVersion"].(string)
		for key, item := range value {
			switch {
			case hasKind && hasVersion && (key == "kind" || key == "apiVersion"):
			case hasKind && hasVersion && key == "metadata":
				if metadata, ok := item.(map[string]any); ok {
					r.addJSON(metadata["annotations"])
				}
			default:
				r.addJSON(item)
			}
		}
	}
}

// redactedWriter writes whole lines, without secrets.
type redactedWriter struct {
	mutex   sync.Mutex
	to      io.Writer
	secrets *redactor
	rest    []byte
}

// longest is how long a line may get before it is written in parts.
const longest = 64 << 10

func (w *redactedWriter) Write(content []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.rest = append(w.rest, content...)
	end := bytes.LastIndexByte(w.rest, '\n') + 1
	if end == 0 && len(w.rest) > longest {
		end = len(w.rest)
	}
	if end > 0 {
		if _, err := io.WriteString(w.to, w.secrets.text(string(w.rest[:end]))); err != nil {
			return 0, err
		}
		w.rest = slices.Clone(w.rest[end:])
	}
	return len(content), nil
}

func (w *redactedWriter) flush() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	_, _ = io.WriteString(w.to, w.secrets.text(string(w.rest)))
	w.rest = nil
}

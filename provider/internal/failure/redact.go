package failure

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// redacted replaces a sensitive value.
const redacted = "[secret]"

// shortestBare is the minimum length of a sensitive value that is replaced wherever it occurs. Shorter ones are
// replaced only as separate words: replacing every "a" would leave an unreadable text and hide nothing.
const shortestBare = 4

// shortestPart is the minimum length for replacing a single line, or the beginning, of a sensitive value.
const shortestPart = 8

// Redactor hides sensitive values in texts from others: API servers, credential plugins and parsers quote what they
// refuse. It finds a value verbatim, quoted in Go, JSON or YAML up to [quotedAtMost] times, line by line, and cut off
// by the end of the text. It finds a value of less than four bytes only on its own, between quotes or other
// characters that are neither letters nor digits.
//
// The zero Redactor hides nothing.
type Redactor struct{ needles []needle }

// needle is a text to search for.
type needle struct {
	text string
	// alone means that it counts only if it is not part of a longer word.
	alone bool
	// cut means that its beginning also counts, at the end of a text.
	cut bool
}

// NewRedactor makes a redactor for values; it skips empty ones.
func NewRedactor(sensitive []string) Redactor {
	var r Redactor
	known := map[needle]bool{}
	add := func(n needle) {
		if !known[n] {
			known[n] = true
			r.needles = append(r.needles, n)
		}
	}
	for _, value := range sensitive {
		// Programs that read a value from a file or a variable often trim it.
		for _, value := range []string{value, strings.TrimSpace(value)} {
			switch {
			case value == "":
			case len(value) < shortestBare:
				add(needle{text: `"` + value + `"`})
				if strings.ContainsFunc(value, inWord) {
					add(needle{text: value, alone: true})
				}
			default:
				add(needle{text: value, cut: len(value) > shortestPart})
				if strings.Contains(value, "'") {
					add(needle{text: strings.ReplaceAll(value, "'", "''")}) // in YAML's single quotes
				}
			}
		}
		if strings.Contains(value, "\n") {
			for line := range strings.Lines(value) {
				if line = strings.TrimSpace(line); len(line) >= shortestPart {
					add(needle{text: line, alone: true})
				}
			}
		}
	}
	return r
}

// Redact returns the text without the sensitive values.
func (r Redactor) Redact(text string) string {
	var found []span
	for _, reading := range readings(text) {
		for _, n := range r.needles {
			for _, at := range n.find(reading.text) {
				found = append(found, span{reading.at[at.begin], reading.at[at.end]})
			}
		}
	}
	return replace(text, found)
}

// span is a part of a text.
type span struct{ begin, end int }

// find lists the occurrences of the needle in a text.
func (n needle) find(text string) []span {
	var found []span
	first, _ := utf8.DecodeRuneInString(n.text)
	last, _ := utf8.DecodeLastRuneInString(n.text)
	for at := 0; ; {
		next := strings.Index(text[at:], n.text)
		if next < 0 {
			break
		}
		begin, end := at+next, at+next+len(n.text)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if n.alone && (inWord(before) && inWord(first) || inWord(last) && inWord(after)) {
			at = begin + 1
			continue
		}
		found = append(found, span{begin, end})
		at = end
	}
	if n.cut {
		found = append(found, n.findCut(text)...)
	}
	return found
}

// findCut finds the beginning of the needle at the end of a text.
func (n needle) findCut(text string) []span {
	for at := max(0, len(text)-len(n.text)+1); ; at++ {
		next := strings.Index(text[at:], n.text[:shortestPart])
		if next < 0 {
			return nil
		}
		at += next
		if strings.HasPrefix(n.text, text[at:]) {
			return []span{{at, len(text)}}
		}
	}
}

// replace replaces the spans with [redacted]. It merges overlapping spans, so that no part of a value remains where
// it overlaps another.
func replace(text string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.end, a.end))
	})
	var hidden strings.Builder
	done := 0
	for i, s := range spans {
		if i > 0 && s.begin < done {
			if s.end > done {
				done = s.end
			}
			continue
		}
		hidden.WriteString(text[done:s.begin])
		hidden.WriteString(redacted)
		done = s.end
	}
	hidden.WriteString(text[done:])
	return hidden.String()
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// redactedCause keeps the cause reachable for errors.As but prints it without sensitive values.
type redactedCause struct {
	err  error
	hide Redactor
}

func (c *redactedCause) Error() string { return c.hide.message(c.err.Error()) }

// Unwrap gives the cause itself.
func (c *redactedCause) Unwrap() error { return c.err }

package failure

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// redacted stands where a sensitive value was.
const redacted = "[secret]"

// shortestBare is the length from which a sensitive value is replaced wherever it stands. Shorter ones are replaced
// only where they stand alone: replacing every "a" would leave an unreadable text and hide nothing.
const shortestBare = 4

// Redactor hides sensitive values in texts that somebody else has written: API servers, credential plugins and parsers
// quote what they refuse. A value is found as it is and as it is quoted in Go or JSON. A value of less than four bytes
// is found only where it stands alone, between quotes or other characters that are neither letters nor digits.
//
// The zero Redactor hides nothing.
type Redactor struct {
	long  *strings.Replacer
	short []string
}

// NewRedactor makes a redactor of values; empty ones do not count.
func NewRedactor(sensitive []string) Redactor {
	// A value that contains another goes before it, so that no rest of it is left.
	values := slices.SortedFunc(slices.Values(sensitive), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	var r Redactor
	var pairs []string
	for _, value := range slices.Compact(values) {
		switch {
		case value == "":
		case len(value) < shortestBare:
			for _, quoted := range quotations(value) {
				pairs = append(pairs, quoted, redacted)
			}
			if strings.ContainsFunc(value, inWord) {
				r.short = append(r.short, value)
			}
		default:
			pairs = append(pairs, value, redacted)
			for _, quoted := range quotations(value) {
				pairs = append(pairs, quoted[1:len(quoted)-1], redacted)
			}
		}
	}
	if len(pairs) > 0 {
		r.long = strings.NewReplacer(pairs...)
	}
	return r
}

// quotations are the ways to quote a value, with the quotes.
func quotations(value string) []string {
	quoted := []string{strconv.Quote(value)}
	if encoded, err := json.Marshal(value); err == nil && string(encoded) != quoted[0] {
		quoted = append(quoted, string(encoded))
	}
	return quoted
}

// Redact returns the text without the sensitive values.
func (r Redactor) Redact(text string) string {
	if r.long != nil {
		text = r.long.Replace(text)
	}
	for _, value := range r.short {
		text = redactAlone(text, value)
	}
	return text
}

// redactAll redacts several texts.
func (r Redactor) redactAll(texts []string) []string {
	var hidden []string
	for _, text := range texts {
		hidden = append(hidden, r.Redact(text))
	}
	return hidden
}

// redactAlone replaces a value where it is no part of a longer word.
func redactAlone(text, value string) string {
	var hidden strings.Builder
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	done := 0
	for at := 0; ; {
		next := strings.Index(text[at:], value)
		if next < 0 {
			break
		}
		begin, end := at+next, at+next+len(value)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if inWord(before) && inWord(first) || inWord(last) && inWord(after) {
			at = begin + 1
			continue
		}
		hidden.WriteString(text[done:begin])
		hidden.WriteString(redacted)
		at, done = end, end
	}
	hidden.WriteString(text[done:])
	return hidden.String()
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// redactedCause keeps the cause reachable for errors.As and prints it without sensitive values.
type redactedCause struct {
	err  error
	hide Redactor
}

func (c *redactedCause) Error() string { return c.hide.Redact(c.err.Error()) }

// Unwrap gives the cause itself.
func (c *redactedCause) Unwrap() error { return c.err }

package draws

import (
	"slices"
	"strings"
)

// pattern is one text of [Options.Rotate].
type pattern struct {
	text    string
	matched bool
}

// rotates reports whether a key must be drawn again, and marks the patterns that say so.
func (s *Session) rotates(text string) bool {
	rotates := false
	for i := range s.patterns {
		if p := &s.patterns[i]; p.matches(text) {
			p.matched, rotates = true, true
		}
	}
	return rotates
}

// isToRotate reports whether the value of a key must not be used again.
func (s *Session) isToRotate(text string) bool {
	return slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.matches(text) })
}

func (p pattern) matches(text string) bool {
	if p.text == text || glob(p.text, text) {
		return true
	}
	k, is := parseKey(text)
	return is && p.text != "" && k.names(p.text)
}

// glob reports whether a pattern matches a whole text. It has no character classes, because keys contain brackets, and a star also matches
// slashes.
func glob(pattern, text string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !begins(text, first) {
		return false
	}
	text = text[len(first):]
	if !starred {
		return text == ""
	}
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more { // the last part must be at the end
			return len(text) >= len(part) && begins(text[len(text)-len(part):], part)
		}
		for !begins(text, part) {
			if text == "" {
				return false
			}
			text = text[1:]
		}
		text, rest = text[len(part):], after
	}
}

// begins reports whether a text begins with a part of a pattern.
func begins(text, part string) bool {
	if len(text) < len(part) {
		return false
	}
	for i := range len(part) {
		if part[i] != '?' && part[i] != text[i] {
			return false
		}
	}
	return true
}

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

// rotates says whether a key is to be drawn again, and remembers by which patterns.
func (s *Session) rotates(text string) bool {
	rotates := false
	for i := range s.patterns {
		if p := &s.patterns[i]; p.matches(text) {
			p.matched, rotates = true, true
		}
	}
	return rotates
}

// isToRotate says whether the value of a key is not to be used any more.
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

// glob says whether a pattern matches the whole of a text. It knows no classes of characters, because keys have brackets,
// and a star stands for slashes as well.
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
		if !more { // the last part has to be at the end
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

// begins says whether a text begins with a part of a pattern.
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

package failure

import "strings"

// lineWidth is what fits beside the engine's own indentation in a terminal of common width.
const lineWidth = 110

// wrap breaks text into lines at spaces. The first line begins with first, the others with rest. Line breaks of the
// text are kept; a word that is too long stays whole, and so does a command for kubectl, so that it can be copied.
func wrap(text, first, rest string) []string {
	var lines []string
	indent := first
	for _, paragraph := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		line := indent
		empty := true
		for _, word := range strings.Fields(paragraph) {
			if !empty && len(line)+1+len(word) > lineWidth && !strings.HasPrefix(paragraph, "kubectl ") {
				lines = append(lines, line)
				line, empty = rest, true
			}
			if !empty {
				line += " "
			}
			line += word
			empty = false
		}
		lines = append(lines, line)
		indent = rest
	}
	return lines
}

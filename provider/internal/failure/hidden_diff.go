package failure

import "strings"

// When Kubernetes refuses a change to a pod, a claim or a volume, it explains that with a diff of the whole spec,
// which begins on the second line of the message. The diff contains the old and new values, and up to 1.33 it splits
// long texts, so that no search finds them. The preview shows what changes, without secrets. So if there is anything
// to hide, the diff is left out.

// hiddenRest replaces omitted lines.
const hiddenRest = " [more is hidden: it may show secrets]"

// detail returns what may be shown of the API server's message about one field. Everything after the first line is a
// diff.
func (r Redactor) detail(text string) string {
	text = r.Redact(text)
	if len(r.needles) == 0 {
		return text
	}
	return firstLine(text)
}

// message returns what may be shown of any other text from the API server, a webhook or a policy. Many of them are
// lists, one item per line, and stay whole unless a line looks like part of a diff.
func (r Redactor) message(text string) string {
	text = r.Redact(text)
	if len(r.needles) == 0 || !hasDiff(text) {
		return text
	}
	return firstLine(text)
}

// hasDiff reports whether a text may contain a diff after its first line. It also takes a list item that begins with
// a hyphen for one.
func hasDiff(text string) bool {
	_, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" && strings.Contains("+-@", line[:1]) {
			return true
		}
	}
	return false
}

func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if rest == "" {
		return line
	}
	return line + hiddenRest
}

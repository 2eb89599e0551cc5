package failure

import "strings"

// Kubernetes explains a change that it refuses in a pod, a claim or a volume by a diff of the whole spec, which begins on
// the second line of the message. It has the old values and the new, and up to 1.33 it takes long texts apart, so that
// no search finds them. The preview shows what changes, and shows it without secrets. So where there is anything to
// hide, the diff is left out.

// hiddenRest stands where lines were left out.
const hiddenRest = " [more is hidden: it may show secrets]"

// detail is what may be shown of what the API server says about one field. What follows the first line is a diff.
func (r Redactor) detail(text string) string {
	text = r.Redact(text)
	if len(r.needles) == 0 {
		return text
	}
	return firstLine(text)
}

// message is what may be shown of any other text of the API server's, or of a webhook's or a policy's. Many of them are
// lists, one item a line, and stay whole unless a line looks like one of a diff.
func (r Redactor) message(text string) string {
	text = r.Redact(text)
	if len(r.needles) == 0 || !hasDiff(text) {
		return text
	}
	return firstLine(text)
}

// hasDiff reports whether a text may have a diff behind its first line. An item of a list that begins with a hyphen is
// taken for one too.
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

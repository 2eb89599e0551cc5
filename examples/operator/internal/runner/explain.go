package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// explain says why a command failed: the first line of each error, then as much of the rest as there is room for.
func (r *report) explain(room int) string {
	headlines, details := r.causes()
	var text strings.Builder
	for i, headline := range headlines {
		more := fmt.Sprintf("and %d more", len(headlines)-i)
		if i > 0 && text.Len()+len(headline)+len(more)+2 > room {
			text.WriteString(more)
			return text.String()
		}
		text.WriteString(cut(headline, max(room/2, 200)) + "\n")
	}
	for _, said := range details {
		detail := said.text
		if said.of != "" && len(headlines) > 1 { // Of one alone it is clear whose they are.
			detail = said.of + ":\n" + detail
		}
		if left := room - text.Len(); left > 100 {
			text.WriteString(cut("\n"+detail+"\n", left))
		}
	}
	return strings.TrimSpace(text.String())
}

// causes are the errors of resources and of the program; without any what the engine said; without any what stands on the
// standard error, which is all there is where the engine does not begin.
func (r *report) causes() (headlines []string, details []detail) {
	add := func(said message) {
		headline, rest := said.lines()
		headlines = append(headlines, headline)
		if rest != "" {
			details = append(details, detail{said.name(), rest})
		}
	}
	for _, failure := range r.errors {
		add(failure)
	}
	if said := strings.TrimSpace(strings.Join(r.program, "")); said != "" {
		add(message{text: said})
	}
	if len(headlines) == 0 {
		for _, failure := range r.general {
			add(failure)
		}
	}
	if len(headlines) == 0 {
		headlines = standardError(r.err)
	}
	if len(headlines) == 0 && r.err != nil {
		headlines = []string{r.err.Error()}
	}
	return headlines, details
}

// detail is what a message says after its first line, and the resource that it is of.
type detail struct{ of, text string }

// name is the resource that a message is of; empty if it is of the whole.
func (m message) name() string {
	if m.urn == "" || m.urn.Type() == rootType {
		return ""
	}
	return m.urn.Name()
}

// lines are the first of a message, which says whose it is, and the rest.
func (m message) lines() (headline, rest string) {
	if m.violatesPlan() {
		return m.name() + " changed since the approval", ""
	}
	headline, rest = firstLine(m.text)
	if name := m.name(); name != "" {
		headline = name + ": " + headline
	}
	return headline, rest
}

// violatesPlan says whether something changed between the plan and the run. The engine says it in words alone, with the
// planned values in clear, secrets, too.
func (m message) violatesPlan() bool {
	return m.severity == "error" && strings.Contains(m.text, "violates plan")
}

// preamble is what stands before an error, and says nothing: the engine's count of what a provider reports of a resource
// that is there and not well, and the word error.
var preamble = regexp.MustCompile(`^(?:\d+ errors? occurred:\s*\*\s*|[Ee]rror: )`)

func firstLine(text string) (first, rest string) {
	text = preamble.ReplaceAllString(strings.TrimSpace(text), "")
	first, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(first), strings.TrimSpace(rest)
}

// violated says whether an approved plan was not kept to.
func (r *report) violated() bool { return slices.ContainsFunc(r.errors, message.violatesPlan) }

// standardError finds what a command has written there, in the error that the Automation API makes of it.
func standardError(err error) []string {
	if err == nil {
		return nil
	}
	_, text, _ := strings.Cut(err.Error(), "\nstderr: ")
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "error: ")); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

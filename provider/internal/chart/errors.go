package chart

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// LimitError means that a chart is too large, is nested too deep or takes too long.
type LimitError struct{ Limit string }

func (e *LimitError) Error() string { return e.Limit }

// SchemaError means that a values.schema.json does not allow the values. The problems name paths and what the schema requires, never
// values.
type SchemaError struct{ Problems []manifest.Problem }

func (e *SchemaError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, problem := range e.Problems {
		lines[i] = "\n  " + strings.TrimPrefix(problem.Path+": ", ": ") + problem.Reason
	}
	return "the chart does not allow these values:" + strings.Join(lines, "")
}

// TemplateError means that a template cannot be rendered, or that its output cannot be read.
type TemplateError struct {
	// File is the template, as in [Document], and Line the line in it; 0 if it is not known.
	File string
	Line int
	// At is the expression that failed, as it is written in the template.
	At string
	// Through are the calls that lead to the place, as "file:line", from the outermost.
	Through []string
	// Message says what happened. It may quote values, including secret ones.
	Message string

	cause error
}

func (e *TemplateError) Error() string {
	var text strings.Builder
	text.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&text, ", line %d", e.Line)
	}
	if e.At != "" {
		fmt.Fprintf(&text, ", at <%s>", e.At)
	}
	fmt.Fprintf(&text, ": %s", e.Message)
	if len(e.Through) > 0 {
		fmt.Fprintf(&text, " (from %s)", strings.Join(e.Through, ", "))
	}
	return text.String()
}

// Unwrap returns the cause, such as a [LimitError] or what ended the context.
func (e *TemplateError) Unwrap() error { return e.cause }

// chartMessage is the message of a `fail` or `required` in a template.
type chartMessage string

func (m chartMessage) Error() string { return string(m) }

// parsing matches an error of text/template that has a line, but was not raised during execution. It names the template that was parsed,
// which is a file.
var parsing = regexp.MustCompile(`(?s)^template: (.*?):(\d+)(?::\d+)?: (.*)$`)

// place is where text/template failed. Its errors are only text, and they are long for nested templates.
type place struct {
	file    string
	line    int
	at      string
	message string
}

// executing reads `template: FILE:LINE:COLUMN: executing "NAME" at <EXPRESSION>: MESSAGE`.
func executing(text string) (place, bool) {
	rest, found := strings.CutPrefix(text, "template: ")
	location, rest, isExecuting := strings.Cut(rest, `: executing "`)
	_, rest, hasPlace := strings.Cut(rest, `" at <`)
	at, message, hasMessage := strings.Cut(rest, ">: ")
	parts := strings.Split(location, ":")
	if !found || !isExecuting || !hasPlace || !hasMessage || len(parts) < 3 {
		return place{}, false
	}
	line, err := strconv.Atoi(parts[len(parts)-2])
	return place{strings.Join(parts[:len(parts)-2], ":"), line, at, message}, err == nil
}

// templateError explains an error of text/template. file is the template that was executed or parsed.
func templateError(file string, err error) *TemplateError {
	found := &TemplateError{File: file, Message: err.Error(), cause: err}
	if match := parsing.FindStringSubmatch(firstLine(err)); match != nil {
		found.File, found.Message = match[1], match[3]
		found.Line, _ = strconv.Atoi(match[2])
	}
	for rest := err; ; {
		var step template.ExecError
		if !errors.As(rest, &step) {
			break
		}
		if inner, ok := executing(step.Err.Error()); ok {
			found.step(inner)
		}
		rest = errors.Unwrap(step.Err)
	}
	var said chartMessage
	var limit *LimitError
	switch {
	case errors.As(err, &said):
		found.Message, found.At = string(said), ""
	case errors.As(err, &limit):
		found.Message, found.At = limit.Limit, ""
	}
	return found
}

// firstLine shortens a long error.
func firstLine(err error) string {
	text := err.Error()
	return text[:min(len(text), 4096)]
}

// step moves the error one call further into the templates: its previous place becomes a call on the way. A text that `tpl` renders has no
// file, so an error in it is reported at the `tpl`.
func (e *TemplateError) step(inner place) {
	const maxThrough = 5
	if inner.file == root {
		e.At, e.Message = inner.at, inner.message
		return
	}
	if e.At != "" && e.Line > 0 && (e.File != inner.file || e.Line != inner.line) && len(e.Through) < maxThrough {
		e.Through = append(e.Through, fmt.Sprintf("%s:%d", e.File, e.Line))
	}
	e.File, e.Line, e.At, e.Message = inner.file, inner.line, inner.at, inner.message
}

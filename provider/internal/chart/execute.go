package chart

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// root is the name of the template into which all files are parsed. Texts that `tpl` renders have the same name.
const root = "gotpl"

// source is a template, as it is in the chart or as Draws has rewritten it.
type source struct {
	name string // as in [Document]
	text string
	scope
}

// execution executes the templates of a chart once. It replaces Helm's engine, which cannot bound a chart: there, `tpl` in `tpl` overflows
// the stack, which ends the process, and nothing counts what a loop writes.
type execution struct {
	*bounds

	file string // the template that is being executed
	// failed, if set, collects the templates that cannot be rendered, and the others are still rendered.
	failed map[string]*TemplateError
	// reach notes which templates use drawn values and Secrets of the cluster. only, if set, are the templates to execute.
	reach *reach
	only  map[string]bool
	// parsed, if set, caches the parsed templates of the chart.
	parsed *sync.Map
}

func newExecution(ctx context.Context) *execution { return &execution{bounds: &bounds{ctx: ctx}} }

// run renders all templates except those whose names begin with an underscore. They are parsed from the deepest to the highest, so that a
// chart can redefine the definitions of a subchart, and executed in the same order.
func (e *execution) run(sources []source, functions Functions) (map[string]string, error) {
	slices.SortFunc(sources, func(a, b source) int {
		deeper := cmp.Compare(strings.Count(b.name, "/"), strings.Count(a.name, "/"))
		return cmp.Or(deeper, cmp.Compare(b.name, a.name))
	})
	e.reach = newReach(sources)
	e.changes = func(arguments []reflect.Value) { e.reach.change(e.file, arguments) }
	ofHelm, ofDraws := e.guard(templateFunctions(functions.Lookup)), template.FuncMap{}
	if functions.Draws != nil {
		ofDraws = e.guardDraws(functions.Draws.Funcs(), e.drawn)
	}
	all, err := e.parse(sources, functions.Draws != nil, ofHelm, e.marks(), ofDraws, e.renderers(nil))
	if err != nil {
		return nil, err
	}
	all.Option("missingkey=zero").Funcs(ofHelm).Funcs(e.marks())
	if e.observe != nil {
		all.Funcs(e.guard(builtins))
	}
	all.Funcs(ofDraws).Funcs(e.renderers(all))
	outputs := map[string]string{}
	for _, one := range sources {
		if strings.HasPrefix(path.Base(one.name), "_") || e.only != nil && !e.only[one.name] {
			continue
		}
		e.file, e.depth = one.name, 0
		one.data["Template"] = scopeValues{"Name": one.name, "BasePath": one.basePath}
		text, err := e.text(all.Lookup(one.name), one.data)
		switch {
		case err == nil:
			outputs[one.name] = text
		case e.failed != nil && e.alive() == nil:
			e.failed[one.name] = templateError(one.name, err)
		default:
			return nil, templateError(one.name, err)
		}
	}
	return outputs, nil
}

// drawn sees the calls of functions from Draws, some of which only pass on where they are called.
func (e *execution) drawn(name string, _, results []reflect.Value) []reflect.Value {
	if draws.Draws(name) {
		e.reach.use(e.file)
	}
	return results
}

// parseInto parses a text, which must not call the counting functions of this package.
func parseInto(into *template.Template, text string) error {
	if strings.Contains(text, reserved) {
		return fmt.Errorf("template: %s:1: a name that begins with %s is not possible", into.Name(), reserved)
	}
	if err := nestsLittle(text); err != nil {
		return err
	}
	_, err := into.Parse(text)
	return err
}

// text executes a template. A missing value is written as nothing, not as Go's "<no value>".
func (e *execution) text(executed *template.Template, data any) (string, error) {
	written, err := e.raw(executed, data)
	return strings.ReplaceAll(written, "<no value>", ""), err
}

func (e *execution) raw(executed *template.Template, data any) (string, error) {
	var written strings.Builder
	err := executed.Execute(&boundedWriter{e.bounds, &written}, data)
	return written.String(), err
}

// renderers are the functions that execute templates. `tpl` parses its text beside copies of all templates. The text may redefine these for
// itself and for everything that it renders.
func (e *execution) renderers(all *template.Template) template.FuncMap {
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			included := all.Lookup(name)
			if included == nil {
				return "", fmt.Errorf("there is no template %q", name)
			}
			return e.raw(included, data)
		},
		"tpl": func(text string, data any) (string, error) {
			held := parsedBytes(text) + len(all.Templates())*cloneBytes
			if err := e.taken(held); err != nil {
				return "", err
			}
			defer func() { e.made -= held }()
			copied, err := all.Clone()
			if err != nil {
				return "", fmt.Errorf("the templates cannot be copied: %w", err)
			}
			copied.Option("missingkey=zero").Funcs(e.renderers(copied))
			rendered := copied.New(root)
			if err := parseInto(rendered, text); err != nil {
				return "", &textError{err}
			}
			if err := instrument(copied); err != nil {
				return "", err
			}
			return e.text(rendered, data)
		},
	}
}

// textError means that `tpl` cannot parse a text.
type textError struct{ cause error }

func (t *textError) Error() string {
	message := t.cause.Error()
	if match := parsing.FindStringSubmatch(message); match != nil {
		message = match[3] + " (line " + match[2] + " of the text)"
	}
	return "the text that tpl renders is not a template: " + message
}

// Unwrap returns the cause.
func (t *textError) Unwrap() error { return t.cause }

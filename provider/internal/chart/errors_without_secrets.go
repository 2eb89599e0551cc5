package chart

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Shown returns the error of a rendering as it may be shown. Messages of templates and parsers may quote secret values, data of looked-up
// Secrets, and drawn values, in any encoding. So it returns the message from the same place in a rendering with fixed values instead of
// these. If there is no error at that place, only the place is shown.
func (c *Chart) Shown(ctx context.Context, in Partly, err error) error {
	template, isTemplate := errors.AsType[*TemplateError](err)
	schema, isSchema := errors.AsType[*SchemaError](err)
	if isBounded(err) || !isTemplate && !isSchema {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxTime, tooLong)
	defer cancel()
	p := &partly{Partly: in, chart: c, ctx: ctx, places: unknownIn(in.Values, nil)}
	if isSchema {
		return p.shownProblems(schema)
	}
	for _, text := range standIns {
		if same := p.failureWith(text, template); same != nil {
			same.Message, same.At = strings.ReplaceAll(same.Message, text, shownSecret), strings.ReplaceAll(same.At, text, shownSecret)
			return same
		}
	}
	return &TemplateError{
		File: template.File, Line: template.Line, Through: template.Through,
		Message: "it cannot be rendered with these values. Why is not shown, because it depends on secret ones, or on drawn ones. " +
			"To see it, render the chart with others that are not secret",
	}
}

// standIns replace secret texts in renderings whose errors are shown: a short one, a shorter one, and one that is too long for most checks.
// None depends on the real text.
var standIns = []string{"hiddenzq", "zq", "zq" + strings.Repeat("hidden", 42)}

// shownSecret is shown in place of a secret text.
const shownSecret = "[secret]"

// failureWith returns the error at the same place in a rendering with a text in place of secret ones; nil if there is none.
func (p *partly) failureWith(text string, failed *TemplateError) *TemplateError {
	var others []*TemplateError
	note := func(file string, err error) {
		if err != nil {
			others = append(others, asTemplateError(file, err))
		}
	}
	v := variant{standsIn: text}
	prepared, err := p.chart.prepare(p.Release, p.replaced(v), preparing{unknown: p.places, unchecked: true})
	if err != nil {
		return nil
	}
	sources, err := sourcesOf(prepared.chart, prepared.scopes, nil)
	if err != nil {
		return nil
	}
	e := newExecution(p.ctx)
	e.failed = map[string]*TemplateError{}
	looking := p.lookup(v, nil)
	outputs, err := e.run(sources, Functions{Lookup: func(apiVersion, kind, namespace, name string) (map[string]any, error) {
		found, err := looking(apiVersion, kind, namespace, name)
		if errors.Is(err, ErrUnknown) {
			return map[string]any{}, nil
		}
		return found, err
	}})
	note(failed.File, err)
	for _, file := range slices.Sorted(maps.Keys(e.failed)) {
		note(file, e.failed[file])
	}
	for _, file := range slices.Sorted(maps.Keys(outputs)) {
		if !isNotes(file) {
			_, err := p.chart.collect(prepared.chart, map[string]string{file: outputs[file]}, p.Release, nil)
			note(file, err)
		}
	}
	i := slices.IndexFunc(others, func(other *TemplateError) bool {
		return other.File == failed.File && other.Line == failed.Line && !isBounded(other)
	})
	if i < 0 {
		return nil
	}
	return others[i]
}

// shownProblems are the problems that the values also have with other texts in place of secret ones. For all other problems, only the
// secret place is shown.
func (p *partly) shownProblems(schema *SchemaError) error {
	var same []manifest.Problem
	for _, text := range standIns {
		_, err := p.chart.prepare(p.Release, p.replaced(variant{standsIn: text}), preparing{unknown: p.places})
		if other, is := errors.AsType[*SchemaError](err); is {
			same = append(same, other.Problems...)
		}
	}
	shown := &SchemaError{}
	for _, problem := range schema.Problems {
		if !slices.Contains(same, problem) {
			problem = manifest.Problem{Path: p.secretPlace(problem.Path), Reason: "the schema does not allow it. Why is not shown, because it is secret"}
		}
		if !slices.Contains(shown.Problems, problem) {
			shown.Problems = append(shown.Problems, problem)
		}
	}
	return shown
}

// secretPlace is the secret place that contains a path; if there is none, it is empty and stands for all values.
func (p *partly) secretPlace(path string) string {
	for _, place := range p.Secrets.Paths() {
		secret := values.FormatSegments(place...)
		if secret != "" && (path == secret || strings.HasPrefix(path, secret+".") || strings.HasPrefix(path, secret+"[")) {
			return secret
		}
	}
	return ""
}

// inPlaceOf is a value of the same type that reveals only whether the original is empty: a text, a number, or a list or map with replaced
// content. A list has one item. Keys that the chart knows are kept.
func inPlaceOf(value, model any, text string) any {
	switch value := value.(type) {
	case map[string]any:
		known, _ := model.(map[string]any)
		made := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			model, isKnown := known[key]
			as := key
			if !isKnown {
				as = text
			}
			if _, there := made[as]; !there {
				made[as] = inPlaceOf(value[key], model, text)
			}
		}
		return made
	case []any:
		if len(value) == 0 {
			return value
		}
		return []any{inPlaceOf(value[0], nil, text)}
	case bool:
		return len(text) > len("zq")
	case float64:
		return float64(len(text))
	case string:
		if value == "" {
			return value
		}
		return text
	default:
		return value
	}
}

// withoutData copies a Secret, or a list of them, with a text in place of its data.
func withoutData(found map[string]any, text string) map[string]any {
	if items, isList := found["items"].([]any); isList {
		others := make([]any, len(items))
		for i, item := range items {
			object, _ := item.(map[string]any)
			others[i] = withoutData(object, text)
		}
		return map[string]any{"apiVersion": found["apiVersion"], "kind": found["kind"], "items": others}
	}
	id := manifest.IdentityOf(found)
	data := map[string]any{}
	held, _ := found["data"].(map[string]any)
	for key := range held {
		data[key] = encoded(text)
	}
	return map[string]any{
		"apiVersion": found["apiVersion"], "kind": found["kind"], "type": found["type"], "data": data,
		"metadata": map[string]any{"name": id.Name, "namespace": id.Namespace},
	}
}

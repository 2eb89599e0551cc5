package chart

import (
	"errors"
	"maps"
	"slices"
)

// outcome is the result of rendering one variant.
type outcome struct {
	*Rendered

	// texts are the outputs by template. failed are the templates without output.
	texts  map[string]string
	failed map[string]*TemplateError
	calls  *calls
	// unreadable are outputs that are not objects.
	unreadable map[string]string
	written    int      // bytes that templates have written
	crds       []string // the files in crds/
	// undecided are the templates whose lookups cannot be answered yet. lookedUp means that a lookup has found a Secret.
	undecided map[string]bool
	lookedUp  bool
}

// firstFailure is the error of the first template that cannot be rendered.
func (o *outcome) firstFailure() error {
	for _, file := range slices.Sorted(maps.Keys(o.failed)) {
		return o.failed[file]
	}
	return nil
}

// collect reads the objects of templates whose output differs from the first rendering. A template with unreadable output counts as not
// rendered.
func (o *outcome) collect(chart *Chart, prepared *prepared, release Release, same map[string]string) error {
	outputs := map[string]string{}
	for file, text := range o.texts {
		if before, there := same[file]; !there || before != text || isNotes(file) {
			outputs[file] = text
		}
	}
	collected, err := chart.collect(prepared.chart, maps.Clone(outputs), release, prepared.warnings)
	if err != nil {
		for file, text := range outputs {
			if _, err := chart.collect(prepared.chart, map[string]string{file: text}, release, nil); err != nil {
				o.failed[file], o.unreadable[file] = asTemplateError(file, err), text
				delete(outputs, file)
				delete(o.texts, file)
			}
		}
		collected, err = chart.collect(prepared.chart, outputs, release, prepared.warnings)
	}
	o.Rendered = collected
	return err
}

func asTemplateError(file string, err error) *TemplateError {
	if failed, is := errors.AsType[*TemplateError](err); is {
		return failed
	}
	return &TemplateError{File: file, Message: err.Error(), cause: err}
}

// lookup is the lookup function of one variant. The content of a Secret is exchanged like other secret values.
func (p *partly) lookup(v variant, made *outcome) func(apiVersion, kind, namespace, name string) (map[string]any, error) {
	return func(apiVersion, kind, namespace, name string) (map[string]any, error) {
		if p.Lookup == nil {
			return map[string]any{}, nil
		}
		found, err := p.Lookup(apiVersion, kind, namespace, name)
		if err != nil || apiVersion != "v1" || kind != "Secret" || len(found) == 0 {
			return found, err
		}
		if made != nil {
			made.lookedUp = true
		}
		switch {
		case !v.exchangesSecrets():
			return found, nil
		case v.standsIn != "":
			return withoutData(found, v.standsIn), nil
		}
		return withOtherData(found, v.secrets), nil
	}
}

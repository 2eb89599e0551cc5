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
	reach     *reach
}

// keep takes the templates that were not rendered again from another rendering.
func (o *outcome) keep(other *outcome, only map[string]bool) {
	for file, text := range other.texts {
		if !only[file] {
			o.texts[file] = text
		}
	}
	for file, failed := range other.failed {
		if !only[file] {
			o.failed[file] = failed
		}
	}
}

// firstFailure is the error of the first template that cannot be rendered.
func (o *outcome) firstFailure() error {
	for _, file := range slices.Sorted(maps.Keys(o.failed)) {
		return o.failed[file]
	}
	return nil
}

func asTemplateError(file string, err error) *TemplateError {
	if failed, is := errors.AsType[*TemplateError](err); is {
		return failed
	}
	return &TemplateError{File: file, Message: err.Error(), cause: err}
}

// lookup is the lookup function of one variant. The content of a Secret is exchanged like other secret values. secret, if set, is called when a Secret
// is found.
func (p *partly) lookup(v variant, secret func()) func(apiVersion, kind, namespace, name string) (map[string]any, error) {
	return func(apiVersion, kind, namespace, name string) (map[string]any, error) {
		if p.Lookup == nil {
			return map[string]any{}, nil
		}
		found, err := p.Lookup(apiVersion, kind, namespace, name)
		if err != nil || apiVersion != "v1" || kind != "Secret" || len(found) == 0 {
			return found, err
		}
		if secret != nil {
			secret()
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

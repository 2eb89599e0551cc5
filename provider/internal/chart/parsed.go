package chart

import (
	"strings"
	"text/template"
)

// parse parses all templates, each of which counts what it does. If the execution has a cache, it parses the same templates only once: a
// chart whose values are partly unknown, secret or drawn is rendered many times. declared are the functions that the templates can call.
func (e *execution) parse(sources []source, rewritten bool, declared ...template.FuncMap) (*template.Template, error) {
	var key strings.Builder
	if rewritten {
		key.WriteString("rewritten")
	}
	for _, one := range sources {
		if err := e.taken(parsedBytes(one.text)); err != nil {
			return nil, err
		}
		key.WriteByte(0)
		key.WriteString(one.name)
	}
	if e.parsed != nil {
		if parsed, known := e.parsed.Load(key.String()); known {
			return parsed.(*template.Template).Clone()
		}
	}
	all := template.New(root).Funcs(namesOnly(declared))
	for _, one := range sources {
		if err := parseInto(all.New(one.name), one.text); err != nil {
			return nil, templateError(one.name, err)
		}
	}
	if err := instrument(all); err != nil {
		return nil, err
	}
	if e.parsed == nil {
		return all, nil
	}
	e.parsed.Store(key.String(), all)
	return all.Clone()
}

// namesOnly are functions of these names that do nothing, so that what is cached holds nothing of one execution.
func namesOnly(declared []template.FuncMap) template.FuncMap {
	names := template.FuncMap{}
	for _, functions := range declared {
		for name := range functions {
			names[name] = func() string { return "" }
		}
	}
	return names
}

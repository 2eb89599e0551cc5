// Package description has the texts of the schema, which are the pages of the registry and what an editor shows. They are
// written as Markdown beside the code, in a file of each package with inputs: a section "# Type" for each Go type, and in it
// a section "## name" for each of its fields, by its name in the schema. Lines may be broken anywhere: those of a paragraph
// are joined.
package description

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Texts are the descriptions of the types of a package.
type Texts map[string]*text

// text describes a type.
type text struct {
	whole  string
	fields map[string]string // by their names in the schema
}

// Describer takes the description of a field, which it gets as a pointer: an annotator of the schema.
type Describer interface {
	Describe(field any, description string)
}

// Parse reads the sections of a Markdown file. It panics if a section is there twice, or outside of a type.
func Parse(markdown string) Texts {
	texts := Texts{}
	var (
		at     *text
		field  string
		lines  []string
		fenced bool
	)
	finish := func() {
		switch body := joined(lines); {
		case at == nil && body != "":
			panic("description: there is text before the first type: " + body)
		case at == nil:
		case field == "":
			at.whole = body
		default:
			at.fields[field] = body
		}
		field, lines = "", nil
	}
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if name, ok := strings.CutPrefix(line, "# "); ok && !fenced {
			finish()
			if texts[name] != nil {
				panic("description: type " + name + " is there twice")
			}
			at = &text{fields: map[string]string{}}
			texts[name] = at
			continue
		}
		if name, ok := strings.CutPrefix(line, "## "); ok && !fenced && at != nil {
			finish()
			if _, twice := at.fields[name]; twice {
				panic("description: field " + name + " is there twice")
			}
			field = name
			continue
		}
		lines = append(lines, line)
	}
	finish()
	return texts
}

// joined makes one line of each paragraph. Code stays as it is.
func joined(lines []string) string {
	var b strings.Builder
	fenced, within := false, false
	for _, line := range lines {
		fence := strings.HasPrefix(line, "```")
		switch {
		case within && !fence && !fenced && line != "":
			b.WriteString(" " + line)
			continue
		case within:
			b.WriteString("\n")
		}
		if fence {
			fenced = !fenced
		}
		b.WriteString(line)
		if within = line != "" && !fence && !fenced; !within {
			b.WriteString("\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// Of is the description of a type itself. It panics if there is none.
func (t Texts) Of(typeName string) string {
	if t[typeName] == nil || t[typeName].whole == "" {
		panic("description: type " + typeName + " has none")
	}
	return t[typeName].whole
}

// Describe gives their descriptions to the fields of a struct, which it gets as a pointer. It panics if a field has none,
// and if one is of no field.
func (t Texts) Describe(to Describer, typeName string, fields any) {
	described := t[typeName]
	if described == nil {
		panic("description: type " + typeName + " has none")
	}
	left := maps.Clone(described.fields)
	value := reflect.ValueOf(fields).Elem()
	for field, at := range value.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("pulumi"), ",")
		if name == "" || field.Anonymous {
			continue
		}
		body := left[name]
		if body == "" {
			panic(fmt.Sprintf("description: %s of type %s has none", name, typeName))
		}
		delete(left, name)
		to.Describe(at.Addr().Interface(), body)
	}
	if len(left) > 0 {
		panic(fmt.Sprintf("description: type %s has no %s", typeName, strings.Join(slices.Sorted(maps.Keys(left)), ", ")))
	}
}

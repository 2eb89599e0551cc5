// Package fieldtags reads the inputs that a struct stands for off its tags. The schema is made of the same structs, so an
// input has its name, its type and whether it is secret in one place.
package fieldtags

import (
	"reflect"
	"slices"
	"strings"
)

// Field is an input.
type Field struct {
	Name             string
	Type             reflect.Type // what it is where it is given
	Optional, Secret bool
}

// Fields are the inputs of a struct, in its order.
type Fields []Field

// Of reads a struct. The fields of a struct that is embedded in it are not its own.
func Of(structure reflect.Type) Fields {
	var fields Fields
	for field := range structure.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("pulumi"), ",")
		if name == "" {
			continue
		}
		given := field.Type
		if given.Kind() == reflect.Pointer {
			given = given.Elem()
		}
		fields = append(fields, Field{
			Name: name, Type: given, Optional: options == "optional", Secret: field.Tag.Get("provider") == "secret",
		})
	}
	return fields
}

// AllNames are the names of the inputs of a struct, and of structs that are embedded in it.
func AllNames[Struct any]() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Struct]()) {
		if name, _, _ := strings.Cut(field.Tag.Get("pulumi"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Names are the names of the inputs of a struct.
func Names[Struct any]() []string { return Of(reflect.TypeFor[Struct]()).Names() }

// Names are the names of the inputs.
func (f Fields) Names() []string {
	names := make([]string, len(f))
	for i, field := range f {
		names[i] = field.Name
	}
	return names
}

// Get returns the input with a name.
func (f Fields) Get(name string) (field Field, found bool) {
	at := slices.IndexFunc(f, func(field Field) bool { return field.Name == name })
	if at < 0 {
		return Field{}, false
	}
	return f[at], true
}

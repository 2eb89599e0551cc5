package chart

import (
	"reflect"
)

// reach are the templates that have used a drawn value or a Secret of the cluster. If such values are exchanged, no other template has
// another output, so no other is rendered again to find out what depends on them.
type reach struct {
	files map[string]bool
	// shared are the maps that several templates see.
	shared map[uintptr]bool
	// spread means that one of the files has changed such a map: then any template may show what it has used.
	spread bool
}

func newReach(sources []source) *reach {
	r := &reach{files: map[string]bool{}, shared: map[uintptr]bool{}}
	for _, one := range sources {
		r.share(reflect.ValueOf(one.data))
	}
	return r
}

// share adds the maps in a value.
func (r *reach) share(value reflect.Value) {
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !value.IsNil() {
			r.share(value.Elem())
		}
	case reflect.Map:
		if r.shared[value.Pointer()] {
			return
		}
		r.shared[value.Pointer()] = true
		for entries := value.MapRange(); entries.Next(); {
			r.share(entries.Value())
		}
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range value.Len() {
			r.share(value.Index(i))
		}
	case reflect.Struct:
		for _, field := range value.Fields() {
			r.share(field)
		}
	}
}

// use notes that a template uses such a value.
func (r *reach) use(file string) { r.files[file] = true }

// changing are the functions that change their first argument.
var changing = set("set", "unset", "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite")

// change sees a call of such a function.
func (r *reach) change(file string, arguments []reflect.Value) {
	into := inside(arguments[0])
	if into.Kind() != reflect.Map || !r.shared[into.Pointer()] {
		return
	}
	r.spread = r.spread || r.files[file]
	for _, argument := range arguments[1:] {
		r.share(argument)
	}
}

// only returns the templates to which such values get; nil if that is not known.
func (r *reach) only() map[string]bool {
	if r.spread {
		return nil
	}
	return r.files
}

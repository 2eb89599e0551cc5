package chart

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"time"
)

// What a rendering may use. The limits are several times what the largest charts in use need.
const (
	maxTime      = 2 * time.Minute
	maxDepth     = 1000     // templates in templates
	maxWritten   = 64 << 20 // bytes of all templates, included ones too
	maxText      = 16 << 20 // bytes of a text that a function returns, or of a value that it writes
	maxItems     = 1 << 20  // items of a list that a function makes
	maxPattern   = 1000     // letters of a file pattern, which is read recursively
	maxDocuments = 10_000   // in the output of all templates
)

// bounds count what an execution uses. They are checked wherever templates can grow or loop: at each template, each iteration of a loop,
// each call of a function and each piece of output.
type bounds struct {
	ctx     context.Context
	depth   int
	written int
	made    int
	// observe, if set, sees every call of a function except those from Draws, and may change the result.
	observe observer
	// changes, if set, sees every call of a function that changes its first argument.
	changes func(arguments []reflect.Value)
}

// alive returns an error when the time is over.
func (b *bounds) alive() error {
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	return nil
}

// tooLong ends the context of an execution.
var tooLong = &LimitError{fmt.Sprintf("rendering the chart takes more than %v", maxTime)}

// boundedWriter takes the output of a template.
type boundedWriter struct {
	*bounds

	to *strings.Builder
}

func (w *boundedWriter) Write(data []byte) (int, error) {
	if w.written += len(data); w.written > maxWritten {
		return 0, &LimitError{fmt.Sprintf("the templates of the chart write more than %d MiB", maxWritten>>20)}
	}
	if err := w.alive(); err != nil {
		return 0, err
	}
	return w.to.Write(data)
}

// marks are the functions that instrumented templates call.
func (b *bounds) marks() template.FuncMap {
	return template.FuncMap{
		reserved + "enter": func() (string, error) {
			if b.depth++; b.depth > maxDepth {
				return "", &LimitError{fmt.Sprintf("templates include each other more than %d deep", maxDepth)}
			}
			return "", b.alive()
		},
		reserved + "leave": func() string { b.depth--; return "" },
		reserved + "step":  func() (string, error) { return "", b.alive() },
		reserved + "print": func(value reflect.Value) (reflect.Value, error) { return value, fits(value) },
		reserved + "pattern": func(value reflect.Value) (reflect.Value, error) {
			if text := inside(value); text.Kind() == reflect.String && text.Len() > maxPattern {
				return value, &LimitError{fmt.Sprintf("a pattern of files has more than %d letters", maxPattern)}
			}
			return value, nil
		},
		reserved + "made": func(value reflect.Value) (reflect.Value, error) {
			return value, b.taken(callBytes + outerBytes(inside(value)))
		},
	}
}

// fits refuses values that would take too much when they are written. Maps and lists may contain others several times, which makes a small
// value large, and even themselves.
func fits(values ...reflect.Value) error {
	left := maxText
	for _, value := range values {
		if weigh(value, &left, maxDepth); left < 0 {
			return &LimitError{fmt.Sprintf("a value in a template has more than %d MiB as text, or more than %d maps in maps",
				maxText>>20, maxDepth)}
		}
	}
	return nil
}

// weigh subtracts from left roughly the number of bytes that the value takes when it is written, until none are left.
func weigh(value reflect.Value, left *int, depth int) {
	indentation := 2 * (maxDepth - depth)
	*left -= 8 + indentation // with quotes and commas
	if depth--; depth < 0 {
		*left = -1
	}
	if !value.IsValid() || *left < 0 {
		return
	}
	switch value.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !value.IsNil() {
			weigh(value.Elem(), left, depth)
		}
	case reflect.String:
		*left -= value.Len() + product(strings.Count(value.String(), "\n"), indentation)
	case reflect.Map:
		for entries := value.MapRange(); entries.Next() && *left >= 0; {
			weigh(entries.Key(), left, depth)
			weigh(entries.Value(), left, depth)
		}
	case reflect.Slice, reflect.Array:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			*left -= value.Len()
			return
		}
		for i := 0; i < value.Len() && *left >= 0; i++ {
			weigh(value.Index(i), left, depth)
		}
	}
}

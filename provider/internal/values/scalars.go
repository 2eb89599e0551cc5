package values

import (
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Text returns the text of a value, or "" if it has none.
func Text(v property.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return ""
}

// Flag reports whether a value is true.
func Flag(v property.Value) bool { return v.IsBool() && v.AsBool() }

// Scalar is a scalar as JSON writes it, and "" for anything else. Programs and configuration files write numbers and
// booleans where text is meant.
func Scalar(v property.Value) string {
	switch {
	case v.IsBool():
		return strconv.FormatBool(v.AsBool())
	case v.IsNumber():
		return strconv.FormatFloat(v.AsNumber(), 'f', -1, 64)
	default:
		return Text(v)
	}
}

// Scalars are the items of a list, each as [Scalar] reads it.
func Scalars(v property.Value) []string {
	if !v.IsArray() {
		return nil
	}
	var texts []string
	for _, item := range v.AsArray().All {
		texts = append(texts, Scalar(item))
	}
	return texts
}

// List is a list of texts.
func List(texts []string) property.Value {
	list := make([]property.Value, len(texts))
	for i, text := range texts {
		list[i] = property.New(text)
	}
	return property.New(list)
}

// Package choice is for inputs that take one of a few words. Their types are enums of the framework, by which the
// packages of the languages have names for the words and editors complete them. The word itself is an input, too:
// configuration and computed values are plain strings.
package choice

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Words are what an input may be, in the order of the schema.
type Words []string

// Of returns the words of an enum.
func Of[E interface {
	~string
	infer.Enum[E]
}]() Words {
	var enum E
	var words Words
	for _, value := range enum.Values() {
		words = append(words, string(value.Value))
	}
	return words
}

// Allow reports whether an input is one of the words, or none, or not known yet.
func (w Words) Allow(v property.Value) bool {
	return v.IsNull() || v.IsComputed() || v.IsString() && slices.Contains(w, values.Text(v))
}

// String lists the words for a message.
func (w Words) String() string { return strings.Join(w, ", ") }

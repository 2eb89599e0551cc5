// Package check is what the checks of resources and functions have in common. A check tells all mistakes in the inputs at
// once, each with the path of its input, and never asks a cluster.
package check

import (
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Mistakes are what is wrong with inputs, each with the path of its input.
type Mistakes []p.CheckFailure

// Add notes a mistake.
func (m *Mistakes) Add(path, reason string) {
	*m = append(*m, p.CheckFailure{Property: path, Reason: reason})
}

// Inputs is how the check of a resource begins: with the names of its inputs, and with the connection, which it marks as
// secret.
func Inputs[Args any](inputs property.Map) (checked property.Map, wrong Mistakes) {
	wrong.names("input", inputs, fieldtags.AllNames[Args]())
	wrong = append(wrong, connection.Check(inputs.Get(connection.Key), connection.Key)...)
	if v, given := inputs.GetOk(connection.Key); given {
		inputs = inputs.Set(connection.Key, connection.MarkWhole(v))
	}
	return inputs, wrong
}

// Arguments is how the check of a function begins. The engine never calls one with an argument that is not known yet.
func Arguments[Args any](args property.Map) (wrong Mistakes) {
	known := fieldtags.AllNames[Args]()
	wrong.names("argument", args, known)
	for name, value := range args.AllStable {
		if slices.Contains(known, name) && value.HasComputed() {
			wrong.Add(name, "The value is not known yet.")
		}
	}
	if slices.Contains(known, connection.Key) {
		wrong = append(wrong, connection.Check(args.Get(connection.Key), connection.Key)...)
	}
	return wrong
}

// names finds names that there are not.
func (m *Mistakes) names(what string, given property.Map, known []string) {
	for name := range given.AllStable {
		if !slices.Contains(known, name) {
			m.Add(name, NoSuch(what, name, known))
		}
	}
}

// NoSuch says that there is no input, argument or option of a name, and which there are.
func NoSuch(what, name string, known []string) string {
	return fmt.Sprintf("There is no %s %q. The %ss are %s.", what, name, what, strings.Join(known, ", "))
}

// Flag reads an input that is true or false.
func (m *Mistakes) Flag(inputs property.Map, name string) bool {
	v := inputs.Get(name)
	if !v.IsNull() && !v.IsComputed() && !v.IsBool() {
		m.Add(name, "The value must be true or false.")
	}
	return values.Flag(v)
}

// Text reads an input that is a text.
func (m *Mistakes) Text(inputs property.Map, name string) string {
	v := inputs.Get(name)
	if !v.IsNull() && !v.IsComputed() && !v.IsString() {
		m.Add(name, "The value must be a text.")
	}
	return values.Text(v)
}

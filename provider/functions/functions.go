// Package functions is the functions of the provider: getObject and getObjects, which read objects of the cluster, and
// splitYaml, which takes the manifests in YAML texts apart and never asks a cluster.
//
// A function has no state. It runs in every preview and every update, and what it returns is never compared
// with anything. So it either returns everything, or fails and says why; it never returns a part.
//
// # Secrets
//
// The framework loses the marks of secret values in free-form outputs, so the functions serve the raw
// requests and leave typing, schema and registration to infer. What a Secret holds comes back secret. Where
// an argument is secret that says what to read, all that was read is, and no message quotes it.
package functions

import (
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// New makes the functions. source gives them their clusters.
func New(source *connection.Source) []infer.InferredFunction {
	return []infer.InferredFunction{
		&getObject{InferredFunction: infer.Function(&GetObject{}), source: source},
		&getObjects{InferredFunction: infer.Function(&GetObjects{}), source: source},
		&splitYaml{InferredFunction: infer.Function(&SplitYaml{})},
	}
}

// mistakes are what is wrong with the arguments of a call, each with the path of its argument.
type mistakes []p.CheckFailure

func (m *mistakes) add(path, reason string) {
	*m = append(*m, p.CheckFailure{Property: path, Reason: reason})
}

// names finds arguments that do not exist, and those that are not known yet, which the engine never sends.
func (m *mistakes) names(args property.Map, known []string) {
	for name, value := range args.AllStable {
		switch {
		case !slices.Contains(known, name):
			m.add(name, fmt.Sprintf("There is no argument %q. The arguments are %s.", name, strings.Join(known, ", ")))
		case value.HasComputed():
			m.add(name, "The value is not known yet.")
		}
	}
}

// connection finds what is wrong with the connection that a call has of its own.
func (m *mistakes) connection(args property.Map) {
	for _, problem := range connection.Check(args.Get(connection.Key), connection.Key) {
		m.add(problem.Property, problem.Reason)
	}
}

// flag reads an argument that is true or false.
func (m *mistakes) flag(args property.Map, name string) bool {
	arg := args.Get(name)
	if !arg.IsNull() && !arg.IsComputed() && !arg.IsBool() {
		m.add(name, "The value must be true or false.")
	}
	return values.Flag(arg)
}

// text reads an argument that is a text.
func (m *mistakes) text(args property.Map, name string) string {
	arg := args.Get(name)
	if !arg.IsNull() && !arg.IsComputed() && !arg.IsString() {
		m.add(name, "The value must be a text.")
	}
	return values.Text(arg)
}

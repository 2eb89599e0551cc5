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
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// New makes the functions. source gives them their clusters.
func New(source *connection.Source) []infer.InferredFunction {
	return []infer.InferredFunction{
		&getObject{InferredFunction: infer.Function(&GetObject{}), source: source},
		&getObjects{InferredFunction: infer.Function(&GetObjects{}), source: source},
		&splitYaml{InferredFunction: infer.Function(&SplitYaml{})},
	}
}

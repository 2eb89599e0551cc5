// Package functions contains the provider's functions: getObject and getObjects, which read objects of the cluster, and
// splitYaml, which splits YAML texts into manifests and never asks a cluster.
//
// A function has no state. It runs in every preview and every update, and nothing checks its result. So it
// either returns everything, or fails and says why; it never returns a partial result.
//
// # Secrets
//
// The framework loses the marks of secret values in free-form outputs, so the functions serve the raw
// requests and leave typing, schema and registration to infer. The data of a Secret comes back secret. If an
// argument that selects what to read is secret, the whole result is, and no message quotes it.
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

// New returns the functions. source gives them their clusters.
func New(source *connection.Source) []infer.InferredFunction {
	return []infer.InferredFunction{
		&getObject{InferredFunction: infer.Function(&GetObject{}), source: source},
		&getObjects{InferredFunction: infer.Function(&GetObjects{}), source: source},
		&splitYaml{InferredFunction: infer.Function(&SplitYaml{})},
	}
}

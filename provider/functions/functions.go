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

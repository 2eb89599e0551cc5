// Package raw is for the resources and functions that serve the engine's requests themselves. The framework has their types, for
// the schema and the languages; each value goes past it, because it loses secret marks at some depths, and has no unknown values.
package raw

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi-go-provider/infer"
)

// errServed would be the answer of the framework.
var errServed = errors.New("the request is served by the provider itself; this is a bug of the provider")

// Resource makes a type that embeds it a resource of the framework, with these inputs and outputs.
type Resource[Args, State any] struct{}

// Create is what the framework knows a resource by. It is never reached.
func (Resource[Args, State]) Create(context.Context, infer.CreateRequest[Args]) (infer.CreateResponse[State], error) {
	return infer.CreateResponse[State]{}, errServed
}

// Function makes a type that embeds it a function of the framework, with these arguments and results.
type Function[Args, Result any] struct{}

// Invoke is what the framework knows a function by. It is never reached.
func (Function[Args, Result]) Invoke(context.Context, infer.FunctionRequest[Args]) (infer.FunctionResponse[Result], error) {
	return infer.FunctionResponse[Result]{}, errServed
}

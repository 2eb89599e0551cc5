package provider

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
)

// quietly keeps secrets out of what the engine says of inputs that were refused: it prints the
// value of the property that a failure names, secret or not. A failure that would have a secret
// printed names the property in its reason instead.
func quietly(check func(context.Context, p.CheckRequest) (p.CheckResponse, error)) func(context.Context, p.CheckRequest) (p.CheckResponse, error) {
	return func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		resp, err := check(ctx, req)
		// Credentials are secret whether they are marked or not.
		inputs := connection.MarkSecret(req.Inputs)
		if v, ok := inputs.GetOk(connection.Key); ok {
			inputs = inputs.Set(connection.Key, connection.MarkWhole(v))
		}
		for i := range resp.Failures {
			hide(inputs, &resp.Failures[i])
		}
		return resp, err
	}
}

func hide(inputs property.Map, failure *p.CheckFailure) {
	if v, ok := inputs.GetOk(failure.Property); ok && v.HasSecrets() {
		failure.Reason = failure.Property + ": " + failure.Reason
		failure.Property = ""
	}
}

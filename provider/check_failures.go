package provider

import (
	"context"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/typed"
)

// documents are the inputs that hold a whole object or patch. Such an input may contain the data of a Secret, marked or
// not, and would make a message too long.
var documents = []string{"manifest", "yaml", "patch", "jsonPatch", "mergePatch"}

// redactFailures keeps secrets out of the engine's messages about refused inputs: the engine prints the value of the
// property that a failure names, secret or not. If that would print more than a plain, short value, the failure names
// the property in its reason instead.
func redactFailures(check func(context.Context, p.CheckRequest) (p.CheckResponse, error)) func(context.Context, p.CheckRequest) (p.CheckResponse, error) {
	return func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		resp, err := check(ctx, req)
		isKind := false
		if req.Urn != "" { // The configuration may have none.
			_, isKind = typed.KindOf(req.Urn.Type())
		}
		// Credentials are secret, marked or not.
		inputs := connection.MarkSecret(req.Inputs)
		if v, ok := inputs.GetOk(connection.Key); ok {
			inputs = inputs.Set(connection.Key, connection.MarkWhole(v))
		}
		for i := range resp.Failures {
			// The fields of a kind are a whole object, too.
			if failure := &resp.Failures[i]; failure.Property != "" && (isKind || !isPrintable(inputs, failure.Property)) {
				failure.Reason = failure.Property + ": " + failure.Reason
				failure.Property = ""
			}
		}
		return resp, err
	}
}

// isPrintable reports whether the engine may print the value of a property, and has one to print.
func isPrintable(inputs property.Map, path string) bool {
	v, given := inputs.GetOk(path)
	switch {
	case !given, slices.Contains(documents, path):
		return false
	case v.HasSecrets(), v.IsMap(), v.IsArray(): // even a value without an input may be a Secret in the wrong place
		return false
	default:
		return !v.IsString() || !strings.ContainsAny(v.AsString(), "\r\n")
	}
}

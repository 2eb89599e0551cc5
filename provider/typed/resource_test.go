package typed

import (
	"context"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAKubeObjectUnderstandsTheStateOfATypedResource(t *testing.T) { // [K3]
	t.Parallel()
	const urn = "urn:pulumi:dev::shop::k8sconnect:index:KubeObject::it"
	text := func(s string) property.Value { return property.New(s) }
	reference := property.New(map[string]property.Value{"apiVersion": text("v1"), "kind": text("ConfigMap")})
	data, metadata := property.New(map[string]property.Value{"a": text("1")}), property.New(map[string]property.Value{"name": text("it")})
	typedState := property.NewMap(map[string]property.Value{
		"data": data, "metadata": metadata, "__hidden": text("x"), Options: property.New(map[string]property.Value{referenceKey: reference}),
	})
	typedInputs := property.NewMap(map[string]property.Value{"data": data, "metadata": metadata})
	manifest := property.New(map[string]property.Value{"apiVersion": text("v1"), "kind": text("ConfigMap"), "data": data, "metadata": metadata})
	state := property.NewMap(map[string]property.Value{manifestKey: manifest, "__hidden": text("x"), referenceKey: reference})
	inputs := property.NewMap(map[string]property.Value{manifestKey: manifest})

	e := New(Object{Token: "k8sconnect:index:KubeObject"})
	e.options = func() []string { return nil }
	var seen []saved
	served := e.Serve(p.Provider{
		Diff: func(_ context.Context, req p.DiffRequest) (p.DiffResponse, error) {
			seen = append(seen, saved{req.State, req.OldInputs})
			return p.DiffResponse{}, nil
		},
		Update: func(_ context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
			seen = append(seen, saved{req.State, req.OldInputs})
			return p.UpdateResponse{}, nil
		},
		Delete: func(_ context.Context, req p.DeleteRequest) error {
			seen = append(seen, saved{req.Properties, req.OldInputs})
			return nil
		},
	})
	for name, given := range map[string]saved{"typed": {typedState, typedInputs}, "its own": {state, inputs}} {
		seen = nil
		_, err := served.Diff(t.Context(), p.DiffRequest{Urn: urn, State: given.outputs, OldInputs: given.inputs})
		require.NoError(t, err)
		_, err = served.Update(t.Context(), p.UpdateRequest{Urn: urn, State: given.outputs, OldInputs: given.inputs})
		require.NoError(t, err)
		require.NoError(t, served.Delete(t.Context(), p.DeleteRequest{Urn: urn, Properties: given.outputs, OldInputs: given.inputs}))
		require.Len(t, seen, 3)
		for i, got := range seen {
			assert.True(t, property.New(state).Equals(property.New(got.outputs)), "%s, call %d: %v", name, i, got.outputs)
			assert.True(t, property.New(inputs).Equals(property.New(got.inputs)), "%s, call %d: %v", name, i, got.inputs)
		}
	}
}

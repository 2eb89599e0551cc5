package engine

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	codegenrpc "github.com/pulumi/pulumi/sdk/v3/proto/go/codegen"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

// loader gives the schemas of plugins to the host for YAML. Each operation asks for ours, which is always the same: a third of
// all plugins would be started for nothing else.
type loader struct{ codegenrpc.LoaderServer }

func newLoader(ctx *plugin.Context) codegenrpc.LoaderServer {
	return loader{schema.NewLoaderServerFromContext(ctx)}
}

// answered is the provider's own answer.
var answered = sync.OnceValues(func() ([]byte, error) {
	server, err := aloneServer()
	if err != nil {
		return nil, err
	}
	answer, err := server.GetSchema(context.Background(), &pulumirpc.GetSchemaRequest{})
	return []byte(answer.GetSchema()), err
})

// aloneServer is a provider that no engine has started.
func aloneServer() (pulumirpc.ResourceProviderServer, error) {
	text, err := schemaText()
	if err != nil {
		return nil, err
	}
	return provider.Server(nil, text)
}

// extended is the provider's answer about an extension of it.
func extended(ctx context.Context, of *codegenrpc.Parameterization) ([]byte, error) {
	server, err := aloneServer()
	if err != nil {
		return nil, err
	}
	_, err = server.Parameterize(ctx, &pulumirpc.ParameterizeRequest{Parameters: &pulumirpc.ParameterizeRequest_Value{
		Value: &pulumirpc.ParameterizeRequest_ParametersValue{Name: of.GetName(), Version: of.GetVersion(), Value: of.GetValue()},
	}})
	if err != nil {
		return nil, err
	}
	answer, err := server.GetSchema(ctx, &pulumirpc.GetSchemaRequest{SubpackageName: of.GetName(), SubpackageVersion: of.GetVersion()})
	return []byte(answer.GetSchema()), err
}

// Extension is an extension of the provider, as `pulumi package add` makes it of parameters.
type Extension struct {
	Name, Version string
	// Value is what the engine hands back to the provider, and Schema what the languages make classes of.
	Value  []byte
	Schema string
}

// Extend asks the provider for an extension.
func Extend(ctx context.Context, parameters ...string) (Extension, error) {
	server, err := aloneServer()
	if err != nil {
		return Extension{}, err
	}
	made, err := server.Parameterize(ctx, &pulumirpc.ParameterizeRequest{Parameters: &pulumirpc.ParameterizeRequest_Args{
		Args: &pulumirpc.ParameterizeRequest_ParametersArgs{Args: parameters},
	}})
	if err != nil {
		return Extension{}, err
	}
	answer, err := server.GetSchema(ctx, &pulumirpc.GetSchemaRequest{SubpackageName: made.GetName(), SubpackageVersion: made.GetVersion()})
	if err != nil {
		return Extension{}, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(answer.GetSchema()), &spec); err != nil {
		return Extension{}, err
	}
	return Extension{made.GetName(), made.GetVersion(), spec.ExtensionParameterization.Parameter, answer.GetSchema()}, nil
}

// GetSchema is a call of the host.
func (l loader) GetSchema(ctx context.Context, req *codegenrpc.GetSchemaRequest) (*codegenrpc.GetSchemaResponse, error) {
	if req.GetPackage() != provider.Name {
		return l.LoaderServer.GetSchema(ctx, req)
	}
	if of := req.GetParameterization(); of != nil {
		text, err := extended(ctx, of)
		return &codegenrpc.GetSchemaResponse{Schema: text}, err
	}
	text, err := answered()
	if err != nil {
		return nil, err
	}
	return &codegenrpc.GetSchemaResponse{Schema: text}, nil
}

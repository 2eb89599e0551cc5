package engine

import (
	"context"
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
	text, err := schemaText()
	if err != nil {
		return nil, err
	}
	server, err := provider.Server(nil, text)
	if err != nil {
		return nil, err
	}
	answer, err := server.GetSchema(context.Background(), &pulumirpc.GetSchemaRequest{})
	return []byte(answer.GetSchema()), err
})

// GetSchema is a call of the host.
func (l loader) GetSchema(ctx context.Context, req *codegenrpc.GetSchemaRequest) (*codegenrpc.GetSchemaResponse, error) {
	if req.GetPackage() != provider.Name {
		return l.LoaderServer.GetSchema(ctx, req)
	}
	text, err := answered()
	if err != nil {
		return nil, err
	}
	return &codegenrpc.GetSchemaResponse{Schema: text}, nil
}

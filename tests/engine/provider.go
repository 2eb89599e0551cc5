package engine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	env "github.com/pulumi/pulumi/sdk/v3/go/common/util/env"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

// schemaText is what the plugin embeds.
var schemaText = sync.OnceValues(func() (string, error) { return checkout.Read("schema.json") })

// inProcess is a provider in this process, behind a gRPC server as in a plugin.
type inProcess struct {
	plugin.Provider
	connection *grpc.ClientConn
	engine     *pulumiprovider.HostClient
	cancel     chan bool
	done       <-chan error
	once       sync.Once
}

// startInProcess starts the provider as [provider.Serve] does in a plugin, behind what stands between it and the engine.
func startInProcess(ctx *plugin.Context, between []grpc.UnaryServerInterceptor) (plugin.Provider, error) {
	text, err := schemaText()
	if err != nil {
		return nil, err
	}
	engine, err := pulumiprovider.NewHostClient(ctx.Host.ServerAddr())
	if err != nil {
		return nil, err
	}
	server, err := provider.Server(engine, text)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	cancel := make(chan bool)
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{Cancel: cancel, Options: []grpc.ServerOption{grpc.ChainUnaryInterceptor(between...)}, Init: func(s *grpc.Server) error {
		pulumirpc.RegisterResourceProviderServer(s, server)
		return nil
	}})
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	connection, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", handle.Port),
		grpc.WithTransportCredentials(insecure.NewCredentials()), rpcutil.GrpcChannelOptions())
	if err != nil {
		close(cancel)
		return nil, errors.Join(err, engine.Close())
	}
	started := &inProcess{
		Provider:   plugin.NewProviderWithClient(ctx, pulumirpc.NewResourceProviderClient(connection), false),
		connection: connection, engine: engine, cancel: cancel, done: handle.Done,
	}
	if err := shakeHands(ctx, started); err != nil {
		return nil, errors.Join(err, started.Close())
	}
	return started, nil
}

// shakeHands is what the engine says to a plugin that it has started.
func shakeHands(ctx *plugin.Context, started plugin.Provider) error {
	folder := ctx.Root
	address := func(address string) *string {
		if address == "" {
			return nil
		}
		return &address
	}
	_, err := started.Handshake(ctx.Base(), plugin.ProviderHandshakeRequest{
		EngineAddress:               ctx.Host.ServerAddr(),
		RootDirectory:               &folder,
		ProgramDirectory:            &folder,
		ConfigureWithUrn:            true,
		SupportsViews:               true,
		SupportsRefreshBeforeUpdate: true,
		InvokeWithPreview:           true,
		MapperTarget:                address(ctx.MapperAddr()),
		LoaderTarget:                address(ctx.LoaderAddr()),
		ResolverTarget:              address(ctx.ResolverAddr()),
		AcceptsByteString:           true,
		SendsOldOutputsToCheck:      true,
		AcceptsOutputsInInvoke:      true,
		AcceptsOutputsInCall:        true,
	})
	if err != nil {
		return fmt.Errorf("handshake of the provider: %w", err)
	}
	return nil
}

// Close ends the provider, once.
func (p *inProcess) Close() error {
	var errs []error
	p.once.Do(func() {
		errs = append(errs, p.Provider.Close(), p.connection.Close(), p.engine.Close())
		close(p.cancel)
		errs = append(errs, <-p.done)
	})
	return errors.Join(errs...)
}

// startProcess starts a plugin as the engine does, with the variables of an environment before those of this process.
func startProcess(ctx *plugin.Context, path string, environment map[string]string) (plugin.Provider, error) {
	return plugin.NewProviderFromPath(ctx.Host, ctx, path, env.NewEnv(env.MapStore(environment)))
}

package engine

import (
	"errors"
	"fmt"
	"os"
	"strconv"
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

// startedProvider is a provider behind a gRPC server, as in a plugin.
type startedProvider struct {
	plugin.Provider
	end  func() error
	once sync.Once
}

// startInProcess starts the provider as [provider.Serve] does in a plugin, behind what stands between it and the engine.
func startInProcess(ctx *plugin.Context, between []grpc.UnaryServerInterceptor) (plugin.Provider, error) {
	register, engine, err := newProvider(ctx.Host.ServerAddr())
	if err != nil {
		return nil, err
	}
	cancel := make(chan bool)
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{Cancel: cancel, Options: []grpc.ServerOption{grpc.ChainUnaryInterceptor(between...)}, Init: register})
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	connection, err := connect(strconv.Itoa(handle.Port))
	if err != nil {
		close(cancel)
		return nil, errors.Join(err, engine.Close())
	}
	return connected(ctx, connection, func() error {
		err := errors.Join(connection.Close(), engine.Close())
		close(cancel)
		return errors.Join(err, <-handle.Done)
	})
}

// newProvider makes the server of a provider for the engine at an address, and its connection there.
func newProvider(engine string) (register func(*grpc.Server) error, client *pulumiprovider.HostClient, err error) {
	text, err := schemaText()
	if err != nil {
		return nil, nil, err
	}
	if client, err = pulumiprovider.NewHostClient(engine); err != nil {
		return nil, nil, err
	}
	served, err := provider.Server(client, text)
	if err != nil {
		return nil, nil, errors.Join(err, client.Close())
	}
	return func(s *grpc.Server) error {
		pulumirpc.RegisterResourceProviderServer(s, served)
		return nil
	}, client, nil
}

// connect leads to a server on this machine.
func connect(port string) (*grpc.ClientConn, error) {
	return grpc.NewClient("127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()), rpcutil.GrpcChannelOptions())
}

// startApart starts the provider in a process that has the folder of the project and an environment for itself.
func startApart(ctx *plugin.Context, environment map[string]string) (plugin.Provider, error) {
	variables := os.Environ()
	for key, value := range environment {
		variables = append(variables, key+"="+value)
	}
	l, err := startChild(providerPart, order{Engine: ctx.Host.ServerAddr(), Dir: ctx.Pwd, Environment: variables}, ctx.Diag)
	if err != nil {
		return nil, err
	}
	return connected(ctx, l.connection, l.end)
}

// connected is a provider that was started.
func connected(ctx *plugin.Context, connection *grpc.ClientConn, end func() error) (plugin.Provider, error) {
	started := &startedProvider{
		Provider: plugin.NewProviderWithClient(ctx, pulumirpc.NewResourceProviderClient(connection), false), end: end,
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
func (p *startedProvider) Close() (err error) {
	p.once.Do(func() { err = errors.Join(p.Provider.Close(), p.end()) })
	return err
}

// startProcess starts a plugin as the engine does, with the variables of an environment before those of this process.
func startProcess(ctx *plugin.Context, path string) (plugin.Provider, error) {
	return plugin.NewProviderFromPath(ctx.Host, ctx, path, env.NewEnv(env.MapStore(nil)))
}

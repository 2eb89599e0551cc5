package provider

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/startup"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/typed"
)

// Serve runs the provider as a plugin of the Pulumi engine until the engine ends it. The plugin gives out schema, which is the
// text of schema.json.
func Serve(ctx context.Context, schema string) error {
	return pulumiprovider.MainContext(ctx, Name, func(host *pulumiprovider.HostClient) (pulumirpc.ResourceProviderServer, error) {
		return Server(host, schema)
	})
}

// Server returns the gRPC server of the plugin. host is the engine's side and may be nil if no engine listens.
func Server(host *pulumiprovider.HostClient, schema string) (pulumirpc.ResourceProviderServer, error) {
	startup.Done()
	configuration := NewConfiguration(Version)
	built, extensions, err := withExtensions(configuration)
	if err != nil {
		return nil, err
	}
	built.GetSchema = written(schema)
	inner, err := p.RawServer(Name, Version, built)(host)
	if err != nil {
		return nil, err
	}
	own := &ownProvider{ResourceProviderServer: &server{ResourceProviderServer: inner, drift: configuration.DriftInPreview}}
	return &typed.Server{ResourceProviderServer: own, Extensions: extensions, Version: Version, Schema: schema}, nil
}

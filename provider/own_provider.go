package provider

import (
	"context"
	"sync/atomic"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// ownProvider gives the children of a component the provider that constructs it. The engine chooses that provider by the options
// of the component, but the packages of some languages do not pass these options on. The children would then get the default
// provider, which may lead to another cluster.
type ownProvider struct {
	pulumirpc.ResourceProviderServer

	// reference is the engine's name for this provider; empty until the engine has configured it.
	reference atomic.Pointer[string]
}

// Configure notes the engine's name for this provider.
func (o *ownProvider) Configure(ctx context.Context, req *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	if req.GetUrn() != "" && req.GetId() != "" {
		reference := req.GetUrn() + "::" + req.GetId()
		o.reference.Store(&reference)
	}
	return o.ResourceProviderServer.Configure(ctx, req)
}

// Construct constructs a component whose children have this provider.
func (o *ownProvider) Construct(ctx context.Context, req *pulumirpc.ConstructRequest) (*pulumirpc.ConstructResponse, error) {
	withAliasURNs(req)
	if reference := o.reference.Load(); reference != nil {
		if req.Providers == nil {
			req.Providers = map[string]string{}
		}
		req.Providers[Name] = *reference
	}
	return o.ResourceProviderServer.Construct(ctx, req)
}

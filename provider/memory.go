package provider

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// withMemory shares the memory of the provider among the provider's processes that serve the same engine.
func withMemory(built p.Provider, memory *tracked.Memory) p.Provider {
	built.Handshake = func(ctx context.Context, req p.HandshakeRequest) (p.HandshakeResponse, error) {
		if err := memory.Share(req.EngineAddress); err != nil {
			p.GetLogger(ctx).Debugf("What this process learns about resources stays in it: %v", err)
		}
		return p.HandshakeResponse{}, nil
	}
	cancel := built.Cancel
	built.Cancel = func(ctx context.Context) error {
		if err := memory.Unshare(); err != nil {
			p.GetLogger(ctx).Debugf("%v", err)
		}
		if cancel == nil {
			return nil
		}
		return cancel(ctx)
	}
	return built
}

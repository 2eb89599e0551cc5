package engine

import (
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// yamlRuntime is the engine's side of a host for YAML.
type yamlRuntime struct {
	plugin.LanguageRuntime
	lease *lease
	once  sync.Once
}

func newYAML(ctx *plugin.Context) (plugin.LanguageRuntime, error) {
	l, err := startChild(yamlPart, order{Engine: ctx.Host.ServerAddr()}, ctx.Diag)
	if err != nil {
		return nil, err
	}
	return &yamlRuntime{LanguageRuntime: plugin.NewLanguageRuntimeClient("yaml", pulumirpc.NewLanguageRuntimeClient(l.connection)), lease: l}, nil
}

// Close ends the host, once.
func (r *yamlRuntime) Close() (err error) {
	r.once.Do(func() { err = r.lease.end() })
	return err
}

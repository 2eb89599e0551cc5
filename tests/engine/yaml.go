package engine

import (
	"context"
	"fmt"
	"os"
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

// Run runs a program. It returns when all that the program has written was said: with the program, the engine ends its events.
func (r *yamlRuntime) Run(ctx context.Context, info plugin.RunInfo) (progerr string, bail bool, err error) {
	progerr, bail, err = r.LanguageRuntime.Run(ctx, info)
	if err == nil {
		select {
		case <-r.lease.ran:
		case <-r.lease.silent:
		}
	}
	return progerr, bail, err
}

// Close ends the host, once.
func (r *yamlRuntime) Close() (err error) {
	r.once.Do(func() { err = r.lease.end() })
	return err
}

// yamlServer is a host for YAML that tells when a program has ended.
type yamlServer struct {
	pulumirpc.LanguageRuntimeServer
}

// Run runs a program.
func (s yamlServer) Run(ctx context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	defer fmt.Fprintln(os.Stderr, endOfProgram)
	return s.LanguageRuntimeServer.Run(ctx, request)
}

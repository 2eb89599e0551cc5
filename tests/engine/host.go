package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/codegen/convert"
	pulumi "github.com/pulumi/pulumi/pkg/v3/engine"
	pluginhost "github.com/pulumi/pulumi/pkg/v3/host"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/env"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"google.golang.org/grpc"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

// goRuntime is the language of programs that are Go functions.
const goRuntime = "function"

// host is the engine's own host of plugins, for all but the provider that is tested and the two languages of the tests. Its
// server is what the provider logs to, so its messages become events of the operation.
type host struct {
	plugin.Host
	*Stack
	program Program
	between []grpc.UnaryServerInterceptor

	mu      sync.Mutex
	started map[*plugin.Context][]plugin.Provider
	hosts   []plugin.LanguageRuntime
	once    sync.Once
}

// hosts makes the host of an operation. Whoever runs the operation closes it: the engine leaves that to the end of the process.
func (s *Stack) hosts(between []grpc.UnaryServerInterceptor, made func(*host)) pulumi.HostFactory {
	s.mu.Lock()
	program := s.program
	s.mu.Unlock()
	return func(ctx context.Context, d, status diag.Sink, debug plugin.DebugContext) (plugin.Host, error) {
		usual, err := pluginhost.New(ctx, d, status, debug, nil, newLoader, convert.NewMapperServerFromContext, nil)
		if err != nil {
			return nil, err
		}
		h := &host{Host: usual, Stack: s, program: program, between: between, started: map[*plugin.Context][]plugin.Provider{}}
		made(h)
		return h, nil
	}
}

// Provider starts a provider. Ours is new each time, as each is a process of its own.
func (h *host) Provider(ctx *plugin.Context, descriptor workspace.PluginDescriptor, e env.Env) (plugin.Provider, error) {
	if descriptor.Name != provider.Name {
		return h.Host.Provider(ctx, descriptor, e)
	}
	start := func() (plugin.Provider, error) { return startInProcess(ctx, h.between) }
	switch {
	case h.provide != nil:
		start = func() (plugin.Provider, error) { return h.provide(ctx) }
	case h.Plugin != "":
		start = func() (plugin.Provider, error) { return startProcess(ctx, h.Plugin) }
	case h.Environment != nil:
		start = func() (plugin.Provider, error) { return startApart(ctx, h.Environment) }
	}
	started, err := start()
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started[ctx] = append(h.started[ctx], started)
	return started, nil
}

// LanguageRuntime starts a language.
func (h *host) LanguageRuntime(ctx *plugin.Context, runtime string) (plugin.LanguageRuntime, error) {
	switch runtime {
	case "yaml":
		return h.yaml(ctx)
	case goRuntime:
		return deploytest.NewLanguageRuntime(deploytest.ProgramFunc(h.program)), nil
	default:
		return h.Host.LanguageRuntime(ctx, runtime)
	}
}

// yaml starts the host for YAML.
func (h *host) yaml(ctx *plugin.Context) (plugin.LanguageRuntime, error) {
	started, err := newYAML(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hosts = append(h.hosts, started)
	return started, nil
}

// ResolvePlugin says that the provider is installed, as what asks for its schema wants to know.
func (h *host) ResolvePlugin(ctx *plugin.Context, descriptor workspace.PluginDescriptor) (*workspace.PluginInfo, error) {
	if descriptor.Name != provider.Name {
		return h.Host.ResolvePlugin(ctx, descriptor)
	}
	return &workspace.PluginInfo{Kind: descriptor.Kind, Name: descriptor.Name, Version: descriptor.Version}, nil
}

// SignalCancellation asks all providers to end what they do.
func (h *host) SignalCancellation() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	errs := []error{h.Host.SignalCancellation()}
	for _, started := range h.started {
		for _, p := range started {
			errs = append(errs, p.SignalCancellation(context.Background()))
		}
	}
	return errors.Join(errs...)
}

// ReleaseContext ends the plugins of a context.
func (h *host) ReleaseContext(ctx *plugin.Context) error {
	h.mu.Lock()
	started := h.started[ctx]
	delete(h.started, ctx)
	h.mu.Unlock()
	return errors.Join(end(started), h.Host.ReleaseContext(ctx))
}

// Close ends all plugins, once.
func (h *host) Close() error {
	err := error(nil)
	h.once.Do(func() { err = h.close() })
	return err
}

func (h *host) close() error {
	h.mu.Lock()
	all, hosts := h.started, h.hosts
	h.started, h.hosts = nil, nil
	h.mu.Unlock()
	var errs []error
	for _, started := range hosts {
		errs = append(errs, started.Close())
	}
	for _, started := range all {
		errs = append(errs, end(started))
	}
	return errors.Join(append(errs, h.Host.Close())...)
}

// end ends providers as the engine's own host does: a cancellation, then the end.
func end(providers []plugin.Provider) error {
	var errs []error
	for _, p := range providers {
		_ = p.SignalCancellation(context.Background()) // It is advice.
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

package rpc_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

const (
	providerType = tokens.Type("pulumi:providers:k8sconnect")
	providerURN  = resource.URN("urn:pulumi:dev::shop::pulumi:providers:k8sconnect::default")
)

// process is one running provider with the engine that talks to it. The engine starts a new one for every
// preview and every update.
type process struct {
	plugin.Provider
	// raw is for what the engine's client does not show.
	raw pulumirpc.ResourceProviderClient
	log *engineLog
	// kill breaks its connection with the engine, and ended waits until it has stopped working after that.
	kill, ended func()
	// config is what it was configured with.
	config  resource.PropertyMap
	answers answers
}

// start runs a provider and configures it.
func start(t testing.TB, config map[string]any) *process {
	t.Helper()
	p := startUnconfigured(t)
	p.configure(t, config)
	return p
}

// again runs another provider with the same configuration, as the next run does if nothing has changed.
func (p *process) again(t testing.TB) *process {
	t.Helper()
	next := startUnconfigured(t)
	next.configureChecked(t, p.config)
	return next
}

func startUnconfigured(t testing.TB) *process {
	t.Helper()
	log := &engineLog{}
	engine, _ := serve(t, func(server *grpc.Server) { pulumirpc.RegisterEngineServer(server, log) })
	host, err := pulumiprovider.NewHostClient(engine)
	require.NoError(t, err)
	t.Cleanup(func() { _ = host.Close() })

	schema, err := checkout.Read("schema.json")
	require.NoError(t, err)
	served, err := provider.Server(host, schema)
	require.NoError(t, err)
	address, stop := serve(t, func(server *grpc.Server) { pulumirpc.RegisterResourceProviderServer(server, served) }, wantReasons(t))
	// A manifest may have a megabyte, a message of the engine any size.
	const most = 400 << 20
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(most)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })

	raw := pulumirpc.NewResourceProviderClient(conn)
	p := &process{
		Provider: plugin.NewProviderWithClient(nil, raw, false), raw: raw, log: log, kill: func() { _ = conn.Close() }, ended: stop,
	}
	_, err = p.Handshake(t.Context(), plugin.ProviderHandshakeRequest{
		EngineAddress: engine, SupportsRefreshBeforeUpdate: true, InvokeWithPreview: true, ConfigureWithUrn: true,
	})
	require.NoError(t, err)
	return p
}

// serve serves until the test ends, or until ended is called, which waits for the calls that are under way.
func serve(t testing.TB, register func(*grpc.Server), options ...grpc.ServerOption) (address string, ended func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer(append(options, grpc.MaxRecvMsgSize(400<<20))...)
	register(server)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	return listener.Addr().String(), server.GracefulStop
}

// configure checks the configuration, as the engine does, and hands it over.
func (p *process) configure(t testing.TB, config map[string]any) {
	t.Helper()
	checked, failures := p.checkConfig(t, config)
	require.Empty(t, failures)
	p.configureChecked(t, checked)
}

func (p *process) checkConfig(t testing.TB, config map[string]any) (resource.PropertyMap, []plugin.CheckFailure) {
	t.Helper()
	resp, err := p.CheckConfig(t.Context(), plugin.CheckConfigRequest{
		URN: providerURN, Name: "default", Type: providerType,
		News: sentMap(config), AllowUnknowns: true,
	})
	require.NoError(t, err)
	return received(resp.Properties), resp.Failures
}

func (p *process) configureChecked(t testing.TB, config resource.PropertyMap) {
	t.Helper()
	urn, name, typ, id := providerURN, "default", providerType, resource.ID("id")
	_, err := p.Configure(t.Context(), plugin.ConfigureRequest{URN: &urn, Name: &name, Type: &typ, ID: &id, Inputs: sent(config)})
	require.NoError(t, err)
	p.config = config
}

// engineLog is the engine's side: it records what the provider tells the user.
type engineLog struct {
	pulumirpc.UnimplementedEngineServer

	mu       sync.Mutex
	messages []*pulumirpc.LogRequest
}

// Log is called by the provider.
func (l *engineLog) Log(_ context.Context, req *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages = append(l.messages, req)
	return &emptypb.Empty{}, nil
}

func (l *engineLog) where(keep func(*pulumirpc.LogRequest) bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var texts []string
	for _, message := range l.messages {
		if keep(message) {
			texts = append(texts, message.GetMessage())
		}
	}
	return texts
}

// warnings are what the user was warned of, so far.
func (l *engineLog) warnings() []string {
	return l.where(func(m *pulumirpc.LogRequest) bool {
		return m.GetSeverity() == pulumirpc.LogSeverity_WARNING && !m.GetEphemeral()
	})
}

// statuses are the lines of the live status column, so far.
func (l *engineLog) statuses() []string {
	return l.where(func(m *pulumirpc.LogRequest) bool { return m.GetEphemeral() })
}

// all is everything that was said, debug messages included.
func (l *engineLog) all() string {
	return strings.Join(l.where(func(*pulumirpc.LogRequest) bool { return true }), "\n")
}

// configureRequest configures a process that has been configured before. The engine's client does so only once.
func configureRequest(t testing.TB, config map[string]any) *pulumirpc.ConfigureRequest {
	t.Helper()
	args, err := plugin.MarshalProperties(resource.NewPropertyMapFromMap(config), plugin.MarshalOptions{KeepSecrets: true, KeepUnknowns: true})
	require.NoError(t, err)
	return &pulumirpc.ConfigureRequest{AcceptSecrets: true, AcceptResources: true, SendsOldInputs: true, SendsOldInputsToDelete: true, Args: args}
}

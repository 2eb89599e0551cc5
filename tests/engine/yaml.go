package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml"
	"github.com/pulumi/pulumi-yaml/pkg/server"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	sdk "github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// yamlHost is the language host for YAML, but for the folder that it changes to before it runs a program: the tests of a
// process share one. Programs that read files by relative paths need a process; see the package's documentation.
type yamlHost struct {
	pulumirpc.LanguageRuntimeServer
	engine string
	errors io.Writer
}

// yamlRuntime is the engine's side of it.
type yamlRuntime struct {
	plugin.LanguageRuntime
	connection *grpc.ClientConn
	cancel     chan bool
	done       <-chan error
	once       sync.Once
}

func newYAML(ctx *plugin.Context, out *output) (plugin.LanguageRuntime, error) {
	engine := ctx.Host.ServerAddr()
	host := &yamlHost{server.NewLanguageHost(engine, ""), engine, out.stderr()}
	cancel := make(chan bool)
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{Cancel: cancel, Init: func(s *grpc.Server) error {
		pulumirpc.RegisterLanguageRuntimeServer(s, host)
		return nil
	}})
	if err != nil {
		return nil, err
	}
	connection, err := grpc.NewClient(fmt.Sprintf("127.0.0.1:%d", handle.Port),
		grpc.WithTransportCredentials(insecure.NewCredentials()), rpcutil.GrpcChannelOptions())
	if err != nil {
		close(cancel)
		return nil, err
	}
	client := plugin.NewLanguageRuntimeClient("yaml", pulumirpc.NewLanguageRuntimeClient(connection))
	return &yamlRuntime{LanguageRuntime: client, connection: connection, cancel: cancel, done: handle.Done}, nil
}

// Close ends the host, once.
func (r *yamlRuntime) Close() error {
	var err error
	r.once.Do(func() {
		err = r.connection.Close()
		close(r.cancel)
		<-r.done
	})
	return err
}

// Run runs the program of a project.
func (h *yamlHost) Run(ctx context.Context, request *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	template, found, err := pulumiyaml.LoadDir(request.GetInfo().GetProgramDirectory())
	if err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	messages := template.NewDiagnosticWriter(h.errors, 0, false)
	if err := messages.WriteDiagnostics(found.HCL()); err != nil {
		return nil, err
	}
	if found.HasErrors() {
		return &pulumirpc.RunResponse{Error: "failed to load template"}, nil
	}
	pctx, err := sdk.NewContext(ctx, sdk.RunInfo{
		Project: request.GetProject(), Stack: request.GetStack(), Organization: request.GetOrganization(),
		RootDirectory: request.GetInfo().GetRootDirectory(), Parallel: request.GetParallel(), DryRun: request.GetDryRun(),
		Config: request.GetConfig(), ConfigSecretKeys: request.GetConfigSecretKeys(),
		MonitorAddr: request.GetMonitorAddress(), EngineAddr: h.engine,
	})
	if err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	defer func() { _ = pctx.Close() }()
	client, err := schema.NewLoaderClient(request.GetLoaderTarget())
	if err != nil {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	loader := pulumiyaml.NewPackageLoaderFromSchemaLoader(schema.NewCachedLoader(client))
	defer loader.Close()
	configuration := configured(request)
	err = sdk.RunWithContext(pctx, func(ctx *sdk.Context) error {
		return pulumiyaml.RunTemplate(ctx, template, configuration, loader)
	})
	if err == nil {
		return &pulumirpc.RunResponse{}, nil
	}
	wrong, ok := pulumiyaml.HasDiagnostics(err)
	if !ok {
		return &pulumirpc.RunResponse{Error: err.Error()}, nil
	}
	return &pulumirpc.RunResponse{Bail: wrong.HasErrors()}, messages.WriteDiagnostics(wrong.Unshown().HCL())
}

// configured are the values of the configuration: words as they are, everything else as JSON has it.
func configured(request *pulumirpc.RunRequest) resource.PropertyMap {
	values := resource.PropertyMap{}
	for key, text := range request.GetConfig() {
		value := resource.NewPropertyValue(parsed(text))
		if slices.Contains(request.GetConfigSecretKeys(), key) {
			value = resource.MakeSecret(value)
		}
		values[resource.PropertyKey(key)] = value
	}
	return values
}

func parsed(text string) any {
	if len(text) > 1 && strings.HasPrefix(text, "0") && !strings.HasPrefix(text, "0.") {
		return text // a number of something, not a number
	}
	if b, err := strconv.ParseBool(text); err == nil && text != "0" && text != "1" {
		return b
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return text
	}
	return value
}

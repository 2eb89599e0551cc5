package converter

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// program is the name under which Pulumi starts the plugin.
const program = "pulumi-converter-k8sconnect"

// IsInvokedBy reports whether a program that is started under this name is the converter.
func IsInvokedBy(name string) bool {
	return strings.TrimSuffix(filepath.Base(name), ".exe") == program
}

// Options are what the provider knows.
type Options struct {
	Version string
	// Token is the type of the resources to import.
	Token string
	// Reasoned adds the reason of an error to its text.
	Reasoned func(error) error
}

// Serve runs the converter as a plugin of the Pulumi CLI until the CLI ends it.
func Serve(ctx context.Context, options Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	cancel := make(chan bool)
	go func() {
		<-ctx.Done()
		close(cancel)
	}()
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: cancel,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterConverterServer(server, newServer(options))
			return nil
		},
	})
	if err != nil {
		return fmt.Errorf("converter: %w", err)
	}
	fmt.Println(handle.Port) // The CLI reads it.
	return <-handle.Done
}

// server answers the CLI.
type server struct {
	pulumirpc.UnimplementedConverterServer
	Options

	registry *cluster.Registry
}

func newServer(options Options) *server {
	return &server{Options: options, registry: cluster.NewRegistry(program + "/" + options.Version)}
}

// ConvertState lists the objects to import. Its warnings are lines of the plugin's output. A warning of the protocol is
// about a place in a text, and the CLI shows an empty place.
func (s *server) ConvertState(ctx context.Context, req *pulumirpc.ConvertStateRequest) (*pulumirpc.ConvertStateResponse, error) {
	found, err := s.find(ctx, req.GetArgs())
	if err != nil {
		return nil, s.Reasoned(err)
	}
	for _, warning := range found.warnings {
		fmt.Fprintln(os.Stderr, "warning: "+warning)
	}
	resp := &pulumirpc.ConvertStateResponse{}
	for i, name := range namesOf(found.objects, found.addresses) {
		resp.Resources = append(resp.Resources, &pulumirpc.ResourceImport{
			Type: s.Token, Name: name, LogicalName: name, Id: found.objects[i].String(),
		})
	}
	return resp, nil
}

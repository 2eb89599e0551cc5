// Command pulumi-resource-nothing is a Pulumi provider that does nothing: every verb answers at once
// with what it was given. A stack of its resources costs what the engine costs.
package main

import (
	"context"
	"fmt"
	"os"

	pulumiprovider "github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

const schema = `{
  "name": "nothing",
  "version": "0.0.1",
  "resources": {
    "nothing:index:KubeObject": {
      "inputProperties": {"manifest": {"$ref": "pulumi.json#/Any"}},
      "properties": {"manifest": {"$ref": "pulumi.json#/Any"}},
      "requiredInputs": ["manifest"]
    }
  }
}`

func main() {
	err := pulumiprovider.MainContext(context.Background(), "nothing",
		func(*pulumiprovider.HostClient) (pulumirpc.ResourceProviderServer, error) { return &server{}, nil })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type server struct {
	pulumirpc.UnimplementedResourceProviderServer
}

func (*server) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "0.0.1"}, nil
}

func (*server) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: schema}, nil
}

func (*server) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

func (*server) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (*server) Configure(context.Context, *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{AcceptSecrets: true, AcceptResources: true, SupportsPreview: true}, nil
}

func (*server) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

func (*server) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	if proto.Equal(req.GetOldInputs(), req.GetNews()) {
		return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
	}
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_SOME, Diffs: []string{"manifest"}}, nil
}

// Create, Read and Update ask to be read before updates, so that the engine does as much as for a
// provider that looks for drift.

func (*server) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	resp := &pulumirpc.CreateResponse{Properties: req.GetProperties(), RefreshBeforeUpdate: true}
	if !req.GetPreview() {
		resp.Id = req.GetUrn()
	}
	return resp, nil
}

func (*server) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	return &pulumirpc.ReadResponse{
		Id: req.GetId(), Inputs: req.GetInputs(), Properties: req.GetProperties(), RefreshBeforeUpdate: true,
	}, nil
}

func (*server) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	return &pulumirpc.UpdateResponse{Properties: req.GetNews(), RefreshBeforeUpdate: true}, nil
}

func (*server) Delete(context.Context, *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (*server) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

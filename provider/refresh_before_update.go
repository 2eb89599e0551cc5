package provider

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/task"
)

// server asks the engine to read a resource before it previews, updates or destroys it, which shows drift without
// --refresh. The framework does not expose that part of the protocol, so server sets it on the finished messages.
type server struct {
	pulumirpc.ResourceProviderServer

	// drift says whether the user wants previews to look for drift.
	drift func() bool
}

// Create marks the new resource so that the engine reads it before updates.
func (s *server) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	resp, err := s.ResourceProviderServer.Create(ctx, req)
	if err != nil {
		return nil, s.markFailure(req.GetUrn(), err)
	}
	resp.RefreshBeforeUpdate = s.reads(req.GetUrn())
	return resp, nil
}

// Read renews the mark, so that a changed driftDetection takes effect.
func (s *server) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	if req.Inputs == nil {
		ctx = object.Importing(ctx)
	}
	resp, err := s.ResourceProviderServer.Read(ctx, req)
	if err != nil {
		return nil, s.markFailure(req.GetUrn(), err)
	}
	if resp.GetId() == "" {
		// The framework writes empty maps, which an import takes for an object without properties. Only absent maps
		// mean that there is no object.
		resp.Properties, resp.Inputs = nil, nil
	}
	resp.RefreshBeforeUpdate = s.reads(req.GetUrn())
	return resp, nil
}

// Update renews the mark, so that a changed driftDetection takes effect.
func (s *server) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	resp, err := s.ResourceProviderServer.Update(ctx, req)
	if err != nil {
		return nil, s.markFailure(req.GetUrn(), err)
	}
	resp.RefreshBeforeUpdate = s.reads(req.GetUrn())
	return resp, nil
}

// remembering are the types of resources whose states must be known before the program runs, even if no drift is looked for: in a
// replacement, the engine tells the new resource nothing about the old one, and a component must not take the former name of another one.
var remembering = map[tokens.Type]bool{task.Token: true, task.ReleaseHooksToken: true, chart.RecordToken: true, sets.RecordToken: true}

// reads reports whether the engine has to read a resource before it updates it.
func (s *server) reads(urn string) bool { return s.drift() || remembering[resource.URN(urn).Type()] }

// markFailure sets the mark in the details of an initialization failure: that state is saved too, and needs the read
// before the next update most of all.
func (s *server) markFailure(urn string, err error) error {
	st, ok := status.FromError(err)
	if !ok {
		return err
	}
	var details []protoadapt.MessageV1
	found := false
	for _, detail := range st.Details() {
		if failed, ok := detail.(*pulumirpc.ErrorResourceInitFailed); ok {
			failed.RefreshBeforeUpdate = s.reads(urn)
			found = true
		}
		if message, ok := detail.(protoadapt.MessageV1); ok {
			details = append(details, message)
		}
	}
	if !found {
		return err
	}
	marked, rebuildErr := status.New(st.Code(), st.Message()).WithDetails(details...)
	if rebuildErr != nil {
		return fmt.Errorf("initialization failure could not be reported: %w", rebuildErr)
	}
	return marked.Err()
}

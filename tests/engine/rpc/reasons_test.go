package rpc_test

import (
	"context"
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/reason"
)

// wantReasons looks at every error that a provider answers with.
func wantReasons(t testing.TB) grpc.ServerOption {
	check := func(text string) {
		if err := reason.Check(text); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	}
	return grpc.UnaryInterceptor(func(
		ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler,
	) (any, error) {
		resp, err := handler(ctx, req)
		if said := status.Convert(err); said.Code() != codes.OK && said.Code() != codes.Unimplemented {
			check(said.Message())
			for _, detail := range said.Details() {
				if failed, ok := detail.(*pulumirpc.ErrorResourceInitFailed); ok {
					for _, why := range failed.GetReasons() {
						check(why)
					}
				}
			}
		}
		if checked, ok := resp.(interface {
			GetFailures() []*pulumirpc.CheckFailure
		}); ok && err == nil {
			for _, failure := range checked.GetFailures() {
				check(failure.GetReason())
			}
		}
		return resp, err
	})
}

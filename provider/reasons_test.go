package provider

import (
	"context"
	"errors"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestEveryErrorThatLeavesTheProviderHasItsReason(t *testing.T) {
	ctx := context.Background()
	refused := failure.Errorf(failure.ReasonImmutable, "it cannot be changed.\nNext: undo it.\nIt [stays].")
	const marked = "it cannot be changed. [Immutable]\nNext: undo it.\nIt [stays]."
	unfinished := func() *p.InitializationFailed { return &p.InitializationFailed{Reasons: []string{refused.Error()}} }
	failures := []p.CheckFailure{
		{Property: "manifest", Reason: "it is wrong.\nReally."}, {Property: "clusterConnection.token", Reason: "no"},
		{Property: "clusterConnections", Reason: "there is no such input"},
	}
	built := withReasons(p.Provider{
		CheckConfig: func(context.Context, p.CheckRequest) (p.CheckResponse, error) {
			return p.CheckResponse{Failures: []p.CheckFailure{{Property: "host", Reason: "no"}}}, refused
		},
		Check: func(context.Context, p.CheckRequest) (p.CheckResponse, error) {
			return p.CheckResponse{Failures: append([]p.CheckFailure{}, failures...)}, refused
		},
		Invoke: func(context.Context, p.InvokeRequest) (p.InvokeResponse, error) {
			return p.InvokeResponse{Failures: append([]p.CheckFailure{}, failures...)}, refused
		},
		Create: func(context.Context, p.CreateRequest) (p.CreateResponse, error) {
			return p.CreateResponse{PartialState: unfinished()}, refused
		},
		Read: func(context.Context, p.ReadRequest) (p.ReadResponse, error) {
			return p.ReadResponse{PartialState: unfinished()}, refused
		},
		Update: func(context.Context, p.UpdateRequest) (p.UpdateResponse, error) {
			return p.UpdateResponse{PartialState: unfinished()}, refused
		},
		Diff:       func(context.Context, p.DiffRequest) (p.DiffResponse, error) { return p.DiffResponse{}, refused },
		DiffConfig: func(context.Context, p.DiffRequest) (p.DiffResponse, error) { return p.DiffResponse{}, refused },
		Configure:  func(context.Context, p.ConfigureRequest) error { return errors.New("oh") },
		Delete:     func(context.Context, p.DeleteRequest) error { return refused },
	})
	wanted := []string{"it is wrong. [Invalid]\nReally.", "no [InvalidConfiguration]", "there is no such input [Invalid]"}
	reasonsOf := func(failures []p.CheckFailure) (reasons []string) {
		for _, failure := range failures {
			reasons = append(reasons, failure.Reason)
		}
		return reasons
	}

	config, err := built.CheckConfig(ctx, p.CheckRequest{})
	assert.EqualError(t, err, marked)
	assert.Equal(t, []string{"no [InvalidConfiguration]"}, reasonsOf(config.Failures))
	checked, err := built.Check(ctx, p.CheckRequest{})
	assert.EqualError(t, err, marked)
	assert.Equal(t, wanted, reasonsOf(checked.Failures))
	invoked, err := built.Invoke(ctx, p.InvokeRequest{})
	assert.EqualError(t, err, marked)
	assert.Equal(t, wanted, reasonsOf(invoked.Failures))
	created, err := built.Create(ctx, p.CreateRequest{})
	assert.EqualError(t, err, marked)
	assert.Equal(t, []string{marked}, created.PartialState.Reasons)
	read, err := built.Read(ctx, p.ReadRequest{})
	assert.EqualError(t, err, marked)
	assert.Equal(t, []string{marked}, read.PartialState.Reasons)
	updated, err := built.Update(ctx, p.UpdateRequest{})
	assert.EqualError(t, err, marked)
	assert.Equal(t, []string{marked}, updated.PartialState.Reasons)
	_, err = built.Diff(ctx, p.DiffRequest{})
	assert.EqualError(t, err, marked)
	_, err = built.DiffConfig(ctx, p.DiffRequest{})
	assert.EqualError(t, err, marked)
	assert.EqualError(t, built.Delete(ctx, p.DeleteRequest{}), marked)
	assert.EqualError(t, built.Configure(ctx, p.ConfigureRequest{}), "oh [ProviderError]")
}

func TestWhatIsNoErrorHasNoReason(t *testing.T) {
	assert.NoError(t, reasoned(nil))
	missing := status.Error(codes.Unimplemented, "Call is not implemented")
	assert.Equal(t, missing, reasoned(missing), "the engine knows it")
}

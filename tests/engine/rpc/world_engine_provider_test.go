package rpc_test

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
)

// attached is a process that the engine thinks it has started. The last run's one serves until the program has configured
// another.
type attached struct {
	plugin.UnimplementedProvider
	*engineOperation
	process *process
}

// Configure binds to the process that the configuration names.
func (a *attached) Configure(_ context.Context, request plugin.ConfigureRequest) (plugin.ConfigureResponse, error) {
	var n int
	if _, err := fmt.Sscan(received(request.Inputs)[processKey].StringValue(), &n); err != nil {
		return plugin.ConfigureResponse{}, err
	}
	a.process = a.processes[n]
	return plugin.ConfigureResponse{}, nil
}

// CheckConfig takes any process.
func (*attached) CheckConfig(_ context.Context, request plugin.CheckConfigRequest) (plugin.CheckConfigResponse, error) {
	return plugin.CheckConfigResponse{Properties: request.News}, nil
}

// DiffConfig sees whether the program configures another one than the last run did.
func (*attached) DiffConfig(_ context.Context, request plugin.DiffConfigRequest) (plugin.DiffConfigResponse, error) {
	if received(request.OldInputs).DeepEquals(received(request.NewInputs)) {
		return plugin.DiffResult{Changes: plugin.DiffNone}, nil
	}
	return plugin.DiffResult{Changes: plugin.DiffSome, ChangedKeys: []resource.PropertyKey{processKey}}, nil
}

// GetPluginInfo is asked for at the start.
func (*attached) GetPluginInfo(context.Context) (plugin.PluginInfo, error) {
	return plugin.PluginInfo{}, nil
}

// SignalCancellation is what the engine makes of ^C. It does so at the end as well, and then leaves the process to the test.
func (a *attached) SignalCancellation(ctx context.Context) error {
	if a.interrupted.Load() && a.process != nil {
		return a.process.SignalCancellation(ctx)
	}
	return nil
}

// Close leaves the process to the test.
func (*attached) Close() error { return nil }

// Pkg is the package of the provider.
func (*attached) Pkg() tokens.Package { return "k8sconnect" }

// Check is a call of the engine.
func (a *attached) Check(ctx context.Context, request plugin.CheckRequest) (plugin.CheckResponse, error) {
	response, err := a.process.Check(ctx, request)
	failed := err
	if err == nil && len(response.Failures) > 0 {
		failed = invalid{response.Failures}
	}
	a.of(request.URN).called("check", failed)
	return response, err
}

// Diff is a call of the engine.
func (a *attached) Diff(ctx context.Context, request plugin.DiffRequest) (plugin.DiffResponse, error) {
	response, err := a.process.Diff(ctx, request)
	w := a.of(request.URN)
	w.called("diff", err)
	if !w.hasRead() {
		w.diff = &response
		return response, err
	}
	w.read = &response
	if err != nil {
		err = fmt.Errorf("the Diff after the Read: %w", err)
		w.failed = err
	}
	return response, err
}

// Create is a call of the engine.
func (a *attached) Create(ctx context.Context, request plugin.CreateRequest) (plugin.CreateResponse, error) {
	response, err := a.process.Create(ctx, request)
	a.of(request.URN).called("create", err)
	return response, err
}

// Update is a call of the engine.
func (a *attached) Update(ctx context.Context, request plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	response, err := a.process.Update(ctx, request)
	a.of(request.URN).called("update", err)
	return response, err
}

// Read is a call of the engine. An init error is a warning to it.
func (a *attached) Read(ctx context.Context, request plugin.ReadRequest) (plugin.ReadResponse, error) {
	response, err := a.process.Read(ctx, request)
	failed := err
	if response.Status == resource.StatusPartialFailure {
		failed = nil
	}
	a.of(request.URN).called("read", failed)
	return response, err
}

// Delete is a call of the engine.
func (a *attached) Delete(ctx context.Context, request plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	var destroyed func(error)
	w := a.of(request.URN)
	if w.destroying != nil {
		before := w.stored
		w.id, w.inputs, w.outputs = request.ID, received(request.Inputs), received(request.Outputs)
		destroyed = w.destroying(w.session)
		w.stored = before
	}
	response, err := a.process.Delete(ctx, request)
	if destroyed != nil {
		destroyed(err)
	}
	w.called("delete", err)
	if err != nil && a.registering && a.options.ContinueOnError {
		// The engine goes on, but never tells the program of a replacement whose first half has failed (DeleteStep.Fail), and
		// both wait for each other until the user ends it.
		a.interrupt()
	}
	return response, err
}

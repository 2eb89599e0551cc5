package rpc_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/pkg/v3/display"
	state "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// processKey is the configuration of the provider in the engine's eyes: which process it is.
const processKey = "process"

// operation runs an operation of Pulumi's engine on the resource. The engine decides which calls there are, in which order,
// and what becomes of the state; they go to the session's process.
func (s *session) operation(kind engine.Kind, program resource.PropertyMap) (*watched, map[resource.URN][]display.StepOp, error) {
	s.t.Helper()
	var told resource.PropertyMap
	w, steps, err := s.run(kind, func(monitor *deploytest.ResourceMonitor, provider string) error {
		registered, err := monitor.RegisterResource(s.urn.Type(), s.urn.Name(), true, deploytest.ResourceOptions{
			Inputs: program, Provider: provider, IgnoreChanges: s.ignore, CustomTimeouts: s.timeouts(), AliasURNs: s.aliases,
		})
		if err == nil {
			told = registered.Outputs
		}
		return err
	})
	w.told = told
	return w, steps, err
}

// run runs an operation with a program that uses the provider in its own way.
func (s *session) run(kind engine.Kind, program func(monitor *deploytest.ResourceMonitor, provider string) error) (*watched, map[resource.URN][]display.StepOp, error) {
	s.t.Helper()
	w := &watched{session: s, processes: []*process{s.beforeProgram()}}
	if s.lastRun != nil {
		w.processes = append(w.processes, s.process)
	}
	m := &engine.Memory{
		Project: string(s.urn.Project()), Name: string(s.urn.Stack()), State: s.snapshot(),
		Provider: func(*plugin.Context) (plugin.Provider, error) { return &attached{watched: w}, nil },
		Program: func(_ plugin.RunInfo, monitor *deploytest.ResourceMonitor) error {
			provider, err := monitor.RegisterResource(providerType, "default", true, deploytest.ResourceOptions{Inputs: marked(len(w.processes) - 1)})
			if err != nil {
				return err
			}
			return program(monitor, fmt.Sprintf("%s::%s", provider.URN, provider.ID))
		},
	}
	steps, err := m.Do(context.Background(), kind, engine.Options{})
	if kind != engine.Preview {
		s.keep(m.State)
	}
	return w, steps, err
}

func marked(process int) resource.PropertyMap {
	return resource.NewPropertyMapFromMap(map[string]any{processKey: fmt.Sprint(process)})
}

func (s *session) timeouts() *resource.CustomTimeouts {
	if s.timeout == 0 {
		return nil
	}
	return &resource.CustomTimeouts{Create: s.timeout, Update: s.timeout, Delete: s.timeout}
}

// snapshot is the state before an operation: that which the last one has left, unless the test has changed it since.
func (s *session) snapshot() *deploy.Snapshot {
	const id = "b3e5c1c1-0000-4000-8000-000000000000"
	provider := resource.NewURN(s.urn.Stack(), s.urn.Project(), "", providerType, "default")
	existing := []*state.State{{Type: providerType, URN: provider, Custom: true, ID: id, Inputs: marked(0), Outputs: marked(0)}}
	if s.id != "" {
		own := &state.State{
			Type: s.urn.Type(), URN: s.saved(), Custom: true, ID: s.id, Inputs: s.inputs, Outputs: s.outputs,
			Provider: string(provider) + "::" + id, InitErrors: s.initErrors, IgnoreChanges: s.ignored, RefreshBeforeUpdate: s.refresh,
		}
		if timeouts := s.timeouts(); timeouts != nil {
			own.CustomTimeouts = *timeouts
		}
		existing = append(existing, own)
	}
	for _, r := range s.unfinished {
		if r.Delete || s.id == "" {
			r = r.Copy()
			r.URN, r.Provider = s.saved(), string(provider)+"::"+id
			existing = append(existing, r)
		}
	}
	return &deploy.Snapshot{Resources: existing}
}

// saved is the URN that the state has.
func (s *session) saved() resource.URN {
	if len(s.aliases) > 0 {
		return s.aliases[0]
	}
	return s.urn
}

// keep takes the resource out of the state that an operation has left.
func (s *session) keep(after *deploy.Snapshot) {
	former := s.saved()
	s.stored, s.unfinished = stored{}, nil
	for _, r := range after.Resources {
		if r.URN == s.urn {
			s.aliases = nil // the program has come to it
		}
		switch {
		case r.URN != s.urn && r.URN != former:
		case r.Delete || r.PendingReplacement:
			s.unfinished = append(s.unfinished, r)
		default:
			s.stored = stored{r.ID, r.Inputs, r.Outputs, r.InitErrors, r.RefreshBeforeUpdate}
			s.ignored = r.IgnoreChanges
		}
	}
}

// watched is what the engine asked in an operation, and what it was told.
type watched struct {
	*session
	processes []*process
	// calls are the calls for the resource, in their order, and failed the last of them if it has failed.
	calls  []string
	failed error
	told   resource.PropertyMap // the outputs that the program got
	read   *plugin.DiffResult   // the Diff after the last Read
}

// did is what became of the resource: the step that the engine took, or the call at which it failed.
func (w *watched) did(steps []display.StepOp, err error) string {
	if err != nil && w.failed != nil {
		switch last := w.calls[len(w.calls)-1]; {
		case last == "read", last == "diff" && !slices.Contains(w.calls, "check"):
			return "refresh"
		case last == "create" && slices.Contains(w.calls, "diff") && slices.Contains(w.calls, "delete"):
			return "replace"
		default:
			return last
		}
	}
	for _, step := range slices.Backward(steps) {
		switch step {
		case deploy.OpReplace, deploy.OpCreateReplacement, deploy.OpDeleteReplaced:
			return "replace"
		case deploy.OpRefresh:
			continue
		default:
			return string(step)
		}
	}
	return "same"
}

// cause is why an operation has failed: what the provider said, if it was that.
func (w *watched) cause(err error) error {
	if err != nil && w.failed != nil {
		return w.failed
	}
	return err
}

// attached is a process that the engine thinks it has started. The last run's one serves until the program has configured
// another.
type attached struct {
	plugin.UnimplementedProvider
	*watched
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

// SignalCancellation leaves the process to the test.
func (*attached) SignalCancellation(context.Context) error { return nil }

// Close leaves the process to the test.
func (*attached) Close() error { return nil }

// Pkg is the package of the provider.
func (*attached) Pkg() tokens.Package { return "k8sconnect" }

// called notes a call and what came of it.
func (w *watched) called(call string, err error) {
	w.calls = append(w.calls, call)
	w.failed = err
}

// Check is a call of the engine.
func (a *attached) Check(ctx context.Context, request plugin.CheckRequest) (plugin.CheckResponse, error) {
	response, err := a.process.Check(ctx, request)
	failed := err
	if err == nil && len(response.Failures) > 0 {
		failed = invalid{response.Failures}
	}
	a.called("check", failed)
	return response, err
}

// Diff is a call of the engine.
func (a *attached) Diff(ctx context.Context, request plugin.DiffRequest) (plugin.DiffResponse, error) {
	response, err := a.process.Diff(ctx, request)
	if !slices.Contains(a.calls, "check") {
		a.read = &response
		if err != nil {
			err = fmt.Errorf("the Diff after the Read: %w", err)
		}
	}
	a.called("diff", err)
	return response, err
}

// Create is a call of the engine.
func (a *attached) Create(ctx context.Context, request plugin.CreateRequest) (plugin.CreateResponse, error) {
	response, err := a.process.Create(ctx, request)
	a.called("create", err)
	return response, err
}

// Update is a call of the engine.
func (a *attached) Update(ctx context.Context, request plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	response, err := a.process.Update(ctx, request)
	a.called("update", err)
	return response, err
}

// Read is a call of the engine. An init error is a warning to it.
func (a *attached) Read(ctx context.Context, request plugin.ReadRequest) (plugin.ReadResponse, error) {
	response, err := a.process.Read(ctx, request)
	failed := err
	if response.Status == resource.StatusPartialFailure {
		failed = nil
	}
	a.called("read", failed)
	return response, err
}

// Delete is a call of the engine.
func (a *attached) Delete(ctx context.Context, request plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	var destroyed func(error)
	if a.destroying != nil {
		before := a.stored
		a.id, a.inputs, a.outputs = request.ID, received(request.Inputs), received(request.Outputs)
		destroyed = a.destroying(a.session)
		a.session.stored = before
	}
	response, err := a.process.Delete(ctx, request)
	if destroyed != nil {
		destroyed(err)
	}
	a.called("delete", err)
	return response, err
}

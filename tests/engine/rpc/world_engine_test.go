package rpc_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/pulumi/pulumi/pkg/v3/display"
	state "github.com/pulumi/pulumi/pkg/v3/resource"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// processKey is the configuration of the provider in the engine's eyes: which process it is.
const processKey = "process"

// engineOperation is an operation of Pulumi's engine on the resources of a stack, which share a process. The engine decides which
// calls there are, in which order, and what becomes of the state; they go to that process.
type engineOperation struct {
	kind      engine.Kind
	options   engine.Options
	memory    *engine.Memory
	processes []*process
	// resources are in the order of their dependencies.
	resources []*watched
	err       error

	// provider and monitor are what a program registers resources with, and registering is whether it does so.
	provider    string
	monitor     *deploytest.ResourceMonitor
	registering bool
	interrupted atomic.Bool
}

// newOperation prepares an operation with a program that uses the provider in its own way.
func newOperation(kind engine.Kind, options engine.Options, program func(*engineOperation) error, resources ...*session) *engineOperation {
	// One step at a time, so that what is told again goes the same way.
	options.Parallel = 1
	o := &engineOperation{kind: kind, options: options}
	for _, s := range resources {
		if kind == engine.Destroy && s.lastRun != nil {
			s.in(s.lastRun) // there is no program that configures another one
		}
		o.resources = append(o.resources, &watched{session: s, operation: o})
	}
	first := resources[0]
	o.processes = []*process{first.beforeProgram()}
	if first.lastRun != nil {
		o.processes = append(o.processes, first.process)
	}
	o.memory = &engine.Memory{
		Project: string(first.urn.Project()), Name: string(first.urn.Stack()), State: o.snapshot(),
		Provider: func(*plugin.Context) (plugin.Provider, error) { return &attached{engineOperation: o}, nil },
		Program: func(_ plugin.RunInfo, monitor *deploytest.ResourceMonitor) error {
			configured, err := monitor.RegisterResource(providerType, "default", true, deploytest.ResourceOptions{Inputs: marked(len(o.processes) - 1)})
			if err != nil {
				return err
			}
			o.monitor, o.provider = monitor, fmt.Sprintf("%s::%s", configured.URN, configured.ID)
			o.registering = true
			defer func() { o.registering = false }()
			return program(o)
		},
	}
	return o
}

// run runs the operation. A preview keeps nothing.
func (o *engineOperation) run() *engineOperation {
	steps, err := o.memory.Do(context.Background(), o.kind, o.options)
	o.err = err
	for _, w := range o.resources {
		w.steps = steps[w.urn]
		if o.kind == engine.Preview {
			continue
		}
		w.keep(o.memory.State)
		if w.lastRun != nil && o.provider != "" {
			w.in(w.process) // the program has configured the provider, and the state has that
		}
	}
	return o
}

// interrupt is the first ^C.
func (o *engineOperation) interrupt() {
	o.interrupted.Store(true)
	o.memory.Cancel()
}

// register registers a resource, as a program does, with the resources that its properties are made of. One that fails while
// the engine goes on is no error to the program, which is not told of its outputs.
func (o *engineOperation) register(s *session, inputs resource.PropertyMap, madeOf map[resource.PropertyKey][]resource.URN) error {
	w := o.of(s.urn)
	w.program = inputs
	registered, err := o.monitor.RegisterResource(s.urn.Type(), s.urn.Name(), true, deploytest.ResourceOptions{
		Inputs: inputs, Provider: o.provider, IgnoreChanges: s.ignore, CustomTimeouts: s.timeouts(), AliasURNs: s.aliases,
		Dependencies: slices.Concat(slices.Collect(maps.Values(madeOf))...), PropertyDeps: madeOf, SupportsResultReporting: true,
	})
	switch {
	case err != nil:
		return err
	case registered.Unknown:
		w.failed = nil // a dependency has failed; the calls were only to tell the program what would come of it
	case registered.Result == pulumirpc.Result_SUCCESS:
		w.told = registered.Outputs
	}
	return nil
}

// of is the resource of a URN.
func (o *engineOperation) of(urn resource.URN) *watched {
	for _, w := range o.resources {
		if urn == w.urn || urn == w.saved() {
			return w
		}
	}
	panic(fmt.Sprintf("the engine asks for %s, which is not in the stack", urn))
}

// hasFailed reports whether a call of any resource has failed.
func (o *engineOperation) hasFailed() bool {
	return slices.ContainsFunc(o.resources, func(w *watched) bool { return w.failed != nil })
}

// operate runs an operation on the resource alone.
func (s *session) operate(kind engine.Kind, program resource.PropertyMap) *watched {
	s.t.Helper()
	register := func(o *engineOperation) error { return o.register(s, program, nil) }
	return newOperation(kind, engine.Options{}, register, s).run().resources[0]
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

// snapshot is the state before the operation: that which the last one has left, unless the test has changed it since. Where it
// has taken a resource away, nothing depends on that any more.
func (o *engineOperation) snapshot() *deploy.Snapshot {
	const id = "b3e5c1c1-0000-4000-8000-000000000000"
	first := o.resources[0]
	provider := resource.NewURN(first.urn.Stack(), first.urn.Project(), "", providerType, "default")
	existing := []*state.State{{Type: providerType, URN: provider, Custom: true, ID: id, Inputs: marked(0), Outputs: marked(0)}}
	there := map[resource.URN]bool{}
	for _, w := range o.resources {
		for _, r := range w.states() {
			madeOf := r.PropertyDependencies
			r.Provider, r.Dependencies, r.PropertyDependencies = string(provider)+"::"+id, nil, map[resource.PropertyKey][]resource.URN{}
			for key, urns := range madeOf {
				urns = slices.DeleteFunc(slices.Clone(urns), func(urn resource.URN) bool { return !there[urn] })
				r.Dependencies, r.PropertyDependencies[key] = append(r.Dependencies, urns...), urns
			}
			existing = append(existing, r)
		}
		there[w.saved()] = len(w.states()) > 0
	}
	return &deploy.Snapshot{Resources: existing}
}

// states are what the state has of the resource.
func (s *session) states() (all []*state.State) {
	if s.id != "" {
		own := &state.State{
			Type: s.urn.Type(), URN: s.saved(), Custom: true, ID: s.id, Inputs: s.inputs, Outputs: s.outputs,
			InitErrors: s.initErrors, IgnoreChanges: s.ignored, RefreshBeforeUpdate: s.refresh, PropertyDependencies: s.madeOf,
		}
		if timeouts := s.timeouts(); timeouts != nil {
			own.CustomTimeouts = *timeouts
		}
		all = append(all, own)
	}
	for _, r := range s.unfinished {
		if r.Delete || s.id == "" {
			r = r.Copy()
			r.URN = s.saved()
			all = append(all, r)
		}
	}
	return all
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
	s.stored, s.unfinished, s.madeOf = stored{}, nil, nil
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
			s.ignored, s.madeOf = r.IgnoreChanges, r.PropertyDependencies
		}
	}
}

// watched is what the engine asked about a resource in an operation, and what it was told.
type watched struct {
	*session
	operation *engineOperation
	// program is what the program says of it, and told the outputs that it got.
	program, told resource.PropertyMap
	steps         []display.StepOp
	// calls are the calls for the resource, in their order, up to the first that has failed.
	calls  []string
	failed error
	// read is the Diff after the last Read, and diff another one.
	read, diff *plugin.DiffResult
}

// called notes a call and what came of it.
func (w *watched) called(call string, err error) {
	if w.failed == nil {
		w.calls, w.failed = append(w.calls, call), err
	}
}

// hasRead reports whether the last call was one of a refresh.
func (w *watched) hasRead() bool {
	last := len(w.calls) - 1
	return last >= 0 && (w.calls[last] == "read" || w.calls[last] == "diff" && last > 0 && w.calls[last-1] == "read")
}

// did is what became of the resource: the step that the engine took, or the call at which it failed.
func (w *watched) did() string {
	if w.operation.err != nil && w.failed != nil {
		switch last := w.calls[len(w.calls)-1]; {
		case w.hasRead():
			return "refresh"
		case last == "create" && slices.Contains(w.calls, "diff") && slices.Contains(w.calls, "delete"):
			return "replace"
		default:
			return last
		}
	}
	for _, step := range slices.Backward(w.steps) {
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

// cause is why the resource has failed: what the provider said, or the engine, if no call has failed.
func (w *watched) cause() error {
	if o := w.operation; o.err != nil && w.failed == nil && !o.hasFailed() {
		return o.err
	} else if o.err == nil {
		return nil
	}
	return w.failed
}

// isBlocked reports whether nothing became of the resource because another one has failed.
func (w *watched) isBlocked() bool {
	o := w.operation
	return o.err != nil && w.failed == nil && o.hasFailed() && w.told == nil && w.did() == "same"
}

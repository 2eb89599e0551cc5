package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	changed "github.com/pulumi/pulumi/pkg/v3/display"
	pulumi "github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/secrets/b64"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// Memory is a stack whose state is in memory: the engine without a backend and without text. It is for tests of single
// resources, by the thousand.
type Memory struct {
	Project, Name string
	Program       Program
	// Provider starts the provider that an operation asks for.
	Provider func(*plugin.Context) (plugin.Provider, error)
	// State is what the last operation has left.
	State *deploy.Snapshot

	cancel func()
}

// Cancel is the first ^C of the operation that runs: what runs may end, nothing new begins.
func (m *Memory) Cancel() { m.cancel() }

// Do runs an operation. It returns the steps that it took for each resource, in their order.
func (m *Memory) Do(ctx context.Context, kind Kind, options Options) (steps map[resource.URN][]changed.StepOp, err error) {
	scope, source := cancel.NewContext(ctx)
	defer source.Terminate()
	m.cancel = source.Cancel
	dry := kind == Preview
	events, listened := make(chan pulumi.Event), make(chan struct{})
	steps = map[resource.URN][]changed.StepOp{}
	go func() {
		defer close(listened)
		for event := range events {
			switch payload := event.Payload().(type) {
			case pulumi.ResourceOutputsEventPayload:
				steps[payload.Metadata.URN] = append(steps[payload.Metadata.URN], payload.Metadata.Op)
			case pulumi.ResourceOperationFailedPayload:
				steps[payload.Metadata.URN] = append(steps[payload.Metadata.URN], payload.Metadata.Op)
			}
		}
	}()
	state := backend.NewSnapshotManager(backend.DiscardPersister{}, b64.NewBase64SecretsManager(), m.State, nil)
	// What an operation has in common with one of a stack in a folder.
	operation := &Operation{stack: &Stack{provide: m.Provider, program: m.Program}, kind: kind, options: options}
	err = m.run(&pulumi.Context{Cancel: scope, Events: events, SnapshotManager: state}, operation, dry)
	for _, made := range operation.hosts {
		err = errors.Join(err, made.Close())
	}
	close(events)
	<-listened
	after := state.Snap()
	if failed := state.Close(); failed != nil {
		err = errors.Join(err, fmt.Errorf("state of %s: %w", m.Name, failed))
	}
	if !dry {
		m.State = after
	}
	return steps, err
}

func (m *Memory) run(engine *pulumi.Context, o *Operation, dry bool) (err error) {
	update := pulumi.UpdateInfo{
		Root:    "/",
		Project: &workspace.Project{Name: tokens.PackageName(m.Project), Runtime: workspace.NewProjectRuntimeInfo(goRuntime, nil)},
		Target:  &deploy.Target{Name: tokens.MustParseStackName(m.Name), Snapshot: m.State},
	}
	options := o.engineOptions()
	switch o.kind {
	case Up, Preview:
		_, _, err = pulumi.Update(update, engine, options, dry)
	case Refresh:
		_, _, err = pulumi.Refresh(update, engine, options, dry)
	case Destroy:
		_, _, err = pulumi.Destroy(update, engine, options, dry)
	default:
		err = fmt.Errorf("operation %q: a stack in memory has none", o.kind)
	}
	return err
}

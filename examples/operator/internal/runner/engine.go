package runner

import (
	"context"
	"errors"
	"log/slog"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// engine is Pulumi with the Environment's stack.
type engine struct {
	stack auto.Stack
	log   *slog.Logger
	// reports are those of all commands, in their order.
	reports []*report
	// unlock takes locks away that stopped a command, and says whether it has: the command can be tried again.
	unlock func(ctx context.Context, used auto.Stack, err error) (bool, error)
}

// leanWorkspace spares Pulumi what a run does not need: to select a stack that was just restored, and to read the outputs of
// a checkpoint that the run reads anyway.
type leanWorkspace struct {
	auto.Workspace

	restored bool
}

func (w leanWorkspace) SelectStack(ctx context.Context, name string) error {
	if w.restored {
		return nil
	}
	return w.Workspace.SelectStack(ctx, name)
}

func (w leanWorkspace) StackOutputs(context.Context, string) (auto.OutputMap, error) { return nil, nil }

// open finds the stack, or makes it.
func (r *run) open(ctx context.Context) (*engine, error) {
	pulumi, err := findCommand(ctx, r.Grace, r.environment())
	if err != nil {
		return nil, err
	}
	local, err := auto.NewLocalWorkspace(ctx, auto.WorkDir(r.programFolder()), auto.Pulumi(pulumi), auto.EnvVars(r.inputs.Credentials))
	if err != nil {
		return nil, err
	}
	used := local
	if r.local() {
		used = leanWorkspace{local, r.head.Checkpoint() != nil}
	}
	opened, err := auto.UpsertStack(ctx, stack.Qualified(r.inputs.BackendURL, r.project, r.stack), used)
	if err != nil {
		return nil, err
	}
	return &engine{stack: opened, log: r.log, unlock: r.unlock}, nil
}

// follow runs a command and gathers what the engine says meanwhile. The stream of events stays open where the command
// fails before the engine begins, so it is the command that is waited for. What the command prints is left out: it would
// have planned secrets in clear.
func (e *engine) follow(ctx context.Context, command func(stream chan<- events.EngineEvent) error) *report {
	said := e.followOnce(command)
	if said.err == nil {
		return said
	}
	switch unlocked, err := e.unlock(ctx, e.stack, said.err); {
	case err != nil:
		said.err = err
	case unlocked:
		return e.followOnce(command)
	}
	return said
}

func (e *engine) followOnce(command func(stream chan<- events.EngineEvent) error) *report {
	stream, ended, gathered := make(chan events.EngineEvent), make(chan struct{}), make(chan struct{})
	collected := newReport(e.log)
	e.reports = append(e.reports, collected)
	go func() {
		defer close(gathered)
		for {
			select {
			case event, open := <-stream:
				if !open {
					return
				}
				collected.add(event.EngineEvent)
			case <-ended:
				return
			}
		}
	}()
	collected.err = command(stream)
	close(ended)
	<-gathered
	if collected.err == nil && len(collected.errors)+len(collected.general) > 0 {
		// A program of YAML may go on after an error, with a value missing, and end well as far as the exit code says.
		collected.err = errors.New("the engine has reported errors")
	}
	return collected
}

// preview finds out what an update would do. The plan, if a file is named, is for an update that may do nothing else.
func (e *engine) preview(ctx context.Context, refresh bool, plan string) *report {
	return e.follow(ctx, func(stream chan<- events.EngineEvent) error {
		options := []optpreview.Option{
			optpreview.EventStreams(stream), optpreview.Color("never"), optpreview.SuppressOutputs(), optpreview.Plan(plan),
		}
		if refresh {
			options = append(options, optpreview.Refresh())
		}
		_, err := e.stack.Preview(ctx, options...)
		return err
	})
}

func (e *engine) up(ctx context.Context, refresh bool, plan string) *report {
	return e.follow(ctx, func(stream chan<- events.EngineEvent) error {
		options := []optup.Option{
			optup.EventStreams(stream), optup.Color("never"), optup.SuppressOutputs(), optup.ShowSecrets(false), optup.Plan(plan),
		}
		if refresh {
			options = append(options, optup.Refresh())
		}
		_, err := e.stack.Up(ctx, options...)
		return err
	})
}

// previewDestroy finds out what a destroy would do.
func (e *engine) previewDestroy(ctx context.Context) *report {
	return e.follow(ctx, func(stream chan<- events.EngineEvent) error {
		_, err := e.stack.PreviewDestroy(ctx, optdestroy.EventStreams(stream), optdestroy.Color("never"), optdestroy.SuppressOutputs())
		return err
	})
}

// destroy deletes what is in the state, and then, if asked to, the stack from its backend.
func (e *engine) destroy(ctx context.Context, remove bool) *report {
	return e.follow(ctx, func(stream chan<- events.EngineEvent) error {
		options := []optdestroy.Option{
			optdestroy.EventStreams(stream), optdestroy.Color("never"), optdestroy.SuppressOutputs(), optdestroy.ShowSecrets(false),
		}
		if remove {
			options = append(options, optdestroy.Remove())
		}
		_, err := e.stack.Destroy(ctx, options...)
		return err
	})
}

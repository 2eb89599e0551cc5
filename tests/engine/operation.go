package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	"github.com/pulumi/pulumi/pkg/v3/backend/backenderr"
	"github.com/pulumi/pulumi/pkg/v3/backend/display"
	"github.com/pulumi/pulumi/pkg/v3/backend/httpstate/client"
	backendsecrets "github.com/pulumi/pulumi/pkg/v3/backend/secrets"
	"github.com/pulumi/pulumi/pkg/v3/cmd/pulumi/cmd"
	changed "github.com/pulumi/pulumi/pkg/v3/display"
	pulumi "github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/result"
	"google.golang.org/grpc"
)

// Kind is what an operation does.
type Kind string

// The kinds of operations.
const (
	Up      Kind = "up"
	Preview Kind = "preview"
	Refresh Kind = "refresh"
	Destroy Kind = "destroy"
	Import  Kind = "import"
)

// labels are the first lines of operations.
var labels = map[Kind]string{Up: "Updating", Preview: "Previewing update", Refresh: "Refreshing", Destroy: "Destroying", Import: "Importing"}

// Options are those of a command. The zero value is that of "pulumi KIND --yes --skip-preview".
type Options struct {
	Targets, Excludes, Replaces         []string
	TargetDependents, ExcludeDependents bool

	Refresh, RunProgram, ContinueOnError bool
	// PreviewFirst shows a preview before, as without --skip-preview. PreviewOnly leaves it at that.
	PreviewFirst, PreviewOnly bool
	// ExpectNoChanges fails the operation if there are some.
	ExpectNoChanges bool
	// Parallel is how many steps run at once; 0 means what the CLI takes.
	Parallel int32
	// Imports are the resources of [Import].
	Imports []deploy.Import

	// Diff shows the whole difference. The others are as in the CLI.
	Diff, JSON, Debug, ShowSames, ShowReads, ShowSecrets, ShowReplacementSteps bool
}

// Result is what an operation came to.
type Result struct {
	Output  string // all that it printed, in order
	Stdout  string
	Err     error
	Changes changed.ResourceChanges
	Steps   []Step // of an up or a preview, in the order in which they began
	Took    time.Duration
}

// Code is the exit code that the CLI would have.
func (r Result) Code() int { return cmd.ExitCodeFor(r.Err) }

// Do runs an operation to its end.
func (s *Stack) Do(ctx context.Context, kind Kind, options Options) Result {
	return s.Start(ctx, kind, options).Wait()
}

// Start begins an operation, which has to be waited for.
func (s *Stack) Start(ctx context.Context, kind Kind, options Options) *Operation {
	o := &Operation{stack: s, kind: kind, options: options, death: death{stack: s}, done: make(chan struct{})}
	s.mu.Lock()
	o.between = append(o.between, o.death.between)
	if s.intercept != nil {
		o.between = append(o.between, s.intercept)
	}
	s.mu.Unlock()
	go func() {
		defer close(o.done)
		began := time.Now()
		o.result.Changes, o.result.Err = o.run(ctx)
		if o.death.died {
			o.result.Err = errors.Join(ErrKilled, o.death.bury())
		} else if err := o.result.Err; err != nil && !result.IsBail(err) {
			_, _ = fmt.Fprintf(o.output.stderr(), "error: %v\n", err)
		}
		o.result.Output, o.result.Stdout = o.output.texts()
		o.result.Took = time.Since(began)
	}()
	return o
}

// Operation is an operation that runs.
type Operation struct {
	stack        *Stack
	kind         Kind
	options      Options
	output       output
	cancellation cancellation
	death        death
	between      []grpc.UnaryServerInterceptor
	hosts        []*host
	result       Result
	done         chan struct{}
}

// Wait waits for the end of the operation.
func (o *Operation) Wait() Result {
	<-o.done
	return o.result
}

// Done is closed when the operation has ended.
func (o *Operation) Done() <-chan struct{} { return o.done }

// Printed is what the operation has printed until now.
func (o *Operation) Printed() string {
	both, _ := o.output.texts()
	return both
}

// Cancel is the first ^C: what runs may end, nothing new begins.
func (o *Operation) Cancel() { o.cancellation.cancel() }

// Terminate is the second ^C.
func (o *Operation) Terminate() { o.cancellation.terminate() }

func (o *Operation) run(ctx context.Context) (changed.ResourceChanges, error) {
	s := o.stack
	at, err := s.open(ctx, &o.output)
	if err != nil {
		return nil, err
	}
	decrypter := at.secrets.Decrypter()
	configuration := backend.StackConfiguration{Config: at.config.Config, Decrypter: decrypter}
	if err := workspace.ValidateStackConfigAndApplyProjectConfig(ctx, s.Name, at.project, configuration.Environment,
		configuration.Config, at.secrets.Encrypter(), decrypter); err != nil {
		return nil, fmt.Errorf("validating stack config: %w", err)
	}
	operation := backend.UpdateOperation{
		Proj: at.project, Root: s.Dir, Imports: o.options.Imports,
		M: &backend.UpdateMetadata{Environment: map[string]string{}},
		Opts: backend.UpdateOptions{
			Engine:      o.engineOptions(),
			Display:     o.displayOptions(),
			AutoApprove: true, SkipPreview: !o.options.PreviewFirst, PreviewOnly: o.options.PreviewOnly,
		},
		SecretsManager: at.secrets, SecretsProvider: backendsecrets.NewProvider(noService),
		StackConfiguration: configuration, Scopes: &o.cancellation,
	}
	// The backend prints this by itself, where nobody looks.
	_, _ = fmt.Fprintf(o.output.stdout(), "%s (%s):\n", labels[o.kind], s.Name)
	changes, err := o.call(ctx, at.stack, operation)
	for _, made := range o.hosts {
		if failed := made.Close(); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	switch {
	case errors.Is(err, context.Canceled):
		return changes, backenderr.CancelledError{Operation: string(o.kind)}
	case err == nil && o.options.ExpectNoChanges && changes != nil && pulumi.HasChanges(changes):
		return changes, backenderr.NoChangesExpectedError{Operation: string(o.kind)}
	case err == nil && o.kind == Destroy && len(o.options.Targets) == 0 && !o.options.PreviewOnly:
		_, _ = fmt.Fprintf(o.output.stdout(), "The resources in the stack have been deleted, but the history and configuration "+
			"associated with the stack are still maintained. \nIf you want to remove the stack completely, run `pulumi stack rm %s`.\n", s.Name)
		return changes, nil
	default:
		return changes, err
	}
}

func (o *Operation) call(ctx context.Context, stack backend.Stack, operation backend.UpdateOperation) (changes changed.ResourceChanges, err error) {
	switch o.kind {
	case Up:
		events, done := o.listen()
		defer done()
		return backend.UpdateStack(ctx, stack, operation, events)
	case Preview:
		events, done := o.listen()
		defer done()
		_, changes, err = backend.PreviewStack(ctx, stack, operation, events)
		return changes, err
	case Refresh:
		return backend.RefreshStack(ctx, stack, operation)
	case Destroy:
		return backend.DestroyStack(ctx, stack, operation)
	case Import:
		changes, _, err = backend.ImportStack(ctx, stack, operation, operation.Imports)
		return changes, err
	default:
		return nil, fmt.Errorf("operation %q: there is none", o.kind)
	}
}

func (o *Operation) engineOptions() pulumi.UpdateOptions {
	parallel := o.options.Parallel
	if parallel == 0 {
		parallel = int32(runtime.GOMAXPROCS(0)) * 4 //nolint:gosec // as the CLI does
	}
	return pulumi.UpdateOptions{
		Parallel: parallel, Debug: o.options.Debug, ShowSecrets: o.options.ShowSecrets,
		Refresh: o.options.Refresh, RefreshProgram: o.options.RunProgram && o.kind != Destroy, DestroyProgram: o.options.RunProgram && o.kind == Destroy,
		ReplaceTargets:   deploy.NewUrnTargets(o.options.Replaces),
		Targets:          deploy.NewUrnTargets(o.options.Targets),
		Excludes:         deploy.NewUrnTargets(o.options.Excludes),
		TargetDependents: o.options.TargetDependents, ExcludeDependents: o.options.ExcludeDependents,
		ContinueOnError:      o.options.ContinueOnError,
		SkipPluginPreInstall: true,
		HostFactory:          o.stack.hosts(o.between, func(h *host) { o.hosts = append(o.hosts, h) }),
	}
}

func (o *Operation) displayOptions() display.Options {
	kind := display.DisplayProgress
	if o.options.Diff {
		kind = display.DisplayDiff
	}
	return display.Options{
		Color: colors.Never, Type: kind, JSONDisplay: o.options.JSON, Debug: o.options.Debug,
		ShowSameResources: o.options.ShowSames, ShowReads: o.options.ShowReads, ShowSecrets: o.options.ShowSecrets,
		ShowReplacementSteps: o.options.ShowReplacementSteps, SuppressPermalink: true,
		Stdout: o.output.stdout(), Stderr: o.output.stderr(),
	}
}

// noService is for secrets that a service keeps.
func noService(context.Context, string, bool) (*client.Client, error) {
	return nil, errors.New("the tests have no service that keeps secrets")
}

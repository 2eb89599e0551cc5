// Package verbs calls the verbs of one resource as the engine does, without an engine, a plugin or a cluster. What an API
// server would decide has no place here: the most there is of one are answers that were recorded ([Server]).
package verbs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/middleware"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// Resource is one resource of a stack, with what the engine keeps of it between runs.
type Resource struct {
	URN             resource.URN
	ID              string
	Inputs, Outputs property.Map
	// Reasons are the init errors, which the engine keeps of an operation that failed and whose state is saved.
	Reasons []string

	ctx      context.Context
	provider middleware.CustomResource
	told     *told
}

// New is a resource of the stack shop/dev that is called web and that nobody has made yet. provider are the verbs of its
// type, as one process has them.
func New(t testing.TB, kind string, provider middleware.CustomResource) *Resource {
	t.Helper()
	record.Do(func() { slog.SetDefault(slog.New(recorder{})) })
	told := &told{}
	return &Resource{
		URN:      resource.NewURN("dev", "shop", "", tokens.Type("k8sconnect:index:"+kind), "web"),
		ctx:      context.WithValue(t.Context(), toldKey{}, told),
		provider: provider, told: told,
	}
}

// In is the resource in another run, which has another process, and has said nothing yet.
func (r *Resource) In(t testing.TB, provider middleware.CustomResource) *Resource {
	t.Helper()
	next := New(t, string(r.URN.Type().Name()), provider)
	next.URN, next.ID, next.Inputs, next.Outputs, next.Reasons = r.URN, r.ID, r.Inputs, r.Outputs, r.Reasons
	return next
}

// Within bounds the time of all that follows, as a user does who has had enough.
func (r *Resource) Within(t testing.TB, limit time.Duration) {
	t.Helper()
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithTimeout(r.ctx, limit)
	t.Cleanup(cancel)
}

// Check hands the program's inputs to the provider.
func (r *Resource) Check(program property.Map) (property.Map, []p.CheckFailure) {
	resp, err := r.provider.Check(r.ctx, p.CheckRequest{Urn: r.URN, State: r.Inputs, Inputs: program})
	if err != nil {
		panic(fmt.Errorf("Check never fails: %w", err))
	}
	return resp.Inputs, resp.Failures
}

// check is for programs without a mistake.
func (r *Resource) check(program property.Map) property.Map {
	inputs, failures := r.Check(program)
	if len(failures) > 0 {
		panic(fmt.Sprintf("the test's program is refused: %v", failures))
	}
	return inputs
}

// PlanCreate is a preview of a resource that is not there.
func (r *Resource) PlanCreate(program property.Map) (property.Map, error) {
	resp, err := r.provider.Create(r.ctx, p.CreateRequest{Urn: r.URN, Properties: r.check(program), DryRun: true})
	return resp.Properties, err
}

// Create makes the resource.
func (r *Resource) Create(program property.Map) error {
	inputs := r.check(program)
	resp, err := r.provider.Create(r.ctx, p.CreateRequest{Urn: r.URN, Properties: inputs})
	if err == nil || resp.PartialState != nil {
		r.ID, r.Inputs, r.Outputs, r.Reasons = resp.ID, inputs, resp.Properties, reasons(resp.PartialState)
	}
	return err
}

// Read is the Read before a preview, an update or a destroy. A resource that is gone has no ID after it.
func (r *Resource) Read() error {
	resp, err := r.provider.Read(r.ctx, p.ReadRequest{ID: r.ID, Urn: r.URN, Properties: r.Outputs, Inputs: r.Inputs})
	if err == nil || resp.PartialState != nil {
		r.ID, r.Outputs, r.Reasons = resp.ID, resp.Properties, reasons(resp.PartialState)
	}
	return err
}

// DiffAfterRead is the Diff that follows every Read, with the inputs of the last run. The program is not asked for it.
func (r *Resource) DiffAfterRead() (p.DiffResponse, error) { return r.diff(r.Inputs, nil) }

// Diff is the Diff that the program asks for, after a Check of its inputs.
func (r *Resource) Diff(program property.Map, ignoreChanges ...string) (p.DiffResponse, error) {
	return r.diff(r.check(program), ignoreChanges)
}

func (r *Resource) diff(inputs property.Map, ignoreChanges []string) (p.DiffResponse, error) {
	return r.provider.Diff(r.ctx, p.DiffRequest{
		ID: r.ID, Urn: r.URN, State: r.Outputs, OldInputs: r.Inputs, Inputs: inputs, IgnoreChanges: ignoreChanges,
	})
}

// Plan is a preview of an update.
func (r *Resource) Plan(program property.Map) (property.Map, error) {
	resp, err := r.update(r.check(program), true)
	return resp.Properties, err
}

// Update carries an update out.
func (r *Resource) Update(program property.Map) error {
	inputs := r.check(program)
	resp, err := r.update(inputs, false)
	if err == nil {
		r.Inputs = inputs // else the engine keeps those of before
	}
	if err == nil || resp.PartialState != nil {
		r.Outputs, r.Reasons = resp.Properties, reasons(resp.PartialState)
	}
	return err
}

func (r *Resource) update(inputs property.Map, preview bool) (p.UpdateResponse, error) {
	return r.provider.Update(r.ctx, p.UpdateRequest{
		ID: r.ID, Urn: r.URN, State: r.Outputs, OldInputs: r.Inputs, Inputs: inputs, DryRun: preview,
	})
}

// Delete deletes the resource.
func (r *Resource) Delete() error {
	return r.provider.Delete(r.ctx, p.DeleteRequest{ID: r.ID, Urn: r.URN, Properties: r.Outputs, OldInputs: r.Inputs})
}

// Said is what the user was told in this run, each text after its severity.
func (r *Resource) Said() []string {
	r.told.mu.Lock()
	defer r.told.mu.Unlock()
	return slices.Clone(r.told.texts)
}

func reasons(failed *p.InitializationFailed) []string {
	if failed == nil {
		return nil
	}
	return failed.Reasons
}

// Kinds is what a diff shows, by path. A difference of inputs alone is marked.
func Kinds(diff p.DiffResponse) map[string]string {
	if diff.HasChanges != (len(diff.DetailedDiff) > 0) {
		panic(errors.New("a diff says where, or that there is none"))
	}
	kinds := map[string]string{}
	for path, change := range diff.DetailedDiff {
		kinds[path] = string(change.Kind)
		if change.InputDiff {
			kinds[path] += " of the inputs"
		}
	}
	return kinds
}

// told are the messages to the user of one resource.
type told struct {
	mu    sync.Mutex
	texts []string
}

type toldKey struct{}

var record sync.Once

// recorder is where the framework logs to that has no engine: it finds the resource in the context.
type recorder struct{}

// Enabled takes all messages.
func (recorder) Enabled(context.Context, slog.Level) bool { return true }

// Handle keeps a message, but for what is shown only for a while.
func (recorder) Handle(ctx context.Context, message slog.Record) error {
	if told, ok := ctx.Value(toldKey{}).(*told); ok {
		told.mu.Lock()
		defer told.mu.Unlock()
		told.texts = append(told.texts, message.Level.String()+" "+message.Message)
	}
	return nil
}

// WithAttrs is what status messages come with, which are cleared again.
func (recorder) WithAttrs([]slog.Attr) slog.Handler { return slog.DiscardHandler }

// WithGroup is of no use here.
func (r recorder) WithGroup(string) slog.Handler { return r }

// Unknown is a value that is known only after the apply.
var Unknown = property.New(property.Computed)

// Secret marks a value.
func Secret(v any) property.Value { return value(v).WithSecret(true) }

// Properties are the inputs of a program.
func Properties(inputs map[string]any) property.Map { return value(inputs).AsMap() }

func value(v any) property.Value {
	switch v := v.(type) {
	case property.Value:
		return v
	case map[string]any:
		members := map[string]property.Value{}
		for key, member := range v {
			members[key] = value(member)
		}
		return property.New(members)
	case []any:
		items := make([]property.Value, len(v))
		for i, item := range v {
			items[i] = value(item)
		}
		return property.New(items)
	case string:
		return property.New(v)
	case bool:
		return property.New(v)
	case int:
		return property.New(float64(v))
	case nil:
		return property.Value{}
	default:
		panic(fmt.Sprintf("no program writes a %T", v))
	}
}

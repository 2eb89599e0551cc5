package task

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// ReleaseHooksToken is the type of ReleaseHooks. It is not in the schema: only a Chart makes one.
const ReleaseHooksToken = "k8sconnect:index:ReleaseHooks"

// keySteps are the steps of a deletion. Each has a manifest, and says after which ends its object may go.
const keySteps = "steps"

// keyHooks is the hidden output of ReleaseHooks. Its member keyBegun says when the life of the resource began.
const (
	keyHooks = "__hooks"
	keyBegun = "begun"
)

// ReleaseHooks runs the delete hooks of a release when the release is deleted, and nothing before that. Its steps may change at
// any time, and may even become none, but such a change never replaces the resource: a clean-up must not run while the release
// lives on.
type ReleaseHooks struct {
	raw.Resource[ReleaseHooksArgs, ReleaseHooksState]
}

// Annotate names the type.
func (h *ReleaseHooks) Annotate(a infer.Annotator) { a.SetToken("index", "ReleaseHooks") }

// ReleaseHooksArgs are the inputs of ReleaseHooks. An input that a Task also has means the same as there.
type ReleaseHooksArgs struct {
	Release           string                        `pulumi:"release"`
	Steps             []any                         `pulumi:"steps"`
	TakeOver          *bool                         `pulumi:"takeOver,optional"`
	Timeout           *string                       `pulumi:"timeout,optional"`
	LogLines          *int                          `pulumi:"logLines,optional"`
	ForceDestroy      *bool                         `pulumi:"forceDestroy,optional"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
}

// ReleaseHooksState is empty: all outputs are hidden.
type ReleaseHooksState struct{}

// NewReleaseHooks returns the resource. source provides the connections to clusters.
func NewReleaseHooks(source *connection.Source, memory *tracked.Memory) infer.InferredResource {
	notes := memory.For(tokens.Type(ReleaseHooksToken).Name().String())
	return &releaseHooksResource{
		InferredResource: infer.Resource(&ReleaseHooks{}), source: source, calls: tracked.EngineCalls{Notes: notes}, lives: tracked.Lives{Notes: notes},
	}
}

// releaseHooksResource serves the verbs from the raw requests, as taskResource does.
type releaseHooksResource struct {
	infer.InferredResource

	source *connection.Source
	calls  tracked.EngineCalls
	lives  tracked.Lives
}

// Check validates the inputs, without the network.
func (r *releaseHooksResource) Check(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.calls.Check(req.Urn)
	checked, wrong := check.Inputs[ReleaseHooksArgs](req.Inputs)
	checkRelease(req.Inputs.Get(tracked.HookRelease), tracked.HookRelease, &wrong)
	checked = checkSteps(ctx, checked, &wrong)
	checkTimeout(req.Inputs, &wrong)
	checkLogLines(req.Inputs.Get(keyLogLines), &wrong)
	wrong.Flag(req.Inputs, tracked.HookTakeOver)
	wrong.Flag(req.Inputs, keyForceDestroy)
	return p.CheckResponse{Inputs: checked, Failures: wrong}, nil
}

// checkSteps validates the steps.
func checkSteps(ctx context.Context, inputs property.Map, wrong *check.Mistakes) property.Map {
	v := inputs.Get(keySteps)
	if v.IsComputed() {
		return inputs
	}
	if !v.IsArray() {
		wrong.Add(keySteps, "The value must be a list of steps.")
		return inputs
	}
	checked := []property.Value{} // not null, even if there is no step
	for i, step := range v.AsArray().All {
		path := fmt.Sprintf("%s[%d]", keySteps, i)
		switch {
		case step.IsComputed():
		case !step.IsMap():
			wrong.Add(path, "The value must be an object with a manifest.")
		default:
			step = property.New(checkStep(ctx, step.AsMap(), path, wrong)).WithSecret(step.Secret())
		}
		checked = append(checked, step)
	}
	return inputs.Set(keySteps, property.New(checked).WithSecret(v.Secret()))
}

func checkStep(ctx context.Context, step property.Map, path string, wrong *check.Mistakes) property.Map {
	for name := range step.AllStable {
		if name != keyManifest && name != tracked.HookDeleteAfter && name != tracked.HookFormerly {
			wrong.Add(values.JoinPath(path, name), "There is no such property.")
		}
	}
	checkDeleteAfter(step.Get(tracked.HookDeleteAfter), values.JoinPath(path, tracked.HookDeleteAfter), wrong)
	at := values.JoinPath(path, keyManifest)
	object, clean, ok := checkManifest(ctx, step.Get(keyManifest), at, wrong)
	if !ok {
		return step
	}
	if kind := manifest.IdentityOf(object).GroupKind(); isRun(kind) {
		checkRestartPolicy(kind, object, at, wrong)
	}
	return step.Set(keyManifest, clean)
}

// hooksState are the outputs of ReleaseHooks.
type hooksState struct {
	life

	// origin is the cluster of the release; unknown if there are no steps.
	origin tracked.Origin
}

func (s hooksState) encode() property.Map {
	out := map[string]property.Value{
		keyHooks: property.New(map[string]property.Value{keyHashKey: property.New(s.hashKey).WithSecret(true), keyBegun: property.New(s.since)}),
	}
	if !s.origin.IsZero() {
		out[tracked.KeyCluster] = s.origin.Encode()
	}
	return property.NewMap(out)
}

func decodeHooksState(outputs property.Map) hooksState {
	s := hooksState{origin: tracked.DecodeOrigin(outputs.Get(tracked.KeyCluster))}
	if hidden := outputs.Get(keyHooks); hidden.IsMap() {
		s.life = life{values.Text(hidden.AsMap().Get(keyHashKey)), values.Text(hidden.AsMap().Get(keyBegun))}
	}
	return s
}

// Create remembers the steps and their cluster.
func (r *releaseHooksResource) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	s := hooksState{life: beginLife(tracked.NewHashKey())}
	if req.DryRun {
		r.try(ctx, req.Urn, req.Properties)
		return p.CreateResponse{ID: req.Urn.Name(), Properties: s.encode()}, nil
	}
	s, err := r.remember(ctx, req.Properties, s)
	if err != nil {
		return p.CreateResponse{}, err
	}
	r.lives.See(req.Urn, s.hashKey, s.since)
	return p.CreateResponse{ID: req.Urn.Name(), Properties: s.encode()}, nil
}

// Update remembers the steps and their cluster.
func (r *releaseHooksResource) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	s := decodeHooksState(req.State)
	if req.DryRun {
		r.try(ctx, req.Urn, req.Inputs)
		return p.UpdateResponse{Properties: s.encode()}, nil
	}
	s, err := r.remember(ctx, req.Inputs, s)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	return p.UpdateResponse{Properties: s.encode()}, nil
}

// remember notes the cluster of a release that has steps: they must not run in another cluster.
func (r *releaseHooksResource) remember(ctx context.Context, inputs property.Map, s hooksState) (hooksState, error) {
	if isEmpty(inputs) {
		s.origin = tracked.Origin{}
		return s, nil
	}
	clu, err := r.source.Cluster(inputs)
	if err == nil && (s.origin.ID == "" || s.origin.Target != clu.Target()) {
		s.origin = tracked.OriginOf(ctx, clu)
	}
	return s, err
}

// try has the API server check, in a preview, the Jobs and Pods that the deletion will run. The steps between them are not checked:
// an install hook may have made the same object, which its step replaces.
func (r *releaseHooksResource) try(ctx context.Context, urn resource.URN, inputs property.Map) {
	steps, err := decodeSteps(inputs)
	if err != nil || len(steps) == 0 { // they are not known yet
		return
	}
	clu, err := r.source.Cluster(inputs)
	if err != nil {
		return
	}
	for _, step := range steps {
		if isRun(step.id().GroupKind()) {
			dryRun{r.source, urn, step, clu}.foretell(ctx)
		}
	}
}

// isEmpty reports whether there are no steps.
func isEmpty(inputs property.Map) bool {
	steps := inputs.Get(keySteps)
	return steps.IsArray() && steps.AsArray().Len() == 0
}

// Diff reports changed steps and another cluster. Nothing causes a replacement.
func (r *releaseHooksResource) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	programmed := r.calls.IsProgrammed(req.Urn)
	diff := tracked.InputChanges(req.OldInputs, req.Inputs, nil,
		tracked.HookRelease, keySteps, tracked.HookTakeOver, keyTimeout, keyLogLines, keyForceDestroy)
	if diff.HasChanges || isEmpty(req.Inputs) {
		return diff, nil
	}
	clu, known, err := tracked.ClusterForDiff(ctx, r.source, req, programmed)
	if err != nil || !programmed || !known || clu == nil {
		return diff, err
	}
	s := decodeHooksState(req.State)
	moved, _, err := s.origin.Moved(ctx, r.source, tracked.Target{Cluster: clu, Ref: tracked.RefOf(firstStep(req.Inputs))})
	switch {
	case err != nil:
		return p.DiffResponse{}, err
	case moved:
		return tracked.UpdateAbout(tracked.KeyCluster), nil
	default:
		return diff, nil
	}
}

// Read returns what is remembered.
func (r *releaseHooksResource) Read(_ context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	r.calls.Read(req.Urn)
	if req.Inputs.Len() == 0 {
		return p.ReadResponse{}, failure.Errorf(failure.ReasonNotImportable, "the hooks of a release cannot be imported: they are no object of the cluster")
	}
	old := decodeHooksState(req.Properties)
	r.lives.See(req.Urn, old.hashKey, old.since)
	return p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}, nil
}

package chart

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// RecordToken is the type of the record. It is not in the schema: only a component makes one.
const RecordToken = "k8sconnect:index:ChartRecord"

const (
	// keyContent is the input of a record that stands for everything that the rendering depends on.
	keyContent = "content"
	// keyMemory is the output that contains the memory.
	keyMemory = "memory"
)

// Record remembers a release from one run to the next; see memory.
type Record struct {
	raw.Resource[RecordArgs, RecordArgs]
}

// Annotate names the type.
func (r *Record) Annotate(a infer.Annotator) { a.SetToken("index", "ChartRecord") }

// RecordArgs are the inputs of a record.
type RecordArgs struct {
	Version string   `pulumi:"version"`
	Content string   `pulumi:"content" provider:"secret"`
	Rotate  []string `pulumi:"rotate"`
}

// releases are the releases that are being constructed by this process, by the URN of their record. A component and its record
// share the rendering through it: the component is constructed, and its children are served, by the same provider.
type releases struct {
	running sync.Map
	// states are the outputs of records, which the engine has the provider read before the program runs. A record that is replaced keeps
	// the memory of its release.
	states sync.Map
	// changing are the URNs of records that the update of this preview will change.
	changing sync.Map
	// claimants are the components by the places that they hold: the place of their release, and the places of the hooks that run.
	claimants sync.Map
}

// running is what a record can ask of its release while that is being constructed.
type running struct {
	// draw renders the release, and returns its memory after that. rotate are all patterns of values to draw again, including the patterns
	// that have already taken effect.
	draw func(ctx context.Context, before memory, rotate []string) (memory, error)
	// takesOver means that the release takes over objects.
	takesOver bool
	// content is the record's input for a release with this name.
	content func(name string) (property.Value, error)
}

func (r *releases) begin(record resource.URN, of running) { r.running.Store(record, of) }

func (r *releases) draw(ctx context.Context, record resource.URN, before memory, rotate []string) (memory, error) {
	found, isRunning := r.running.Load(record)
	if !isRunning {
		return memory{}, failure.Errorf(failure.ReasonProviderError, "the release is not being constructed by this process of the provider. "+
			"Run the whole program, without --target, or report this as a bug")
	}
	return found.(running).draw(ctx, before, rotate)
}

// takesOver reports whether a release takes over objects.
func (r *releases) takesOver(record resource.URN) bool {
	found, isRunning := r.running.Load(record)
	return isRunning && found.(running).takesOver
}

// isContent reports whether an input stands for the content of a release with this name, even if the program does not give the name: older
// versions of the provider always included it.
func (r *releases) isContent(record resource.URN, input property.Value, name string) bool {
	found, isRunning := r.running.Load(record)
	if !isRunning {
		return false
	}
	content, err := found.(running).content(name)
	return err == nil && content.Equals(input)
}

// recordChild is the record as the component reads it.
type recordChild struct {
	pulumi.CustomResourceState

	Version pulumi.StringOutput      `pulumi:"version"`
	Content pulumi.StringOutput      `pulumi:"content"`
	Rotate  pulumi.StringArrayOutput `pulumi:"rotate"`
	Memory  pulumi.StringOutput      `pulumi:"memory"`
}

// remember registers the record, and returns what it remembers.
func (c *component) remember(ctx *pulumi.Context, rel *release, parent sets.Parent) (*recordChild, memory, error) {
	recordURN := parent.Child(RecordToken, parent.Name())
	rel.managerOf = func(key string) string { return parent.ManagerOf(c.children.Object, key) }
	as := *rel // as the program says it, before `stay` changes rel
	takesOver := sets.TakesOver(rel.given)
	draw := func(ctx context.Context, before memory, rotate []string) (memory, error) {
		rel.stay(before)
		drawn, err := rel.draw(ctx, before, rotate)
		return drawn, rel.explain(ctx, parent.Name(), err)
	}
	c.releases.begin(recordURN, running{content: as.content, takesOver: takesOver, draw: draw})
	inputs, err := rel.recordInputs()
	if err != nil {
		return nil, memory{}, err
	}
	record := &recordChild{}
	if err := ctx.RegisterResource(
		RecordToken, parent.Name(), inputs, record, pulumi.Parent(parent.Resource), parent.AliasesOfRecord(RecordToken),
	); err != nil {
		return nil, memory{}, err
	}
	result, err := internals.UnsafeAwaitOutput(ctx.Context(), record.Memory)
	brought := parent.Brings(RecordToken)
	if err != nil || !result.Known {
		return record, memory{brought: brought}, err
	}
	text, _ := result.Value.(string)
	remembered, err := decodeMemory(text)
	_, remembered.changing = c.releases.changing.LoadAndDelete(recordURN)
	remembered.brought = brought
	return record, remembered, err
}

// firstName is the name of the component when its record was created; empty while that is not known.
func firstName(ctx *pulumi.Context, record *recordChild) (string, error) {
	result, err := internals.UnsafeAwaitOutput(ctx.Context(), record.ID())
	if err != nil || !result.Known {
		return "", err
	}
	id, _ := result.Value.(pulumi.ID)
	return string(id), nil
}

// record serves the verbs from the raw requests: infer has no values for what is unknown.
type record struct {
	infer.InferredResource

	releases *releases
	records  *sets.Records
}

// Check accepts what the component says and notes that it was asked.
func (r *record) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.records.Check(req.Urn)
	return p.CheckResponse{Inputs: req.Inputs}, nil
}

// Diff reports what may change the memory: another chart or other values, values to draw again, certificates that are due for renewal,
// another answer of lookup, and more values in objects that an unfinished install takes over.
func (r *record) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	update := func(key string, input bool) {
		diff.HasChanges = true
		diff.DetailedDiff[key] = p.PropertyDiff{Kind: p.Update, InputDiff: input}
	}
	before, err := memoryIn(req.State)
	if err != nil {
		return diff, err
	}
	for _, key := range []string{keyVersion, keyContent, keyRotate} {
		was := req.OldInputs.Get(key)
		if !was.Equals(req.Inputs.Get(key)) && !(key == keyContent && r.releases.isContent(req.Urn, was, before.Name)) {
			update(key, true)
		}
	}
	findsMore := before.LooksUp || before.Installing && r.releases.takesOver(req.Urn)
	if len(before.Draws.Due(time.Now())) > 0 || !diff.HasChanges && findsMore && r.findsOther(ctx, req, before) {
		update(keyMemory, false)
	}
	return diff, nil
}

// findsOther reports whether the objects that templates look up have changed, so that another rendering must be remembered. What fails here
// also fails the rendering of the component, which says why.
func (r *record) findsOther(ctx context.Context, req p.DiffRequest, before memory) bool {
	after, err := r.releases.draw(ctx, req.Urn, before, rotateOf(req.Inputs))
	if err != nil {
		return false
	}
	if before.Rendered == "" { // The previous rendering is not known, so a known one is no change.
		after.lastEvent = before.lastEvent
	}
	one, failed := before.withoutPlaces().encode()
	other, err := after.withoutPlaces().encode()
	return failed == nil && err == nil && one != other
}

// Create draws the values of a new release. If the record replaces another, because a user has asked for that, it takes over the memory of
// the former one.
func (r *record) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	var state property.Map
	if found, replaced := r.releases.states.Load(req.Urn); replaced {
		state = found.(property.Map)
	}
	if req.DryRun {
		if _, remembered := state.GetOk(keyMemory); !remembered {
			state = state.Set(keyMemory, property.New(property.Computed))
		}
		return p.CreateResponse{ID: req.Urn.Name(), Properties: r.preview(req.Urn, state, req.Properties)}, nil
	}
	properties, err := r.remember(ctx, req.Urn, state, req.Properties)
	return p.CreateResponse{ID: req.Urn.Name(), Properties: properties}, err
}

// Update draws the values that are missing.
func (r *record) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	if req.DryRun {
		return p.UpdateResponse{Properties: r.preview(req.Urn, req.State, req.Inputs)}, nil
	}
	properties, err := r.remember(ctx, req.Urn, req.State, req.Inputs)
	return p.UpdateResponse{Properties: properties}, err
}

// preview returns the outputs of a preview, which contain the previous memory.
func (r *record) preview(urn resource.URN, state, inputs property.Map) property.Map {
	r.releases.changing.Store(urn, true)
	return inputs.Set(keyMemory, state.Get(keyMemory))
}

// remember returns the outputs after a rendering.
func (r *record) remember(ctx context.Context, urn resource.URN, state, inputs property.Map) (property.Map, error) {
	before, err := memoryIn(state)
	if err != nil {
		return property.Map{}, err
	}
	after, err := r.releases.draw(ctx, urn, before, rotateOf(inputs))
	if err != nil {
		return property.Map{}, err
	}
	if err := refuseToDraw(after.drawn); err != nil {
		return property.Map{}, err
	}
	for _, text := range append(after.warnings, explainDropped(after.dropped)) {
		if text != "" {
			p.GetLogger(ctx).Warning(text)
		}
	}
	text, err := after.encode()
	return inputs.Set(keyMemory, property.New(text).WithSecret(true)), err
}

// memoryIn reads the memory in outputs.
func memoryIn(outputs property.Map) (memory, error) {
	return decodeMemory(values.Text(outputs.Get(keyMemory)))
}

// Read returns what is remembered.
func (r *record) Read(_ context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	r.releases.states.Store(req.Urn, req.Properties)
	return p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}, nil
}

// Delete does nothing: the record is only in the state.
func (*record) Delete(context.Context, p.DeleteRequest) error { return nil }

// recordInputs are the inputs of the record of a release.
func (r *release) recordInputs() (pulumi.Map, error) {
	inputs := pulumi.Map{keyRotate: pulumi.ToStringArray(r.rotate), keyContent: pulumi.UnsafeUnknownOutput(nil), keyVersion: pulumi.UnsafeUnknownOutput(nil)}
	if r.chart == nil {
		return inputs, nil
	}
	inputs[keyVersion] = pulumi.String(r.chart.Version())
	content, err := r.content(r.givenName())
	inputs[keyContent] = sets.InputOf(content)
	return inputs, err
}

// content stands for everything that the rendering depends on. name is the name of the release. It is empty if the program gives none: the
// release then keeps its name, even if the resource is renamed.
func (r *release) content(name string) (property.Value, error) {
	if r.chart == nil || values.HasUnknown(r.values) || len(r.unknown) > 0 {
		return property.New(property.Computed), nil
	}
	of := r.release
	of.Name = name
	content, err := json.Marshal([]any{r.chart.Digest(), of, r.values, r.runHooks, r.lookUp})
	if err != nil {
		return property.Value{}, err
	}
	if edits := r.given.Get("edits"); !edits.IsNull() {
		if edits.HasComputed() {
			return property.New(property.Computed), nil
		}
		plain, _, err := values.FromProperty(edits)
		if err != nil {
			return property.Value{}, err
		}
		edited, err := json.Marshal(plain)
		if err != nil {
			return property.Value{}, err
		}
		content = append(content, edited...)
	}
	sum := sha256.Sum256(content)
	return property.New(hex.EncodeToString(sum[:])).WithSecret(true), err
}

func rotateOf(inputs property.Map) (patterns []string) {
	if v := inputs.Get(keyRotate); v.IsArray() {
		for _, item := range v.AsArray().All {
			if item.IsString() {
				patterns = append(patterns, item.AsString())
			}
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

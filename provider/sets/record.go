package sets

import (
	"context"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
)

// RecordToken is the type of the record. It is not in the schema: only a component makes one.
const RecordToken = "k8sconnect:index:ManifestsRecord"

// The inputs of a record, which are its outputs, too.
const (
	keyKeys  = "keys"
	keyWaits = "waits"
)

// The other inputs of a record, and the output that follows from them.
const (
	keyLeavable  = "definitions"
	keyLeavesOut = "leavesOutDefinitions"
	keyLeftOut   = "leftOut"
)

// keyChildrenOf is the output with the URNs from which the children that the state has may have their names. While no rename of the component is
// open, that is the URN of the component alone.
const keyChildrenOf = "childrenOf"

// Record remembers the children of a set from one run to the next, and does nothing else.
type Record struct {
	raw.Resource[RecordArgs, RecordArgs]
}

// Annotate names the type.
func (r *Record) Annotate(a infer.Annotator) { a.SetToken("index", "ManifestsRecord") }

// RecordArgs are the keys of a set.
type RecordArgs struct {
	// Keys are the keys of all objects, Waits the keys of the objects that are waited for.
	Keys  []string `pulumi:"keys"`
	Waits []string `pulumi:"waits"`
	// Definitions are the keys of the definitions that the set may leave out one day. If it does, the definitions that it had
	// stay in the cluster, even if the set is deleted.
	Definitions          []string `pulumi:"definitions,optional"`
	LeavesOutDefinitions *bool    `pulumi:"leavesOutDefinitions,optional"`
}

// NewRecord returns the resource.
func NewRecord(records *Records) infer.InferredResource {
	return &record{remembering: remembering{InferredResource: infer.Resource(&Record{}), keys: []string{keyKeys, keyWaits}}, records: records}
}

type record struct {
	remembering

	records *Records
}

// Check accepts the component's inputs unchanged.
func (r *record) Check(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.records.Check(req.Urn)
	return r.remembering.Check(ctx, req)
}

// Create also remembers the component.
func (r *record) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	resp, err := r.remembering.Create(ctx, req)
	resp.Properties = resp.Properties.Set(keyChildrenOf, values.List([]string{string(componentOf(req.Urn))}))
	return resp, err
}

// componentOf is the URN of the component of a record.
func componentOf(record resource.URN) resource.URN {
	types := string(record.QualifiedType())
	return resource.NewURN(record.Stack(), record.Project(), "", tokens.Type(types[:strings.LastIndex(types, "$")]), record.Name())
}

// Delete does nothing: the record is only in the state.
func (*record) Delete(context.Context, p.DeleteRequest) error { return nil }

// childrenOf are the URNs from which the children may have their names once the record is in this place. Those of the state alone are not
// enough: from now on, an interrupted rename leaves some children under the one name, and some under the other. The state of an older version
// says nothing, until a rename is complete.
func childrenOf(record resource.URN, state property.Map) []string {
	of, component := values.Scalars(state.Get(keyChildrenOf)), string(componentOf(record))
	if len(of) > 0 && !slices.Contains(of, component) {
		of = append(of, component)
	}
	return of
}

// Diff also reports a new name of the component, and a change of the definitions that are left out.
func (r *record) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	diff, err := r.remembering.Diff(ctx, req)
	if !slices.Equal(childrenOf(req.Urn, req.State), values.Scalars(req.State.Get(keyChildrenOf))) {
		diff.HasChanges = true
		diff.DetailedDiff[keyChildrenOf] = p.PropertyDiff{Kind: p.Update}
	}
	if !slices.Equal(leftOut(req.OldInputs, req.State, req.Inputs), values.Scalars(req.State.Get(keyLeftOut))) {
		diff.HasChanges = true
		diff.DetailedDiff[keyLeftOut] = p.PropertyDiff{Kind: p.Update}
	}
	return diff, err
}

// Read also notes the component's former names.
func (r *record) Read(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	r.records.read(req.Urn, req.Properties)
	return r.remembering.Read(ctx, req)
}

// Update also remembers the new name of the component, and which definitions are left out.
func (r *record) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	resp, err := r.remembering.Update(ctx, req)
	for key, texts := range map[string][]string{
		keyChildrenOf: childrenOf(req.Urn, req.State), keyLeftOut: leftOut(req.OldInputs, req.State, req.Inputs),
	} {
		if len(texts) > 0 {
			resp.Properties = resp.Properties.Set(key, values.List(texts))
		}
	}
	return resp, err
}

// remembering is a resource whose outputs are its inputs. It compares only some of them. It serves the verbs from the raw
// requests, because infer cannot represent unknown values.
type remembering struct {
	infer.InferredResource

	keys []string
}

// Check accepts the component's inputs unchanged.
func (remembering) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	return p.CheckResponse{Inputs: req.Inputs}, nil
}

// Diff reports changed values. A value that is not known yet counts as unchanged, so that a preview has the known value of the
// last run.
func (r remembering) Diff(_ context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for _, key := range r.keys {
		if now := req.Inputs.Get(key); !now.HasComputed() && !req.OldInputs.Get(key).Equals(now) {
			diff.HasChanges = true
			diff.DetailedDiff[key] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
		}
	}
	return diff, nil
}

// Create remembers the values.
func (r remembering) Create(_ context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	return p.CreateResponse{ID: req.Urn.Name(), Properties: r.remembered(req.Properties)}, nil
}

// Update remembers the values, and keeps the old ones where a preview does not know the new ones.
func (r remembering) Update(_ context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	now := r.remembered(req.Inputs)
	for _, key := range r.keys {
		if now.Get(key).HasComputed() {
			now = now.Set(key, req.State.Get(key))
		}
	}
	return p.UpdateResponse{Properties: now}, nil
}

// remembered leaves out the connection, which is only an input.
func (r remembering) remembered(inputs property.Map) property.Map {
	outputs := map[string]property.Value{}
	for _, key := range r.keys {
		outputs[key] = inputs.Get(key)
	}
	return property.NewMap(outputs)
}

// Read returns what the resource remembers.
func (remembering) Read(_ context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	return p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}, nil
}

package sets

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// RecordToken is the type of the record. It is not in the schema: nobody but a component makes one.
const RecordToken = "k8sconnect:index:ManifestsRecord"

// The inputs of a record, which are its outputs, too.
const (
	keyKeys  = "keys"
	keyWaits = "waits"
)

// Record remembers the children of a set from one run to the next, and does nothing else.
type Record struct{}

// Annotate names the type.
func (r *Record) Annotate(a infer.Annotator) { a.SetToken("index", "ManifestsRecord") }

// RecordArgs are the keys of a set.
type RecordArgs struct {
	// Keys are the keys of all objects, Waits those of the objects that are waited for.
	Keys  []string `pulumi:"keys"`
	Waits []string `pulumi:"waits"`
}

// NewRecord returns the resource.
func NewRecord() infer.InferredResource {
	return &record{remembering{InferredResource: infer.Resource(&Record{}), keys: []string{keyKeys, keyWaits}}}
}

type record struct{ remembering }

// Create satisfies infer's constraint on resource types. It is never reached, because record serves Create itself.
func (*Record) Create(context.Context, infer.CreateRequest[RecordArgs]) (infer.CreateResponse[RecordArgs], error) {
	return infer.CreateResponse[RecordArgs]{}, errors.New("a record is created from the raw request")
}

// Delete does nothing: the record is only in the state.
func (*record) Delete(context.Context, p.DeleteRequest) error { return nil }

// remembering is a resource whose outputs are its inputs, of which it compares some. It serves the verbs from the raw requests: infer
// has no values for what is unknown.
type remembering struct {
	infer.InferredResource

	keys []string
}

// Check accepts what the component says.
func (remembering) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	return p.CheckResponse{Inputs: req.Inputs}, nil
}

// Diff reports other values. One that is not known yet counts as unchanged, so that a preview has that of the last run, as a known value.
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

// Update remembers the values, and keeps those that a preview does not know.
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

// Read returns what is remembered.
func (remembering) Read(_ context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	return p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}, nil
}

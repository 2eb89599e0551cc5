package manifests

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
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
	return &record{InferredResource: infer.Resource(&Record{})}
}

// record serves the verbs from the raw requests: infer has no values for what is unknown.
type record struct{ infer.InferredResource }

// Create satisfies infer's constraint on resource types. It is never reached, because record serves Create itself.
func (*Record) Create(context.Context, infer.CreateRequest[RecordArgs]) (infer.CreateResponse[RecordArgs], error) {
	return infer.CreateResponse[RecordArgs]{}, errors.New("a record is created from the raw request")
}

// Check accepts what the component says.
func (*record) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	return p.CheckResponse{Inputs: req.Inputs}, nil
}

// Diff reports other keys.
func (*record) Diff(_ context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for _, key := range []string{keyKeys, keyWaits} {
		if !req.OldInputs.Get(key).Equals(req.Inputs.Get(key)) {
			diff.HasChanges = true
			diff.DetailedDiff[key] = p.PropertyDiff{Kind: p.Update, InputDiff: true}
		}
	}
	return diff, nil
}

// Create remembers the keys.
func (*record) Create(_ context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	return p.CreateResponse{ID: req.Urn.Name(), Properties: req.Properties}, nil
}

// Update remembers the keys. In a preview that does not know them, it returns those of the last run, as known values.
func (*record) Update(_ context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	if req.Inputs.Get(keyKeys).HasComputed() {
		return p.UpdateResponse{Properties: req.State}, nil
	}
	return p.UpdateResponse{Properties: req.Inputs}, nil
}

// Read returns what is remembered.
func (*record) Read(_ context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	return p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}, nil
}

// Delete does nothing: the record is only in the state.
func (*record) Delete(context.Context, p.DeleteRequest) error { return nil }

package tracked

import (
	"encoding/json"
	"maps"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// DeletionInputs remembers, for this operation, what a program says about a deletion. The engine passes the inputs of
// the last run to a Delete, even if it is the first half of a replacement. Without this memory, a program that changes
// an immutable field and says in the same update that the dependents stay would lose them.
type DeletionInputs struct {
	Notes Notes
	// Keys are the inputs that decide how a resource is deleted: flags and texts.
	Keys []string
}

const said = "of a deletion" // observed or URN -> inputs

// Checked records what the program of a Check says. It is needed when the engine calls no Diff before the Delete: after
// the user has asked for a replacement, and for the remains of a failed replacement.
func (d *DeletionInputs) Checked(req p.CheckRequest) { d.note(string(req.Urn), req.Inputs) }

// Note records what the program of a Diff says. The record also applies under the resource's former name.
func (d *DeletionInputs) Note(req p.DiffRequest) {
	if object := observedIn(req.State); object != (observed{}) {
		d.note(object.String(), req.Inputs)
	}
}

// note records inputs. If a value is not known yet, the inputs of the last run stay in force.
func (d *DeletionInputs) note(of string, inputs property.Map) {
	values := map[string]any{}
	for _, key := range d.Keys {
		switch v := inputs.Get(key); {
		case v.HasComputed():
			d.Notes.forget(said, of)
			return
		case v.IsString():
			values[key] = v.AsString()
		case v.IsBool():
			values[key] = v.AsBool()
		}
	}
	if fact, err := json.Marshal(values); err == nil {
		d.Notes.set(said, of, string(fact))
	}
}

// Forget forgets a Check. A Read is the beginning of another command.
func (d *DeletionInputs) Forget(urn resource.URN) { d.Notes.forget(said, string(urn)) }

// Of returns the inputs of a Delete, overridden by what the program says if it still has the resource.
func (d *DeletionInputs) Of(req p.DeleteRequest) property.Map {
	fact, known := d.Notes.get(said, observedIn(req.Properties).String())
	if !known {
		fact, known = d.Notes.get(said, string(req.Urn))
	}
	var values map[string]any
	if !known || json.Unmarshal([]byte(fact), &values) != nil {
		return req.OldInputs
	}
	inputs := req.OldInputs.Delete(d.Keys...)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		switch v := values[key].(type) {
		case string:
			inputs = inputs.Set(key, property.New(v))
		case bool:
			inputs = inputs.Set(key, property.New(v))
		}
	}
	return inputs
}

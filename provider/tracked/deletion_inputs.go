package tracked

import (
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// DeletionInputs remembers, for this process, what a program says about a deletion. The engine gives a Delete the inputs of the
// last run, also when it is the first half of a replacement. A program that changes what cannot be changed, and says in the same
// update that the dependents stay, would lose them.
type DeletionInputs struct {
	// Keys are the inputs that decide how a resource is deleted.
	Keys []string
	said sync.Map // observed or resource.URN -> property.Map, the inputs with these keys
}

// Checked records what the program of a Check says. It counts for a replacement that the user asks for, for which the engine
// calls no Diff, and for what a failed replacement has left.
func (d *DeletionInputs) Checked(req p.CheckRequest) { d.note(req.Urn, req.Inputs) }

// Note records what the program of a Diff says. It counts under a former name, too.
func (d *DeletionInputs) Note(req p.DiffRequest) {
	if object := observedIn(req.State); object != (observed{}) {
		d.note(object, req.Inputs)
	}
}

// note records inputs. A value that is not known yet leaves the inputs of the last run in force.
func (d *DeletionInputs) note(of any, inputs property.Map) {
	said := property.Map{}
	for _, key := range d.Keys {
		if v, has := inputs.GetOk(key); v.HasComputed() {
			d.said.Delete(of)
			return
		} else if has {
			said = said.Set(key, v)
		}
	}
	d.said.Store(of, said)
}

// Forget forgets a Check. Another command begins with a Read.
func (d *DeletionInputs) Forget(urn resource.URN) { d.said.Delete(urn) }

// Of returns the inputs of a Delete, with what the program says where it still has the resource.
func (d *DeletionInputs) Of(req p.DeleteRequest) property.Map {
	said, ok := d.said.Load(observedIn(req.Properties))
	if !ok {
		if said, ok = d.said.Load(req.Urn); !ok {
			return req.OldInputs
		}
	}
	inputs := req.OldInputs
	for _, key := range d.Keys {
		if v, has := said.(property.Map).GetOk(key); has {
			inputs = inputs.Set(key, v)
		} else {
			inputs = inputs.Delete(key)
		}
	}
	return inputs
}

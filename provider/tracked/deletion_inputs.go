package tracked

import (
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// DeletionInputs remembers, for this process, what a program says about a deletion. The engine gives a Delete the inputs of the
// last run, also when it is the first half of a replacement. A program that changes what cannot be changed, and says in the same
// update that the dependents stay, would lose them.
type DeletionInputs struct {
	// Keys are the inputs that decide how a resource is deleted.
	Keys   []string
	states sync.Map // observed -> property.Map, the inputs
}

// Note records what the program of a Diff says. A value that is not known yet leaves the inputs of the last run in force.
func (d *DeletionInputs) Note(req p.DiffRequest) {
	for _, key := range d.Keys {
		if req.Inputs.Get(key).HasComputed() {
			d.states.Delete(observedIn(req.State))
			return
		}
	}
	d.states.Store(observedIn(req.State), req.Inputs)
}

// Of returns the inputs of a Delete, with what the program says where it still has the resource.
func (d *DeletionInputs) Of(req p.DeleteRequest) property.Map {
	noted, _ := d.states.Load(observedIn(req.Properties))
	said, ok := noted.(property.Map)
	if !ok {
		return req.OldInputs
	}
	inputs := req.OldInputs
	for _, key := range d.Keys {
		if v, has := said.GetOk(key); has {
			inputs = inputs.Set(key, v)
		} else {
			inputs = inputs.Delete(key)
		}
	}
	return inputs
}

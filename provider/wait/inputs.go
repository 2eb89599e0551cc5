package wait

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// The names of the inputs.
const (
	keyResourceRef = "resourceRef"
	keySelector    = "selector"
	keyCount       = "count"
	keyWaitFor     = waitfor.Key
	keyTriggers    = "triggers"
	keyOnFailure   = "onFailure"
)

// inputs are the checked inputs of one resource.
type inputs struct {
	object reference.Object
	// selected are the objects of the wait if it is for many; otherwise nil.
	selected *selection
	count    readiness.Count
	spec     waitfor.Spec
	// extracts means that the wait is for fields, whose values become an output.
	extracts bool
	// goesOn means that a failed wait is only a warning.
	goesOn bool
	// known means that no part of the goal is unknown.
	known bool
}

// decodeInputs reads what Check returned.
func (r *waitResource) decodeInputs(properties property.Map) (inputs, error) {
	ref, waitFor := properties.Get(keyResourceRef), properties.Get(keyWaitFor)
	spec, err := waitfor.Decode(waitFor)
	in := inputs{
		object:   reference.Decode(ref),
		count:    decodeCount(properties.Get(keyCount)),
		spec:     spec.By(r.rules()),
		extracts: waitfor.Extracts(waitFor),
		goesOn:   values.Text(properties.Get(keyOnFailure)) == failureWarns,
		known:    true,
	}
	for _, key := range []string{keyResourceRef, keySelector, keyCount, keyWaitFor, keyTriggers} {
		in.known = in.known && !properties.Get(key).HasComputed()
	}
	if isSelecting(properties) {
		in.selected, in.extracts = decodeSelection(properties.Get(keySelector)), false
		in.spec.Secret = in.spec.Secret || in.selected.secret
	}
	return in, err
}

// id is the resource's ID.
func (in inputs) id() string {
	if in.selected != nil {
		return in.selected.identity().String()
	}
	return in.object.String()
}

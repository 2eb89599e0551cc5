package wait

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// The names of the inputs.
const (
	keyResourceRef = "resourceRef"
	keyWaitFor     = waitfor.Key
	keyTriggers    = "triggers"
	keyOnFailure   = "onFailure"
)

// inputs are the checked inputs of one resource.
type inputs struct {
	object reference.Object
	spec   waitfor.Spec
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
	return inputs{
		object:   reference.Decode(ref),
		spec:     spec.By(r.rules()),
		extracts: waitfor.Extracts(waitFor),
		goesOn:   values.Text(properties.Get(keyOnFailure)) == failureWarns,
		known:    !ref.HasComputed() && !waitFor.HasComputed() && !properties.Get(keyTriggers).HasComputed(),
	}, err
}

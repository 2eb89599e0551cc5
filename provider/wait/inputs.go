package wait

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// The names of the inputs.
const (
	keyResourceRef = "resourceRef"
	keyWaitFor     = waitfor.Key
	keyTriggers    = "triggers"
)

// inputs are the checked inputs of one resource.
type inputs struct {
	object reference.Object
	spec   waitfor.Spec
	// extracts says that fields are waited for.
	extracts bool
	// known says that nothing of what is waited for is unknown.
	known bool
}

// decodeInputs reads what Check has returned.
func (r *waitResource) decodeInputs(properties property.Map) (inputs, error) {
	ref, waitFor := properties.Get(keyResourceRef), properties.Get(keyWaitFor)
	spec, err := waitfor.Decode(waitFor)
	return inputs{
		object:   reference.Decode(ref),
		spec:     spec.By(r.rules()),
		extracts: waitfor.Extracts(waitFor),
		known:    !ref.HasComputed() && !waitFor.HasComputed() && !properties.Get(keyTriggers).HasComputed(),
	}, err
}

package wait

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// Check validates the inputs, without the network.
func (r *waitResource) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.calls.Check(req.Urn)
	checked, wrong := check.Inputs[Args](req.Inputs)
	fail := wrong.Add
	ref := req.Inputs.Get(keyResourceRef)
	reference.Check(ref, func(path, reason string) { fail(keyResourceRef+path, reason) })
	object := reference.Decode(ref)
	kind := object.GroupKind()
	if object.APIVersion == "" {
		kind = schema.GroupKind{}
	}
	wrong = append(wrong, waitfor.Check(req.Inputs.Get(keyWaitFor), kind)...)
	if v := req.Inputs.Get(keyTriggers); !v.IsNull() && !v.IsComputed() && !v.IsArray() {
		fail(keyTriggers, "The value must be a list.")
	}
	if words := choice.Of[OnFailure](); !words.Allow(req.Inputs.Get(keyOnFailure)) {
		fail(keyOnFailure, fmt.Sprintf("The value must be one of %s.", words))
	}
	return p.CheckResponse{Inputs: checked, Failures: wrong}, nil
}

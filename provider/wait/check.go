package wait

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// Check validates the inputs, without the network.
func (r *waitResource) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.calls.Check(req.Urn)
	checked := req.Inputs
	var failures []p.CheckFailure
	fail := func(path, reason string) {
		failures = append(failures, p.CheckFailure{Property: path, Reason: reason})
	}
	for key := range req.Inputs.AllStable {
		if !slices.Contains(inputKeys, key) {
			fail(key, fmt.Sprintf("There is no input %q. The inputs are %s.", key, strings.Join(inputKeys, ", ")))
		}
	}
	ref := req.Inputs.Get(keyResourceRef)
	reference.Check(ref, func(path, reason string) { fail(keyResourceRef+path, reason) })
	object := reference.Decode(ref)
	kind := object.GroupKind()
	if object.APIVersion == "" {
		kind = schema.GroupKind{}
	}
	failures = append(failures, waitfor.Check(req.Inputs.Get(keyWaitFor), kind)...)
	if v := req.Inputs.Get(keyTriggers); !v.IsNull() && !v.IsComputed() && !v.IsArray() {
		fail(keyTriggers, "The value must be a list.")
	}
	if v, ok := req.Inputs.GetOk(keyClusterConnection); ok && !v.IsNull() {
		for _, problem := range connection.Check(v, keyClusterConnection) {
			fail(problem.Property, problem.Reason)
		}
		checked = checked.Set(keyClusterConnection, connection.MarkWhole(v))
	}
	return p.CheckResponse{Inputs: checked, Failures: failures}, nil
}

package wait

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// Check validates the inputs, without the network.
func (r *waitResource) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.calls.Check(req.Urn)
	checked, wrong := check.Inputs[Args](req.Inputs)
	fail := wrong.Add
	kind := checkObjects(req.Inputs, fail)
	wrong = append(wrong, waitfor.Check(req.Inputs.Get(keyWaitFor), kind)...)
	if v := req.Inputs.Get(keyTriggers); !v.IsNull() && !v.IsComputed() && !v.IsArray() {
		fail(keyTriggers, "The value must be a list.")
	}
	if words := choice.Of[OnFailure](); !words.Allow(req.Inputs.Get(keyOnFailure)) {
		fail(keyOnFailure, fmt.Sprintf("The value must be one of %s.", words))
	}
	return p.CheckResponse{Inputs: checked, Failures: wrong}, nil
}

// checkObjects finds the mistakes in what says which objects the wait is for. It returns their kind, which is empty if it
// is unknown.
func checkObjects(inputs property.Map, fail func(path, reason string)) schema.GroupKind {
	ref, selector, count := inputs.Get(keyResourceRef), inputs.Get(keySelector), inputs.Get(keyCount)
	withoutCount := ""
	switch {
	case !ref.IsNull() && !selector.IsNull():
		fail(keySelector, "Set either resourceRef, for one object, or selector, for many.")
	case ref.IsNull() && selector.IsNull():
		fail(keyResourceRef, "Name the object: the resourceRef of a KubeObject, or { apiVersion, kind, namespace, name }. "+
			"For many objects, set selector instead.")
	case !selector.IsNull():
		checkSelector(selector, func(path, reason string) { fail(keySelector+path, reason) })
	default:
		reference.Check(ref, func(path, reason string) { fail(keyResourceRef+path, reason) })
	}
	if selector.IsNull() {
		withoutCount = "Only a Wait with a selector counts objects."
	} else if waitFor := inputs.Get(keyWaitFor); waitFor.IsMap() && values.Flag(waitFor.AsMap().Get(readiness.NameDeleted)) {
		withoutCount = "With waitFor { deleted: true }, there is no count: no object may be left."
	}
	if waitFor := inputs.Get(keyWaitFor); !selector.IsNull() && waitFor.IsMap() && !waitFor.AsMap().Get(readiness.NameHTTP).IsNull() {
		fail(keyWaitFor+"."+readiness.NameHTTP, "Only a Wait with a resourceRef asks for an answer. For pods, wait for the Service that selects them.")
	}
	checkCount(count, withoutCount, func(path, reason string) { fail(keyCount+path, reason) })
	object := reference.Decode(ref).Identity
	if !selector.IsNull() {
		object = decodeSelection(selector).kind
	}
	if object.APIVersion == "" {
		return schema.GroupKind{}
	}
	return object.GroupKind()
}

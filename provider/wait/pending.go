package wait

import (
	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// learnsFrom reports whether a look decides anything: a wait that is pending stays so until all holds.
func (s state) learnsFrom(in inputs, live *unstructured.Unstructured) bool {
	return !s.pending || in.spec.Goal.Judge(live).Holds
}

// unchanged is the answer of a look that tells nothing new. While a wait is pending
// the engine is told so again, which it shows as a warning. live is nil where it is not
// known what the object is like.
func unchanged(req p.ReadRequest, old state, why string, live *unstructured.Unstructured) (p.ReadResponse, error) {
	resp := p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}
	if !old.pending {
		return resp, nil
	}
	var err error
	resp.PartialState, err = tracked.Unfinished(waitfor.Pending(req.ID, why, live))
	return resp, err
}

package wait

import (
	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// learnsFrom reports whether a read changes the state: a pending wait stays pending until everything holds.
func (s state) learnsFrom(verdict readiness.Verdict) bool { return !s.pending || verdict.Holds }

// unchanged returns the answer of a read without news. While a wait is pending, it reports that to the engine again,
// which shows it as a warning. live is nil if the live object is unknown.
func unchanged(req p.ReadRequest, old state, why string, live *unstructured.Unstructured) (p.ReadResponse, error) {
	resp := p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}
	if !old.pending {
		return resp, nil
	}
	var err error
	resp.PartialState, err = tracked.Unfinished(waitfor.Pending(req.ID, why, live))
	return resp, err
}

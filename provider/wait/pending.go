package wait

import (
	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
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
	err := waitfor.Pending(req.ID, why, live)
	resp.PartialState = failed(err)
	return resp, err
}

// stillMissing says in a few words what keeps a wait pending.
func stillMissing(in inputs, live *unstructured.Unstructured) string {
	switch verdict := in.spec.Goal.Judge(live); {
	case in.spec.Secret || live != nil && manifest.IsSecretKind(live.GetAPIVersion(), live.GetKind()):
		return "what is waited for does not hold yet"
	case verdict.Failed != "":
		return verdict.Failed
	default:
		return verdict.Missing[0]
	}
}

package wait

import (
	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// learnsFrom reports whether a read decides anything: a pending wait stays pending until everything holds.
func (s state) learnsFrom(in inputs, live *unstructured.Unstructured) bool {
	return !s.pending || in.spec.Goal.Judge(live).Holds
}

// unchanged returns the answer of a read without news. While a wait is pending, it reports that to the engine again,
// which shows it as a warning. live is nil if the live object is unknown.
func unchanged(req p.ReadRequest, old state, why string, live *unstructured.Unstructured) (p.ReadResponse, error) {
	resp := p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}
	if !old.pending {
		return resp, nil
	}
	err := waitfor.Pending(req.ID, why, live)
	resp.PartialState = failed(err)
	return resp, err
}

// stillMissing says in a few words why a wait is still pending.
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

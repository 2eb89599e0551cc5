package object

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

// answers keeps what a dry-run in Diff has answered until the preview of the same
// update asks for it, so that a changed object costs one dry-run and not two.
type answers struct {
	byURN sync.Map // resource.URN -> remembered
}

type remembered struct {
	uid    string
	hash   string
	result outcome
}

// keep remembers the answer to a dry-run of in on the object of old.
func (a *answers) keep(urn resource.URN, old state, result outcome) {
	a.byURN.Store(urn, remembered{old.ref.uid, result.state.hash, result})
}

// take returns and forgets the answer, if it was given for these inputs.
func (a *answers) take(urn resource.URN, old state, in inputs) (outcome, bool) {
	v, ok := a.byURN.LoadAndDelete(urn)
	if !ok {
		return outcome{}, false
	}
	kept := v.(remembered)
	sum, err := tracking.Hash(kept.result.state.hashKey, in.sent())
	if err != nil || kept.uid != old.ref.uid || sum != kept.hash {
		return outcome{}, false
	}
	return kept.result, true
}

package patch

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// answers keeps what a dry-run in Diff has answered until the preview of the same
// update asks for it, so that a changed patch costs one dry-run and not two.
type answers struct {
	byURN sync.Map // resource.URN -> remembered
}

type remembered struct {
	uid    string
	result outcome
}

// keep remembers the answer to a dry-run on the object of old.
func (a *answers) keep(urn resource.URN, old state, result outcome) {
	a.byURN.Store(urn, remembered{old.ref.uid, result})
}

// take returns and forgets the answer, if it was given for this patch.
func (a *answers) take(urn resource.URN, old state, in inputs) (outcome, bool) {
	v, ok := a.byURN.LoadAndDelete(urn)
	if !ok {
		return outcome{}, false
	}
	kept := v.(remembered)
	return kept.result, kept.uid == old.ref.uid && kept.result.state.settled(in)
}

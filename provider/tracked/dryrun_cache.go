package tracked

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// DryRunCache keeps the answer to a dry-run in Diff until the preview of the same update asks for it, so that a changed
// object costs one dry-run instead of two. The zero value is ready to use, and safe for concurrent use.
type DryRunCache[Outcome any] struct {
	byURN sync.Map // resource.URN -> dryRun[Outcome]
}

type dryRun[Outcome any] struct {
	uid     string
	outcome Outcome
}

// Put stores the outcome of a dry-run on the object with this uid.
func (d *DryRunCache[Outcome]) Put(urn resource.URN, uid string, outcome Outcome) {
	d.byURN.Store(urn, dryRun[Outcome]{uid, outcome})
}

// Pop returns and removes the outcome, if it is for the object with this uid and fits.
func (d *DryRunCache[Outcome]) Pop(urn resource.URN, uid string, fits func(Outcome) bool) (outcome Outcome, ok bool) {
	v, found := d.byURN.LoadAndDelete(urn)
	if !found {
		return outcome, false
	}
	kept := v.(dryRun[Outcome])
	if kept.uid != uid || !fits(kept.outcome) {
		return outcome, false
	}
	return kept.outcome, true
}

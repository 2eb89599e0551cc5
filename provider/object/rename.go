package object

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// rename puts what we own of the object under the field manager of the resource's URN.
func (t target) rename(ctx context.Context, in inputs, uid types.UID) error {
	if t.Also == "" {
		return nil
	}
	if err := t.edit(ctx, in, uid, t.RenamePatch); err != nil {
		return t.explain("rename the field manager on", err, in)
	}
	return nil
}

// asOn returns the target under the name that a preview has to try an update with: a dry-run cannot rename first, and
// what is applied under a name that is not on the object takes nothing away.
func (t target) asOn(live *unstructured.Unstructured) target { return target{t.AsOn(live)} }

// asRenamed is what an attempt under our former field manager leads to, under the one of the URN.
func (t target) asRenamed(a applyResult) applyResult {
	if a.err != nil {
		return a
	}
	a.answer, a.err = t.Renamed(a.answer)
	return a
}

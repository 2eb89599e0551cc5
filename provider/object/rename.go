package object

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// rename moves what we own of the object to the field manager of the resource's URN.
func (t target) rename(ctx context.Context, in inputs, uid types.UID) error {
	if t.Also == "" {
		return nil
	}
	if err := t.edit(ctx, in, uid, t.Rename()); err != nil {
		return t.Explain("rename the field manager on", err, in.sensitive())
	}
	return nil
}

// asOn returns the target with the field manager that a preview must use to try an update: a dry-run cannot rename
// first, and an apply under a manager that is not on the object removes nothing.
func (t target) asOn(live *unstructured.Unstructured) target { return target{t.AsOn(live)} }

// asRenamed converts the result of an attempt under our former field manager to the one of the URN.
func (t target) asRenamed(a applyResult) applyResult {
	if a.err != nil {
		return a
	}
	a.answer, a.err = t.Renamed(a.answer)
	return a
}

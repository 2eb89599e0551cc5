package object

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// rename moves what we own of the object to the field manager of the resource's URN. It returns how to revert that.
func (t target) rename(ctx context.Context, in inputs, uid types.UID) (undo ownership.Edit, err error) {
	if t.Also == "" {
		return nil, nil
	}
	err = t.editOwned(ctx, in, uid, func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		renamed, err := t.Rename()(live)
		undo = ownership.Undo(live, renamed)
		return renamed, err
	})
	if err != nil {
		return nil, t.Explain("rename the field manager on", err, in.sensitive())
	}
	return undo, nil
}

// asOn returns the target with the field manager that a preview must use to try an update: a dry-run cannot rename
// first, and an apply under a manager that is not on the object removes nothing.
func (t target) asOn(live *unstructured.Unstructured) target { return target{t.AsOn(live)} }

// asRenamed converts the result of an attempt under our former field manager to one under the field manager of the URN.
func (t target) asRenamed(a applyResult) applyResult {
	if a.err != nil {
		return a
	}
	a.answer, a.err = t.Renamed(a.answer)
	return a
}

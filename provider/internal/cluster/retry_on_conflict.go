package cluster

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// conflictBackoff controls how often a guarded write is tried on an object that others write as well: 16 times in about
// 10 s. It has no cap, because wait.Backoff stops when it reaches one.
var conflictBackoff = wait.Backoff{Duration: 20 * time.Millisecond, Factor: 1.4, Jitter: 0.5, Steps: 16}

// RetryOnConflict repeats try, which writes an object guarded by its uid or its resourceVersion, until try does not fail
// with a conflict (409). If a rollout or a leader election writes the object many times a second, this takes
// several tries. After about 10 s, or when the context ends, it returns the last conflict.
func RetryOnConflict(ctx context.Context, try func() error) error {
	backoff := conflictBackoff
	for {
		err := try()
		if !apierrors.IsConflict(err) || backoff.Steps <= 1 || !sleep(ctx, backoff.Step()) {
			return err
		}
	}
}

// Edit changes the object with this uid by a JSON patch that is built from a fresh read. The patch must be guarded: it
// replaces /metadata/resourceVersion by the version that it was built from. If another client was faster, Edit builds a
// new patch ([RetryOnConflict]). A nil patch means that there is nothing to do. If the object is gone, or another
// object has its name, Edit does nothing and returns no error: the caller's next step notices.
func (c *Cluster) Edit(
	ctx context.Context, ref Ref, uid types.UID, fieldManager string,
	patch func(live *unstructured.Unstructured) ([]byte, error),
) error {
	return RetryOnConflict(ctx, func() error {
		live, err := c.Get(ctx, ref)
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return err
		case live.GetUID() != uid:
			return nil
		}
		text, err := patch(live)
		if err != nil || text == nil {
			return err
		}
		_, err = c.Patch(ctx, ref, text, PatchOptions{Type: types.JSONPatchType, FieldManager: fieldManager})
		return err
	})
}

package cluster

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// conflictBackoff is how often a guarded write is tried on an object that others write too: 16 times in about 10 s. There
// is no cap, because wait.Backoff ends where it reaches one.
var conflictBackoff = wait.Backoff{Duration: 20 * time.Millisecond, Factor: 1.4, Jitter: 0.5, Steps: 16}

// RetryOnConflict calls try, which reads an object and writes it as it was read, until it does not fail with a conflict
// (409). An object that a rollout or a leader election writes many times a second needs some tries. After about 10 s, or
// when the context ends, it returns the last conflict.
func RetryOnConflict(ctx context.Context, try func() error) error {
	backoff := conflictBackoff
	for {
		err := try()
		if !apierrors.IsConflict(err) || backoff.Steps <= 1 || !sleep(ctx, backoff.Step()) {
			return err
		}
	}
}

// Edit changes the object with this uid by a JSON patch that is made from a fresh look. The patch has to be guarded: it
// replaces /metadata/resourceVersion by what it was made from. Where another client was faster, a new one is made
// ([RetryOnConflict]). A patch of nil means that there is nothing to do. An object that is gone, or another one by now, is
// left alone, which is no error: what the caller does next notices.
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

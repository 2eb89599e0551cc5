package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

// Edit changes the object with this uid by a JSON patch that is made from a fresh look. The patch has to be guarded: it
// replaces /metadata/resourceVersion by what it was made from. Where somebody else was faster, it is made anew, a few
// times. A patch of nil means that there is nothing to do. An object that is gone, or another one by now, is left alone,
// which is no error: what the caller does next notices.
func (c *Cluster) Edit(
	ctx context.Context, ref Ref, uid types.UID, fieldManager string,
	patch func(live *unstructured.Unstructured) ([]byte, error),
) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
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

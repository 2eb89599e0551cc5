package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// PatchOptions are the options of [Cluster.Patch].
type PatchOptions struct {
	// Type is types.JSONPatchType or types.MergePatchType. Apply has a verb of its own.
	Type types.PatchType
	// FieldManager owns the changed fields; empty leaves the API server's default.
	FieldManager string
	// DryRun returns the object as it would be, and writes nothing.
	DryRun bool
}

// Patch changes an existing object in one request. Preconditions are part of the patch: a JSON patch tests or
// replaces /metadata/uid or /metadata/resourceVersion, a merge patch sets them.
func (c *Cluster) Patch(ctx context.Context, ref Ref, patch []byte, options PatchOptions) (*unstructured.Unstructured, error) {
	resource, path, err := c.locate(ctx, ref, c.existing)
	if err != nil {
		return nil, err
	}
	answer, err := c.routed(ctx, ref, resource, func() (reply, error) {
		request := c.client.Patch(options.Type).AbsPath(path...).
			Param("fieldValidation", "Strict").
			Body(patch)
		if options.FieldManager != "" {
			request.Param("fieldManager", options.FieldManager)
		}
		if options.DryRun {
			request.Param("dryRun", "All")
		}
		return c.write(ctx, request)
	})
	if err != nil {
		return nil, c.answerTo(ctx, ref, resource, failure.WithoutPatchedObject(err))
	}
	object, err := decode(answer, ref.Kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return object, nil
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

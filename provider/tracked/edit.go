package tracked

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Edit changes who owns the fields of the object with this uid, by one patch that is built from a fresh read. plan may
// return nil for no change.
func (t Target) Edit(ctx context.Context, uid types.UID, plan func(live *unstructured.Unstructured) (ownership.Edit, error)) error {
	return t.Cluster.Edit(ctx, t.Ref, uid, t.Manager, func(live *unstructured.Unstructured) ([]byte, error) {
		edit, err := plan(live)
		if err != nil || edit == nil {
			return nil, err
		}
		if body, err := edit.Patch(live); err != nil || body == nil {
			return nil, err
		}
		return ownership.InOrder(t.Convertible(ctx, live), edit).Patch(live)
	})
}

// cleanUpTimeout bounds how long we try to clean up, even after the operation was cancelled.
const cleanUpTimeout = 10 * time.Second

// CleanUp changes who owns what on the object with this uid after a write, even if the operation was cancelled. No
// value depends on it. Unlike [Target.Edit], it does not begin with [Target.Convertible].
func (t Target) CleanUp(ctx context.Context, uid types.UID, edits ...ownership.Edit) error {
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	return t.Cluster.Edit(after, t.Ref, uid, t.Manager, ownership.InOrder(edits...).Patch)
}

// ReleaseAll is the edit after which none of our field managers owns anything.
func (t Target) ReleaseAll() ownership.Edit {
	var edits []ownership.Edit
	for _, manager := range t.Own() {
		edits = append(edits, ownership.ReleaseExcept(manager, ownership.Kept{}))
	}
	return ownership.InOrder(edits...)
}

package tracked

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// cleanUpTimeout bounds how long we try to clean up, even after the operation was cancelled.
const cleanUpTimeout = 10 * time.Second

// CleanUp changes who owns what on the object with this uid after a write, even if the operation was cancelled. No
// value depends on it.
func (t Target) CleanUp(ctx context.Context, uid types.UID, edits ...ownership.Edit) error {
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	return t.Cluster.Edit(after, t.Ref, uid, t.Manager, ownership.InOrder(edits...).Patch)
}

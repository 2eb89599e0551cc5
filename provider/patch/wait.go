package patch

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// await waits for the goal of the patch.
func (r *patchResource) await(ctx context.Context, o outcome, in inputs) error {
	_, err := waitfor.Run(ctx, waitfor.Request{
		Cluster: o.target.Cluster, Object: o.target.Identity(), UID: types.UID(o.state.Ref.UID), Spec: in.wait.By(r.rules()),
		Sensitive: r.source.Secrets(), LogLines: waitfor.LogLines,
	})
	return err
}

// finish waits, if the patch is done and there is something to wait for, and records in the state if that must be done
// again. It returns why the resource is not finished.
func (r *patchResource) finish(ctx context.Context, o outcome, in inputs) (finished outcome, cause error) {
	if o.unconfirmed != nil {
		cause = failure.Errorf(failure.ReasonNotConfirmed, "%s: it is not known whether the API server carried out the patch.\n"+
			"Nothing needs to be repaired by hand: the state remembers it, and the next `pulumi up` finds out and continues.\n"+
			"Cause: %w", o.target.Ref, o.unconfirmed)
	} else if in.wait.Goal != nil {
		cause = r.await(ctx, o, in)
	}
	o.state.pendingWait = cause != nil && o.unconfirmed == nil
	return o, cause
}

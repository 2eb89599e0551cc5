package wait

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// lookAgain reads the object from inside Diff, because the read before it failed. It asks for a new wait if that read
// would have forgotten the wait or updated its status. As in Read, a goal that no longer holds is no reason to wait
// again.
func (r *waitResource) lookAgain(ctx context.Context, req p.DiffRequest, clu *cluster.Cluster) (p.DiffResponse, error) {
	in, err := r.decodeInputs(req.Inputs)
	if err != nil {
		return p.DiffResponse{}, err
	}
	if in.selected != nil {
		return tracked.UpdateAbout(tracked.KeyCluster), nil // No object tells whether this is still the cluster of the wait.
	}
	live, err := look(ctx, clu, in)
	if failure.NotServed(err) {
		return tracked.UpdateAbout(keyUID), nil // The same run may serve the kind again, and the wait waits for it.
	}
	if err != nil {
		return p.DiffResponse{}, in.explain(clu, err)
	}
	old := decodeState(req.State)
	switch {
	case in.spec.Goal == nil || in.spec.Goal.ForDeletion() || old.outlived(in, live):
		return p.DiffResponse{}, nil
	case live == nil || old.isAnother(live):
		return tracked.UpdateAbout(keyUID), nil
	}
	now, err := in.observed(live, old, r.known())
	if err != nil {
		return p.DiffResponse{}, err
	}
	if differ(old.status, now.status) {
		return tracked.Changed(keyStatus, p.Update), nil
	}
	return p.DiffResponse{}, nil
}

// differ reports whether two outputs have different values, regardless of which are secret.
func differ(a, b property.Value) bool {
	before, _, err := values.FromProperty(a)
	if err != nil {
		return true
	}
	after, _, err := values.FromProperty(b)
	return err != nil || !ownership.Equal(before, after)
}

package object

import (
	"context"
	"errors"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// update runs [kubeObject.updateOnce], also when managed fields recorded in another API version block the apply. A
// preview that cannot try that, or that is behind a webhook that cannot be called, is unresolved.
func (r *kubeObject) update(
	ctx context.Context, clu *cluster.Cluster, in inputs, old state, urn resource.URN, preview bool,
) (outcome, error) {
	return inOneVersion(ctx, in, preview, func() (outcome, error) { return r.updateOnce(ctx, clu, in, old, urn, preview) })
}

// create runs [kubeObject.createOnce] in the same way.
func (r *kubeObject) create(ctx context.Context, clu *cluster.Cluster, in inputs, c creation) (outcome, error) {
	return inOneVersion(ctx, in, c.preview, func() (outcome, error) { return r.createOnce(ctx, clu, in, c) })
}

// inOneVersion retries the write after removing the obstacle. A preview writes nothing, so it cannot retry.
func inOneVersion(ctx context.Context, in inputs, preview bool, write func() (outcome, error)) (outcome, error) {
	result, err := write()
	outdated := (*tracked.OutdatedError)(nil)
	switch {
	case preview && tracked.WarnUnasked(ctx, err, in.sensitive()):
		return outcome{target: result.target, unresolved: true}, nil
	case !errors.As(err, &outdated):
		return result, err
	case preview:
		result.target.WarnOutdated(ctx, outdated)
		return outcome{target: result.target, unresolved: true}, nil
	}
	if err := result.target.PutInOneVersion(ctx); err != nil {
		return result, result.target.Explain("note the managed fields in one version of", err, in.sensitive())
	}
	return write()
}

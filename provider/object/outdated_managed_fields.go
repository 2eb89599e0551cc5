package object

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// update runs [kubeObject.updateOnce], also when managed fields recorded in another API version block the apply. A
// preview that cannot try that, or that is behind a webhook that cannot be called, is unresolved.
func (r *kubeObject) update(ctx context.Context, req request) (outcome, error) {
	write := func(ctx context.Context) (outcome, error) { return r.updateOnce(ctx, req) }
	if req.preview {
		return previewed(r.source.ForwardWarnings(ctx, req.urn, req.in.sensitive()), req.in, write)
	}
	return inOneVersion(tracked.Writing(ctx, r.source, req.urn, req.in.sensitive()), req.in, write)
}

// create runs [kubeObject.createOnce] in the same way.
func (r *kubeObject) create(ctx context.Context, clu *cluster.Cluster, in inputs, c creation) (outcome, error) {
	write := func(ctx context.Context) (outcome, error) { return r.createOnce(ctx, clu, in, c) }
	if c.preview {
		return previewed(ctx, in, write)
	}
	return inOneVersion(ctx, in, write)
}

// previewed runs the write of a preview. A preview writes nothing, so it cannot remove the obstacle and retry.
func previewed(ctx context.Context, in inputs, write func(context.Context) (outcome, error)) (outcome, error) {
	result, err := write(ctx)
	outdated := (*tracked.OutdatedError)(nil)
	switch {
	case tracked.WarnUnasked(ctx, err, in.sensitive()):
		return outcome{target: result.target, unresolved: true}, nil
	case errors.As(err, &outdated):
		result.target.WarnOutdated(ctx, outdated)
		return outcome{target: result.target, unresolved: true}, nil
	default:
		return result, err
	}
}

// inOneVersion retries the write after removing the obstacle.
func inOneVersion(ctx context.Context, in inputs, write func(context.Context) (outcome, error)) (outcome, error) {
	result, err := write(ctx)
	if outdated := (*tracked.OutdatedError)(nil); !errors.As(err, &outdated) {
		return result, err
	}
	if err := result.target.PutInOneVersion(ctx); err != nil {
		return result, result.target.Explain("note the managed fields in one version of", err, in.sensitive())
	}
	return write(ctx)
}

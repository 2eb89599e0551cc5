package object

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

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

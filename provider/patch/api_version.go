package patch

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// runInOneVersion is [work.start], on an object also whose managers have noted their fields in versions that stand in the
// way of an apply. A preview writes nothing, and cannot try; it is unresolved, as it is behind a webhook that cannot be
// asked.
func (r run) runInOneVersion(ctx context.Context) (outcome, error) {
	result, err := r.start(ctx)
	outdated := (*tracked.OutdatedError)(nil)
	switch {
	case r.preview && tracked.WarnUnasked(ctx, err, r.in.sensitive()):
		return outcome{target: r.target, state: state{State: tracked.State{Ref: r.old.Ref}}, unresolved: true}, nil
	case !errors.As(err, &outdated):
		return result, err
	case r.preview:
		r.target.WarnOutdated(ctx, outdated)
		return outcome{target: r.target, unresolved: true}, nil
	}
	if r.target.PutInOneVersion(ctx) != nil {
		return result, err
	}
	return r.start(ctx)
}

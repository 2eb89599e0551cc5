package patch

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// runInOneVersion runs [work.start], also when managed fields recorded in another API version block the apply. A
// preview writes nothing, so it cannot retry; it is unresolved, as it is behind a webhook that cannot be called.
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

package patch

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// runInOneVersion runs [run.start]. If managed fields recorded in another API version block the patch, [run.start] puts
// them in one version. A preview writes nothing, so it cannot do that and is unresolved. It is also unresolved behind a
// webhook that cannot be called.
func (r run) runInOneVersion(ctx context.Context) (outcome, error) {
	result, err := r.start(ctx)
	outdated := (*tracked.OutdatedError)(nil)
	switch {
	case r.preview && tracked.WarnUnasked(ctx, err, r.in.sensitive()):
		return outcome{target: r.target, state: state{State: tracked.State{Ref: r.old.Ref}}, unresolved: true}, nil
	case r.preview && errors.As(err, &outdated):
		r.target.WarnOutdated(ctx, outdated)
		return outcome{target: r.target, unresolved: true}, nil
	default:
		return result, err
	}
}

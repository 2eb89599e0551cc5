package patch

import (
	"context"
	"errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// runInOneVersion is [work.run], on an object also whose managers have noted their fields in versions that stand in the
// way of an apply. A preview writes nothing, and cannot try; it is unresolved, as it is behind a webhook that cannot be
// asked.
func (w work) runInOneVersion(ctx context.Context) (outcome, error) {
	result, err := w.run(ctx)
	outdated := (*tracked.OutdatedError)(nil)
	switch {
	case w.preview && tracked.WarnUnasked(ctx, err, w.in.sensitive()):
		return outcome{target: w.target, state: state{State: tracked.State{Ref: w.old.Ref}}, unresolved: true}, nil
	case !errors.As(err, &outdated):
		return result, err
	case w.preview:
		w.target.WarnOutdated(ctx, outdated)
		return outcome{target: w.target, unresolved: true}, nil
	}
	if w.target.PutInOneVersion(ctx) != nil {
		return result, err
	}
	return w.run(ctx)
}

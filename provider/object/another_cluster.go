package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// leaveElsewhere decides about an update that did not find its object. It recreates an object that is gone. In a real
// update it also recreates one that is in another cluster, and leaves that one alone.
func (r *kubeObject) leaveElsewhere(ctx context.Context, t target, req request) error {
	err := req.old.Origin.RequireIn(ctx, r.source, t.Target)
	switch {
	case err == nil:
		if _, ended, err := req.old.endedAndGone(ctx, t); err == nil && ended {
			t.sayRunsAgain(ctx)
		} else {
			t.warnGone(ctx)
		}
		return nil
	case !req.preview && tracked.IsElsewhere(err):
		req.old.Origin.WarnLeft(ctx, r.source)
		return nil
	default:
		return err
	}
}

// warnGone warns that the object no longer exists.
func (t target) warnGone(ctx context.Context) {
	p.GetLogger(ctx).Warningf("%s: the object that this resource applied was deleted outside of Pulumi.", t.Ref)
}

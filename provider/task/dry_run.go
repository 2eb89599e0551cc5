package task

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// try has the API server check, in a preview, the object of a run that is about to begin. What the run needs may come with the
// same update, and then the object cannot be judged without it: a message says that it was not tried.
func (r *taskResource) try(ctx context.Context, next plan) error {
	in := next.in
	if !next.runs || next.goesOn || len(in.unknown) > 0 {
		return nil
	}
	clu, err := next.connect()
	if errors.Is(err, connection.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	id := in.id()
	// No object of an earlier run has this name, so that none is in the way.
	if id.Name, err = runName(id.Name, next.urn, in.content, "dry-run"); err != nil {
		return err
	}
	tried, err := newRun(ctx, r.source, in, clu, runID{object: id, name: id.Name, manager: tracked.ManagerOf(next.urn)})
	if err != nil {
		return err
	}
	if in.hook == nil { // A hook may need an object that still belongs to the release itself.
		if err := tried.requireRoom(ctx); err != nil {
			return err
		}
	}
	object := in.objectOf(tried.target.Identity())
	tried.sign(object, tried.name)
	_, err = clu.Apply(tracked.Asking(ctx, r.source, next.urn, in.sensitive, true), object, cluster.ApplyOptions{
		FieldManager: tried.target.Manager, CreateOnly: true, DryRun: true,
	})
	if tracked.WarnUnasked(ctx, err, in.sensitive) {
		return nil
	}
	tried.target.Ref.Name = in.id().Name
	explained := tried.target.Explain("create", err, in.sensitive)
	if err != nil && needsOthers(err, id.GroupKind()) {
		p.GetLogger(ctx).Infof("It could not be tried, because something that it needs may come with the update: %v", explained)
		return nil
	}
	return explained
}

// needsOthers reports whether an object may be accepted when others are there: its namespace, the room in a quota, or what a pod names,
// such as its account and its priority class.
func needsOthers(err error, kind schema.GroupKind) bool {
	switch reason, _ := failure.ReasonOf(err); reason {
	case failure.ReasonNamespaceNotFound, failure.ReasonQuotaExceeded:
		return true
	case failure.ReasonForbidden:
		return !isJob(kind)
	default:
		return false
	}
}

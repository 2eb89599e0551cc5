package task

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// try has the API server check, in a preview, the object of a run that is about to begin. A Task that will run at its destroy is
// checked as well: what is wrong with it could otherwise be seen only when the destroy fails.
func (r *taskResource) try(ctx context.Context, next plan) error {
	in := next.in
	if next.goesOn || len(in.unknown) > 0 || !next.runs && !in.runsOn(onDelete) {
		return nil
	}
	clu, err := next.connect()
	switch tried := (dryRun{r.source, next.urn, in, clu}); {
	case !next.runs:
		if err == nil {
			tried.foretell(ctx)
		}
		return nil
	case errors.Is(err, connection.ErrUnknown):
		return nil
	case err != nil:
		return err
	default:
		return tried.do(ctx)
	}
}

// dryRun has the API server check the object of a run.
type dryRun struct {
	source *connection.Source
	urn    resource.URN
	in     inputs
	clu    *cluster.Cluster
}

// do returns why the API server refuses the object. What the run needs may come with the same update, and then the object cannot be
// judged without it: a message says that it was not tried.
func (d dryRun) do(ctx context.Context) error {
	id := d.in.id()
	// No object of an earlier run has this name, so that none is in the way.
	name, err := runName(id.Name, d.urn, d.in.content, "dry-run")
	if err != nil {
		return err
	}
	id.Name = name
	tried, err := newRun(ctx, d.source, d.in, d.clu, runID{object: id, name: id.Name, manager: tracked.ManagerOf(d.urn)})
	if err != nil {
		return err
	}
	if d.in.hook == nil { // A hook may need an object that still belongs to the release itself.
		if err := tried.requireRoom(ctx); err != nil {
			return err
		}
	}
	object := d.in.objectOf(tried.target.Identity())
	tried.sign(object, tried.name)
	_, err = d.clu.Apply(d.source.ForwardWarnings(ctx, d.urn, d.in.sensitive), object, cluster.ApplyOptions{
		FieldManager: tried.target.Manager, CreateOnly: true, DryRun: true,
	})
	if tracked.WarnUnasked(ctx, err, d.in.sensitive) {
		return nil
	}
	tried.target.Ref.Name = d.in.id().Name
	explained := tried.target.Explain("create", err, d.in.sensitive)
	if err != nil && needsOthers(err, id.GroupKind()) {
		p.GetLogger(ctx).Infof("It could not be tried, because something that it needs may come with the update: %v", explained)
		return nil
	}
	return explained
}

// foretell warns where the API server refuses what the destroy will run. It is no error: nothing in this update needs it, and what
// the API server accepts may have changed until the destroy.
func (d dryRun) foretell(ctx context.Context) {
	err := d.do(ctx)
	switch reason, _ := failure.ReasonOf(err); reason {
	case failure.ReasonInvalid, failure.ReasonForbidden, failure.ReasonAdmissionDenied:
		p.GetLogger(ctx).Warningf("It runs when it is deleted, and a destroy would fail, because the API server refuses it: %v", err)
	}
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

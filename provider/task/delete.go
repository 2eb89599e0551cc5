package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Delete stops a run that is not done, runs what must run on deletion, and removes the object of the last run. Nothing runs on
// the deletion of a Task that is being replaced: the system lives on.
func (r *taskResource) Delete(ctx context.Context, req p.DeleteRequest) error {
	return tracked.ExplainDestroy(r.delete(ctx, req), req.Properties)
}

func (r *taskResource) delete(ctx context.Context, req p.DeleteRequest) error {
	in, err := decodeInputs(req.OldInputs)
	if err != nil {
		return err
	}
	old := decodeState(req.Properties)
	runsLast := !r.former.delete(req.Urn, old) && in.runsOn(onDelete)
	if !old.begun() && !runsLast {
		return nil
	}
	id := old.object.Identity
	if !old.begun() {
		id = in.id()
	}
	clu, err := clusterOfDeletion(ctx, r.source, req.OldInputs, old.origin, refOf(id, old.uid()))
	if clu == nil {
		return err
	}
	ctx = tracked.AwaitWebhooks(ctx, in.sensitive)
	if old.unfinished != "" {
		if err := r.removeRun(ctx, req.Urn, previous{in, old}, nil, clu); err != nil {
			return err
		}
	}
	if runsLast {
		if err := r.runLast(ctx, req.Urn, in, old, clu); err != nil {
			return err
		}
	}
	return r.removeRun(ctx, req.Urn, previous{in, old}, nil, clu)
}

// clusterOfDeletion returns the cluster in which something is to be deleted. The cluster is nil if it is permanently gone, as the
// user has declared, or if there is an error: the connection leads to another cluster, or cannot be used. object is the object
// that is deleted there, or that will be made.
func clusterOfDeletion(
	ctx context.Context, source *connection.Source, inputs property.Map, origin tracked.Origin, object reference.Object,
) (*cluster.Cluster, error) {
	if source.Forgets(origin.Key()) {
		t, live, err := tracked.ObserveLive(ctx, source, inputs, object.Identity, "")
		if tracked.IsForgotten(origin.Located(ctx, source, t, object.UID, live, err)) {
			return nil, nil
		}
	}
	clu, err := source.Cluster(inputs)
	if err != nil {
		return nil, err
	}
	if origin.IsZero() || origin.Target == clu.Target() {
		return clu, nil
	}
	err = origin.RequireIn(ctx, source, tracked.Target{Cluster: clu, Ref: tracked.RefOf(object.Identity)})
	switch {
	case tracked.IsForgotten(err):
		return nil, nil
	case err != nil:
		return nil, tracked.RefuseDelete(err)
	default:
		return clu, nil
	}
}

// theTask names what stays in the state after a failed deletion.
const theTask = "The Task"

// runLast runs the Task on its deletion. A run that has succeeded is not repeated if the command is.
func (r *taskResource) runLast(ctx context.Context, urn resource.URN, in inputs, old state, clu *cluster.Cluster) error {
	id := in.id()
	name, err := runName(id.Name, urn, in.content, onDelete, old.hashKey)
	if err != nil {
		return err
	}
	id.Name = in.objectName(name)
	last, err := newRun(ctx, r.source, in, clu, runID{object: id, name: name, manager: tracked.ManagerOf(urn)})
	if err != nil {
		return in.excuse(ctx, err, theTask)
	}
	last.unremembered = true
	if err := forgetEarlierAttempt(ctx, []*run{last}); err != nil {
		return in.excuse(ctx, err, theTask)
	}
	e, err := last.execute(ctx)
	if err != nil {
		return in.excuse(ctx, err, theTask)
	}
	if isJob(id.GroupKind()) {
		return nil // Its time to live removes it, unless the program keeps it.
	}
	return remove(ctx, clu, last.target.Ref, e.live.GetUID())
}

// excuse allows a deletion whose last run has failed, if the program sets forceDestroy. It does not excuse a canceled deletion.
func (in inputs) excuse(ctx context.Context, err error, what string) error {
	const wayOut = "To delete it although this run fails, set forceDestroy, run `pulumi up`, and delete it then."
	switch {
	case err == nil || errors.Is(ctx.Err(), context.Canceled):
		return err
	case !in.forceDestroy:
		return fmt.Errorf("%w\n  %s stays. %s", err, what, wayOut)
	default:
		p.GetLogger(ctx).Warningf("%s is deleted although what runs at its end has not run to its end, because of forceDestroy.\n%v", what, err)
		return nil
	}
}

// previous is what the last operation has left of a Task in the state.
type previous struct {
	in    inputs
	state state
}

// removeRun removes what the last run has left: its object, and the objects that existed for it, except those in kept.
func (r *taskResource) removeRun(ctx context.Context, urn resource.URN, was previous, kept []needed, clu *cluster.Cluster) error {
	if !was.state.begun() {
		return nil
	}
	last, err := r.lastRun(ctx, urn, was, clu)
	if err != nil {
		return err
	}
	if err := last.removeObject(ctx, was.state.uid()); err != nil {
		return last.target.Explain("delete", err, was.in.sensitive)
	}
	with := was.state.with
	if with == nil && was.state.unfinished != "" {
		with = last.with
	}
	return last.removeWith(ctx, except(with, kept))
}

// lastRun is the last run of a Task, with the name and the field manager with which it began.
func (r *taskResource) lastRun(ctx context.Context, urn resource.URN, was previous, clu *cluster.Cluster) (*run, error) {
	old := was.state
	return newRun(ctx, r.source, was.in, clu, runID{object: old.object.Identity, name: old.name, manager: cmp.Or(old.manager, tracked.ManagerOf(urn))})
}

// removeObject removes the object of a run, unless a KubeObject has taken it over: then the object lives on. If its UID is not
// known, the object must belong to this very run.
func (r *run) removeObject(ctx context.Context, uid types.UID) error {
	live, err := r.target.Cluster.Get(ctx, r.target.Ref)
	if err != nil {
		return unlessNotFound(err)
	}
	if uid == "" {
		if from, err := r.origin(live, r.runObject()); err != nil || from != thisRun {
			return err
		}
		uid = live.GetUID()
	}
	switch _, ours, err := ownership.Applied(live, r.target.Manager); {
	case err != nil:
		return err
	case !ours && tracked.KubeObjectOf(live) != "":
		return nil
	default:
		return remove(ctx, r.target.Cluster, r.target.Ref, uid)
	}
}

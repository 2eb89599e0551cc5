package task

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Delete stops a run that is not done, runs what is to run at the end, and removes the object of the last run.
func (r *taskResource) Delete(ctx context.Context, req p.DeleteRequest) error {
	return tracked.ExplainDestroy(r.delete(ctx, req))
}

func (r *taskResource) delete(ctx context.Context, req p.DeleteRequest) error {
	in, err := decodeInputs(req.OldInputs)
	if err != nil {
		return err
	}
	old := decodeState(req.Properties)
	if !old.begun() && !in.runsOn(onDelete) {
		return nil
	}
	if r.source.Forgets(old.origin.Key()) && old.isForgotten(ctx, r.source, req.OldInputs) {
		return nil
	}
	clu, err := r.source.Cluster(req.OldInputs)
	if err != nil {
		return err
	}
	target := tracked.Target{Cluster: clu, Ref: tracked.RefOf(old.object.Identity)}
	if !old.begun() {
		target.Ref = tracked.RefOf(in.id())
	}
	if !old.origin.IsZero() && old.origin.Target != clu.Target() {
		if err := old.origin.RequireIn(ctx, r.source, target); err != nil && !tracked.IsForgotten(err) {
			return tracked.RefuseDelete(err)
		} else if err != nil {
			return nil
		}
	}
	ctx = tracked.AwaitWebhooks(ctx, in.sensitive)
	if old.unfinished != "" {
		if err := r.removeRun(ctx, req.Urn, in, old, clu); err != nil {
			return err
		}
	}
	if in.runsOn(onDelete) {
		if err := r.runLast(ctx, req.Urn, in, old, clu); err != nil {
			return err
		}
	}
	return r.removeRun(ctx, req.Urn, in, old, clu)
}

// isForgotten reports whether the last run went with its cluster, which the user has declared gone for good.
func (s state) isForgotten(ctx context.Context, source *connection.Source, inputs property.Map) bool {
	t, live, err := tracked.ObserveLive(ctx, source, inputs, s.object.Identity, "")
	return tracked.IsForgotten(s.origin.Located(ctx, source, t, s.object.UID, live, err))
}

// runLast runs what is to run when the Task is deleted. A run that has succeeded is not repeated if the command is.
func (r *taskResource) runLast(ctx context.Context, urn resource.URN, in inputs, old state, clu *cluster.Cluster) error {
	id := in.id()
	var err error
	if id.Name, err = runName(id.Name, urn, in.content, onDelete, old.hashKey); err != nil {
		return err
	}
	last, err := r.runOf(ctx, urn, in, clu, id)
	if err != nil {
		return in.excuse(ctx, err)
	}
	if err := last.removeFailed(ctx); err != nil {
		return in.excuse(ctx, err)
	}
	e, err := last.execute(ctx)
	if err != nil {
		return in.excuse(ctx, err)
	}
	if isJob(id.GroupKind()) {
		return nil // Its time to live removes it, unless it is to be kept.
	}
	return remove(ctx, clu, last.target.Ref, e.live.GetUID())
}

// removeFailed removes the object of this run if it has failed: the engine saves nothing of a deletion that fails, so the next
// one has the same run, and its object the same name.
func (r *run) removeFailed(ctx context.Context) error {
	live, err := r.find(ctx)
	if err != nil || live == nil {
		return r.target.Explain("read", err, r.in.sensitive)
	}
	spec, err := specOf(r.in)
	if err != nil || spec.Goal.Judge(live).Failed == "" {
		return err
	}
	return r.target.Explain("delete", remove(ctx, r.target.Cluster, r.target.Ref, live.GetUID()), r.in.sensitive)
}

// excuse lets a Task go although what was to run has not, if the program says so.
func (in inputs) excuse(ctx context.Context, err error) error {
	if !in.forceDestroy {
		const wayOut = "The Task stays. To delete it although this run fails, set forceDestroy, run `pulumi up`, and delete it then."
		return fmt.Errorf("%w\n  %s", err, wayOut)
	}
	p.GetLogger(ctx).Warningf("The Task is deleted although it has not run to its end, because of forceDestroy.\n%v", err)
	return nil
}

// removeRun removes what the last run has left: its object, and what was there for it alone.
func (r *taskResource) removeRun(ctx context.Context, urn resource.URN, was inputs, old state, clu *cluster.Cluster) error {
	if !old.begun() {
		return nil
	}
	last, err := r.runOf(ctx, urn, was, clu, old.object.Identity)
	if err != nil {
		return err
	}
	uid := old.uid()
	if uid == "" {
		live, err := last.find(ctx)
		if err != nil {
			return last.target.Explain("read", err, was.sensitive)
		}
		if live != nil {
			uid = live.GetUID()
		}
	}
	if uid != "" {
		if err := remove(ctx, clu, last.target.Ref, uid); err != nil {
			return last.target.Explain("delete", err, was.sensitive)
		}
	}
	if old.unfinished == "" {
		return nil
	}
	return last.removeWith(ctx, was.with)
}

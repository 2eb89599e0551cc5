package object

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Update applies the object in place. It also repairs: it simply repeats an apply with an unknown effect.
func (r *kubeObject) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	in, old, err := r.decode(req.Inputs, req.State)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	if isLeftOut(req.Inputs) || r.onlyDeletesOtherwise(req) {
		return p.UpdateResponse{Properties: req.State}, nil
	}
	old.Stale = old.Stale || isLeftOut(req.OldInputs)
	in.pinNamespace(old)
	in.decideConflicts(r.settings)
	in.taking = in.takes(old, req.OldInputs)
	in.saved = req.OldInputs
	clu, err := r.source.Cluster(req.Inputs)
	unknown := errors.Is(err, connection.ErrUnknown)
	if err != nil && !unknown {
		return p.UpdateResponse{}, err
	}
	if unknown || in.unknown > 0 {
		if !req.DryRun {
			return p.UpdateResponse{}, errUnknownApply
		}
		return p.UpdateResponse{Properties: in.openIdentity(req.Urn, old).Hide(unknownOutputs(old.Ref.Identity, old.Ref.UID))}, nil
	}
	if err := r.checkPrerequisites(ctx, clu, in, req.DryRun); err != nil {
		return p.UpdateResponse{}, err
	}
	result, err := r.answeredOrUpdate(ctx, request{urn: req.Urn, cluster: clu, in: in, old: old, preview: req.DryRun})
	if err != nil {
		return p.UpdateResponse{}, adviseChart(req.Urn, err)
	}
	if old.Pending && req.DryRun {
		// The dry-run served only to find refusals.
		return p.UpdateResponse{Properties: unknownOutputs(old.Ref.Identity, old.Ref.UID)}, nil
	}
	if result.state.Origin = old.Origin; !req.DryRun {
		result.state.Origin = old.OriginAfter(ctx, clu, result.state.Ref.UID)
	}
	return result.updateResponse(in, old)
}

// answeredOrUpdate updates the object, unless the dry-run of the Diff before is also the one of this preview. What Diff has reported is not
// reported again.
func (r *kubeObject) answeredOrUpdate(ctx context.Context, req request) (outcome, error) {
	answered, reported := r.dryRuns.Pop(req.urn, req.old.Ref.UID, func(o outcome) bool { return o.unresolved || o.state.unchanged(req.in) })
	if reported && req.preview {
		return answered, nil
	}
	result, err := r.update(ctx, req)
	if err == nil && !reported {
		result.leaving.say(ctx, result.target, req.in, req.old)
		result.sayUnsettled(ctx, req.in, req.old)
		result.sayDropped(ctx, req.in)
	}
	return result, err
}

// update runs [kubeObject.updateOnce], also when managed fields recorded in another API version block the apply. A
// preview that cannot try that, or that is behind a webhook that cannot be called, is unresolved.
func (r *kubeObject) update(ctx context.Context, req request) (outcome, error) {
	write := func(ctx context.Context) (outcome, error) { return r.updateOnce(ctx, req) }
	if req.preview {
		return previewed(r.source.ForwardWarnings(ctx, req.urn, req.in.sensitive()), req.in, write)
	}
	return inOneVersion(tracked.Writing(ctx, r.source, req.urn, req.in.sensitive()), req.in, write)
}

// request asks for an update, or for the dry-run that shows what it would do.
type request struct {
	urn     resource.URN
	cluster *cluster.Cluster
	in      inputs
	old     state
	preview bool
}

// updateOnce applies onto exactly the object that the state knows. If that object is gone or has been replaced, the
// rules of create decide.
func (r *kubeObject) updateOnce(ctx context.Context, req request) (outcome, error) {
	hashKey := req.old.HashKey
	if hashKey == "" {
		hashKey = tracked.NewHashKey()
	}
	manager, former := req.old.ForUpdate(tracked.ManagerOf(req.urn))
	again := creation{manager: manager, former: former, hashKey: hashKey, preview: req.preview, resumeWithin: r.settings.ResumeWithin()}
	if req.old.Ref.UID == "" {
		again.continuing = true
		return r.create(ctx, req.cluster, req.in, again)
	}
	t, unresolved, err := r.resolveUpdated(ctx, req.cluster, req.in, again)
	if unresolved || err != nil {
		return outcome{target: t, unresolved: unresolved}, err
	}
	w, err := r.writeOf(ctx, t, req)
	if err != nil {
		return outcome{target: t}, err
	}
	result := w.run(ctx)
	if isOtherObject(result.err) && !w.busy || isPrerequisiteMissing(result.err) {
		if err := r.leaveElsewhere(ctx, w.target, req); err != nil {
			return outcome{target: t}, t.Explain("read", err, req.in.sensitive())
		}
		return r.create(ctx, req.cluster, req.in, again)
	}
	if req.preview {
		r.looks.Note(req.urn)
	} else {
		r.looks.Wrote(req.urn)
	}
	if w.renamed || req.preview && w.target != t {
		return w.settle(t, t.asRenamed(result), hashKey)
	}
	return w.settle(w.target, result, hashKey)
}

// resolveUpdated finds out where the object of an update is. A version that is not served may be served soon, because
// the same run changes its definition. The object exists in the other versions as well.
func (r *kubeObject) resolveUpdated(ctx context.Context, clu *cluster.Cluster, in inputs, c creation) (t target, unresolved bool, err error) {
	id, _ := in.identity()
	toKind := func() (*unstructured.Unstructured, error) {
		var err error
		t, err = resolve(ctx, clu, id, c.manager)
		t.Also = c.former
		return nil, err
	}
	_, err = toKind()
	if err = r.explainNotServed(ctx, clu, id, err); isPrerequisiteMissing(err) {
		if c.preview {
			r.warnPrerequisite(ctx, clu, id, err)
			return t, true, nil
		}
		_, err = retryPrerequisite(ctx, err, toKind)
		err = clu.ExplainNotServed(ctx, err)
	}
	return t, false, t.Explain("update", err, in.sensitive())
}

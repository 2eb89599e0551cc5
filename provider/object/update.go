package object

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Update applies the object in place. It also repairs: it simply repeats an apply with an unknown effect.
func (r *kubeObject) Update(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
	in, old, err := decode(req.Inputs, req.State)
	if err != nil {
		return p.UpdateResponse{}, err
	}
	in.pinNamespace(old)
	in.decideConflicts(r.settings)
	in.taking = in.takes(old, req.OldInputs)
	clu, err := r.source.Cluster(req.Inputs)
	unknown := errors.Is(err, connection.ErrUnknown)
	if err != nil && !unknown {
		return p.UpdateResponse{}, err
	}
	if unknown || in.unknown > 0 {
		if !req.DryRun {
			return p.UpdateResponse{}, p.InternalErrorf("the engine asked for an apply with unknown values")
		}
		return p.UpdateResponse{Properties: unknownOutputs(old.Ref.Identity, true, old.Ref.UID)}, nil
	}
	r.planned.add(clu, in, req.DryRun)

	var result outcome
	if answered, ok := r.dryRuns.Pop(req.Urn, old.Ref.UID, func(o outcome) bool { return o.unresolved || o.state.unchanged(in) }); ok && req.DryRun {
		result = answered
	} else {
		if result, err = r.update(tracked.Asking(ctx, r.source, req.Urn, in.sensitive(), req.DryRun), clu, in, old, req.Urn, req.DryRun); err != nil {
			return p.UpdateResponse{}, err
		}
		if !ok { // otherwise Diff has already reported it
			result.leaving.say(ctx, result.target, in, old)
		}
	}
	if old.Pending && req.DryRun {
		// The dry-run served only to find refusals.
		return p.UpdateResponse{Properties: unknownOutputs(old.Ref.Identity, true, old.Ref.UID)}, nil
	}
	if result.state.Origin = old.Origin; !req.DryRun {
		result.state.Origin = old.OriginAfter(ctx, clu, result.state.Ref.UID)
	}
	return result.updateResponse(in, old)
}

// updateOnce applies onto exactly the object that the state knows. If that object is gone or has been replaced, the
// rules of create decide.
func (r *kubeObject) updateOnce(
	ctx context.Context, clu *cluster.Cluster, in inputs, old state, urn resource.URN, preview bool,
) (outcome, error) {
	hashKey := old.HashKey
	if hashKey == "" {
		hashKey = tracked.NewHashKey()
	}
	manager, former := old.ForUpdate(tracked.ManagerOf(urn))
	again := creation{manager: manager, former: former, hashKey: hashKey, preview: preview, resumeWithin: r.settings.ResumeWithin()}
	if old.Ref.UID == "" {
		again.continuing = true
		return r.create(ctx, clu, in, again)
	}
	id, _ := in.identity()
	var t target
	toKind := func() (*unstructured.Unstructured, error) {
		var err error
		t, err = resolve(ctx, clu, id, manager)
		return nil, err
	}
	_, err := toKind()
	// A version that is not served may appear soon: the same run changes its definition. The object lives on in the
	// other versions.
	if err = r.explainNotServed(ctx, clu, id, err); isPrerequisiteMissing(err) {
		if preview {
			r.warnPrerequisite(ctx, clu, id, err)
			return outcome{target: t, unresolved: true}, nil
		}
		_, err = retryPrerequisite(ctx, err, toKind)
		err = clu.ExplainNotServed(ctx, err)
	}
	if err != nil {
		return outcome{}, t.Explain("update", err, in.sensitive())
	}
	t.Also = former
	named := t
	uid, body := types.UID(old.Ref.UID), in.sent()
	if preview && old.Foreign == "" && former == "" {
		// The dry-run's answer says who manages the object.
	} else if live, err := r.lookFirst(ctx, t, old, urn, uid, former != ""); err != nil {
		return outcome{target: t}, t.Explain("read", err, in.sensitive())
	} else if live != nil {
		if err := t.mayWrite(in, live); err != nil {
			return outcome{target: t}, err
		}
		if preview {
			t = t.asOn(live)
		}
	}
	if !preview {
		if err := t.rename(ctx, in, uid); err != nil {
			return outcome{target: t}, err
		}
	}
	if unreleased := in.unreleased(old); !unreleased.Empty() {
		if preview {
			// A dry-run cannot release first, and must not look as if it would delete.
			body = ownership.With(body, in.applied, topsOf(unreleased))
		} else if err := t.release(ctx, in, unreleased, uid); err != nil {
			return outcome{target: t}, t.Explain("release fields of", err, in.sensitive())
		}
	}
	if !preview {
		if err := t.prepare(ctx, in, old, uid); err != nil && !isOtherObject(err) {
			return outcome{target: t}, t.Explain("take over fields of", err, in.sensitive())
		}
	}
	result := applyResult{wrote: !preview, uid: old.Ref.UID}
	busy := false
	apply := func(body map[string]any) (answer *unstructured.Unstructured, err error) {
		if isGuarded(body) {
			// keepInside reads it again after a conflict.
			answer, err = t.applyWithPolicy(ctx, in, body, uid, preview)
			busy = apierrors.IsConflict(err)
		} else {
			answer, busy, err = t.applyUntilFree(ctx, in, body, uid, preview)
		}
		if apierrors.IsInvalid(err) && !isOtherObject(err) {
			return t.applyDespiteDefaults(ctx, in, old.Wanted(), body, uid, preview, nil, err)
		}
		return answer, err
	}
	if in.ignoresInside(old) {
		whole := apply
		apply = func(body map[string]any) (*unstructured.Unstructured, error) {
			return t.keepInside(ctx, in, body, uid, whole)
		}
	}
	var kept []ownership.Bystander
	if in.handsOver(old) || old.mayTakeBystanders(t, in, body) {
		result.answer, kept, result.err = t.keepBystanders(ctx, in, old.Wanted(), body, uid, preview, apply)
	} else {
		result.answer, result.err = apply(body)
	}
	if isOtherObject(result.err) && !busy || isPrerequisiteMissing(result.err) {
		if err := r.leaveElsewhere(ctx, t, old, preview); err != nil {
			return outcome{target: t}, t.Explain("read", err, in.sensitive())
		}
		return r.create(ctx, clu, in, again)
	}
	r.looks.Note(urn)
	if preview && result.err == nil && in.handsOver(old) {
		result.answer, result.err = t.predict(ctx, in, old, result.answer)
	}
	if t != named {
		t, result = named, named.asRenamed(result)
	}
	if !preview && result.err == nil {
		t.reclaim(ctx, in, result.answer)
	}
	updated, err := t.classifyOutcome(result, in, hashKey, "update")
	if updated.state.Hash == "" {
		// The next write counts on from the last known revision, also after an unconfirmed write.
		updated.state.Ref.Revision = old.Ref.Revision
		updated.state.left, updated.state.leftSecret = old.left, old.hidesNames()
		return updated, err
	}
	updated.state.Ref.Revision = tracked.RevisionOf(updated.state.Hash, old.Ref.Revision)
	if updated.leaving, err = t.leavingOf(in, old, updated.state, result.answer, kept); err != nil {
		return outcome{target: t}, err
	}
	updated.state.left, updated.state.leftSecret = updated.leaving.stays, old.hidesNames()
	return updated, nil
}

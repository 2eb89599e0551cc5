package object

import (
	"context"
	"errors"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Create applies the object where none exists.
func (r *kubeObject) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	in, err := decodeInputs(req.Properties)
	if err != nil {
		return p.CreateResponse{}, err
	}
	if isLeftOut(req.Properties) {
		return r.createLeftOut(req, in)
	}
	r.source.Remember(in.sensitive())
	in.decideConflicts(r.settings)
	in.makesInSet = tracked.IsInSet(req.Urn)
	clu, err := r.source.Cluster(req.Properties)
	switch unknown := errors.Is(err, connection.ErrUnknown); {
	case unknown, err == nil && in.unknown > 0:
		return r.createUnknown(ctx, req, clu, in)
	case err != nil:
		return p.CreateResponse{}, err
	}
	if err := r.checkPrerequisites(ctx, clu, in, req.DryRun); err != nil {
		return p.CreateResponse{}, err
	}
	asking := tracked.Writing(ctx, r.source, req.Urn, in.sensitive())
	if req.DryRun {
		id, _ := in.identity()
		if err := r.refuseTwice(ctx, clu, id, req.Urn); err != nil {
			return p.CreateResponse{}, err
		}
		asking = r.source.ForwardWarnings(ctx, req.Urn, in.sensitive())
	}
	outcome, err := r.create(asking, clu, in, r.creationOf(req))
	if err != nil {
		return p.CreateResponse{}, adviseChart(req.Urn, err)
	}
	if outcome.answer != nil {
		outcome.target.warnSelectsNothing(ctx, in, outcome.answer.Object)
	}
	outcome.sayDropped(ctx, in)
	if req.DryRun {
		return outcome.previewResponse(in)
	}
	outcome.state.Origin = tracked.OriginOf(ctx, clu)
	r.looks.Wrote(req.Urn)
	r.guard.Observe(req.Urn, outcome.state.Ref.UID, outcome.state.HashKey)
	return outcome.createResponse(in)
}

// createUnknown is the preview of an object with values that are known only after the apply. The cluster is nil if it is one of them.
func (r *kubeObject) createUnknown(ctx context.Context, req p.CreateRequest, clu *cluster.Cluster, in inputs) (p.CreateResponse, error) {
	if !req.DryRun {
		return p.CreateResponse{}, errUnknownApply
	}
	if in.unknown > 0 {
		unknown := in.unknownPaths(req.Properties)
		p.GetLogger(ctx).Infof("%d value(s) of the resource are known only after the apply: %s", len(unknown), tracked.Named(unknown))
	}
	id, known := in.identity()
	if known {
		r.planned.add(clu, in)
	}
	planned := p.CreateResponse{Properties: partlyKnownOutputs(id, "")}
	if clu == nil || !known || req.Properties.Get(keyAdopt).HasComputed() || req.Properties.Get(keyTakeOverFrom).HasComputed() {
		return planned, nil
	}
	if err := r.refuseTwice(ctx, clu, id, req.Urn); err != nil {
		return p.CreateResponse{}, err
	}
	return planned, r.refuseOccupied(r.source.ForwardWarnings(ctx, req.Urn, in.sensitive()), clu, in, r.creationOf(req))
}

// errUnknownApply means that the engine does what it never does.
var errUnknownApply = p.InternalErrorf("the engine asked for an apply with unknown values")

// create runs [kubeObject.createOnce], also when managed fields recorded in another API version block the apply.
func (r *kubeObject) create(ctx context.Context, clu *cluster.Cluster, in inputs, c creation) (outcome, error) {
	write := func(ctx context.Context) (outcome, error) { return r.createOnce(ctx, clu, in, c) }
	if c.preview {
		return previewed(ctx, in, write)
	}
	return inOneVersion(ctx, in, write)
}

// creation says how to create an object.
type creation struct {
	manager string
	// former is the field manager that an earlier attempt may have used on the object; empty if it is the same.
	former  string
	hashKey string
	preview bool
	// resumeWithin is the maximum age of an object that counts as made by an earlier run.
	resumeWithin time.Duration
	// continuing says that the state knows of an earlier attempt.
	continuing bool
	// unread means that the engine has not read the resource in this process, and readsFirst that it usually does.
	unread, readsFirst bool
	// stands reports whether this resource already represents the object, which then must be replaced. It is nil in
	// an update, which is never part of a replacement.
	stands func(uid string) bool
}

// creationOf says how to create the object of a new resource.
func (r *kubeObject) creationOf(req p.CreateRequest) creation {
	return creation{
		manager: tracked.ManagerOf(req.Urn), hashKey: tracked.NewHashKey(), preview: req.DryRun, resumeWithin: r.settings.ResumeWithin(),
		unread: !r.calls.WasRead(req.Urn), readsFirst: r.settings.DriftInPreview(),
		stands: func(uid string) bool { return r.guard.IsCurrent(req.Urn, uid) },
	}
}

// refuseOccupied refuses an existing object if the update, which knows all values, will refuse it, and says if the
// update will adopt it. An object that cannot be read counts as absent.
func (r *kubeObject) refuseOccupied(ctx context.Context, clu *cluster.Cluster, in inputs, c creation) error {
	id, _ := in.identity()
	t, err := resolve(ctx, clu, id, c.manager)
	if err != nil {
		return nil
	}
	live, err := clu.Get(ctx, t.Ref)
	if err != nil || c.isReplacing(live) {
		return nil
	}
	ours, err := t.asOn(live).mayContinue(in, c, live)
	if err == nil && !ours {
		p.GetLogger(ctx).Infof("%s exists and will be adopted.", t.Ref)
	}
	return t.Explain("create", err, in.sensitive())
}

// createOnce applies where there must be no object, or only one that an earlier attempt of ours left.
func (r *kubeObject) createOnce(ctx context.Context, clu *cluster.Cluster, in inputs, c creation) (outcome, error) {
	id, _ := in.identity()
	t := target{tracked.Target{Cluster: clu, Manager: c.manager, Also: c.former}}
	if c.preview && r.planned.defines(clu, id) && clu.WasNotServed(id.APIVersion, id.Kind) {
		t.Ref = tracked.RefOf(id)
		return outcome{target: t, unresolved: true}, nil
	}
	apply := func() (*unstructured.Unstructured, error) {
		var err error
		t, err = resolve(ctx, clu, id, c.manager)
		t.Also = c.former
		if err != nil {
			return nil, &failure.NotSentError{Err: err} // regardless of the answer to a discovery
		}
		in.heed(r.settings.Ignored(t.Identity()))
		return t.apply(ctx, in.applied, cluster.ApplyOptions{CreateOnly: true, DryRun: c.preview, Force: true})
	}

	answer, err := apply()
	// Do not wait for a kind that can never appear.
	err = r.explainNotServed(ctx, clu, id, err)
	if isPrerequisiteMissing(err) {
		if c.preview {
			r.warnPrerequisite(ctx, clu, id, err)
			return outcome{target: t, unresolved: true}, nil
		}
		answer, err = retryPrerequisite(ctx, err, apply)
		err = clu.ExplainNotServed(ctx, err)
	}
	t.warnNamespaceIgnored(ctx, in)
	result := applyResult{answer: answer, err: err, wrote: !c.preview}
	if outdated := (*tracked.OutdatedError)(nil); apierrors.IsConflict(err) || errors.As(err, &outdated) {
		result = t.resolveExisting(ctx, in, c)
	}
	if refused := (*refusedUpdate)(nil); errors.As(result.err, &refused) {
		return outcome{target: t}, refused.onExisting(ctx, in)
	}
	return t.classifyOutcome(result, in, c.hashKey, "create")
}

package object

import (
	"context"
	"errors"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// prerequisitePatience bounds how long an apply waits for a namespace or a kind
// that may be on its way in the same run.
const prerequisitePatience = 30 * time.Second

// Create applies the object where none is.
func (r *kubeObject) Create(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
	in, err := decodeInputs(req.Properties)
	if err != nil {
		return p.CreateResponse{}, err
	}
	r.source.Remember(in.sensitive())
	in.decideConflicts(r.settings)
	clu, err := r.source.Cluster(req.Properties)
	id, known := in.identity()
	if errors.Is(err, connection.ErrUnknown) || (err == nil && in.unknown > 0) {
		if !req.DryRun {
			return p.CreateResponse{}, p.InternalErrorf("the engine asked for an apply with unknown values")
		}
		if in.unknown > 0 {
			unknown := in.unknownPaths(req.Properties)
			p.GetLogger(ctx).Infof("%d value(s) of the resource are known only after the apply: %s", len(unknown), tracked.Named(unknown))
		}
		r.planned.add(clu, id, known)
		return p.CreateResponse{Properties: unknownOutputs(id, false, "")}, nil
	}
	if err != nil {
		return p.CreateResponse{}, err
	}
	r.planned.add(clu, id, req.DryRun)

	outcome, err := r.create(tracked.Asking(ctx, r.source, req.Urn, in.sensitive(), req.DryRun), clu, in, creation{
		manager: managerOf(req.Urn), hashKey: tracked.NewHashKey(), preview: req.DryRun, resumeWithin: r.settings.ResumeWithin(),
		stands: func(uid string) bool { return r.guard.IsCurrent(req.Urn, uid) },
	})
	if err != nil {
		return p.CreateResponse{}, err
	}
	if outcome.answer != nil {
		outcome.target.warnSelectsNothing(ctx, in.unselected(), outcome.answer.Object)
	}
	if !req.DryRun {
		outcome.state.Origin = tracked.OriginOf(ctx, clu)
		r.looks.Note(req.Urn)
		r.guard.Observe(req.Urn, outcome.state.Ref.UID, outcome.state.HashKey)
	}
	return outcome.createResponse(in, req.DryRun)
}

// outcome is what an apply led to.
type outcome struct {
	target target
	state  state
	// answer is the object as the API server has returned it.
	answer *unstructured.Unstructured
	// leaving is what an update does to what the manifest no longer sets.
	leaving leaving
	// unconfirmed is why it is not known whether the apply had its effect.
	unconfirmed error
	// unresolved says that a preview could not ask the API server yet.
	unresolved bool
}

// unknownOutputs are the outputs of a preview that could not ask the API server.
func (o outcome) unknownOutputs(in inputs, uid string) property.Map {
	if o.target.Ref.Name != "" {
		return unknownOutputs(o.target.Identity(), true, uid)
	}
	id, _ := in.identity()
	return unknownOutputs(id, false, uid)
}

// createResponse is the answer to the engine. In a preview the API server has
// given no uid to keep.
func (o outcome) createResponse(in inputs, preview bool) (p.CreateResponse, error) {
	if o.unresolved {
		return p.CreateResponse{Properties: o.unknownOutputs(in, "")}, nil
	}
	out, err := o.state.encode(in.written)
	if err != nil {
		return p.CreateResponse{}, err
	}
	if preview {
		// The API server makes up a uid for every dry-run, and the revision's key is new.
		unknown := property.New(property.Computed)
		ref := out.Get(tracked.KeyResourceRef).AsMap().Set("uid", unknown).Set("revision", unknown)
		return p.CreateResponse{Properties: out.Set(tracked.KeyResourceRef, property.New(ref))}, nil
	}
	resp := p.CreateResponse{ID: o.state.Ref.Identity.String(), Properties: out}
	if o.unconfirmed != nil {
		resp.PartialState, err = pendingFailure(o.target, o.unconfirmed)
	}
	return resp, err
}

// creation is how an object is created.
type creation struct {
	manager string
	// former is the field manager under which an earlier attempt may be on the object; empty for the same.
	former  string
	hashKey string
	preview bool
	// resumeWithin is how old an object may be to be taken for that of an earlier run.
	resumeWithin time.Duration
	// continuing says that the state knows of an earlier attempt.
	continuing bool
	// stands reports whether an object is the one that this resource stands for
	// already, which then is to be replaced. It is nil in an update, which never is
	// part of a replacement.
	stands func(uid string) bool
}

// createOnce is an apply that must find nothing in its place, or only what an earlier
// attempt of our own has left there.
func (r *kubeObject) createOnce(ctx context.Context, clu *cluster.Cluster, in inputs, c creation) (outcome, error) {
	id, _ := in.identity()
	t := target{tracked.Target{Cluster: clu, Manager: c.manager, Also: c.former}}
	apply := func() (*unstructured.Unstructured, error) {
		var err error
		t, err = resolve(ctx, clu, id, c.manager)
		t.Also = c.former
		if err != nil {
			return nil, err
		}
		return t.apply(ctx, in.applied, cluster.ApplyOptions{CreateOnly: true, DryRun: c.preview, Force: true})
	}

	answer, err := apply()
	// A kind that can never come is not waited for.
	err = clu.Elsewhere(ctx, err)
	if isPrerequisiteMissing(err) {
		if c.preview {
			r.warnPrerequisite(ctx, clu, id, err)
			return outcome{target: t, unresolved: true}, nil
		}
		answer, err = retryPrerequisite(ctx, err, apply)
		err = clu.Elsewhere(ctx, err)
	}
	if t.NamespaceIgnored {
		p.GetLogger(ctx).Warningf("%s belongs to no namespace; metadata.namespace is ignored.", t.Ref)
	}
	result := attempt{answer: answer, err: err, wrote: !c.preview}
	if apierrors.IsConflict(err) {
		result = t.takeUp(ctx, in, c)
	}
	if refused := (*refusedUpdate)(nil); errors.As(result.err, &refused) {
		return outcome{target: t}, refused.onExisting(ctx, in)
	}
	return t.conclude(result, in, c.hashKey, "create")
}

// attempt is one try to write the object.
type attempt struct {
	answer *unstructured.Unstructured
	err    error
	// wrote says that the request that failed was one that writes. What a read or
	// a dry-run leaves behind is always known: nothing.
	wrote bool
	// uid is the uid of the object that was written onto; empty if it was to be made.
	uid string
}

// conclude turns an attempt into its outcome: done, not known, or an error after
// which nothing is saved.
func (t target) conclude(a attempt, in inputs, hashKey, verb string) (outcome, error) {
	err, uid := a.err, a.uid
	if err == nil {
		var s state
		if s, err = t.settle(a.answer, in, hashKey); err == nil {
			return outcome{target: t, state: s, answer: a.answer}, nil
		}
		uid = string(a.answer.GetUID())
	} else if !a.wrote || tracked.IsRefusal(err) || failure.Outcome(err).Definite() {
		return outcome{target: t}, t.explain(verb, err, in)
	}
	if !a.wrote {
		return outcome{target: t}, err
	}
	return outcome{target: t, state: t.unconfirmed(uid, hashKey), unconfirmed: t.explain(verb, err, in)}, nil
}

// apply sends the object under our field manager.
func (t target) apply(
	ctx context.Context, body map[string]any, options cluster.ApplyOptions,
) (*unstructured.Unstructured, error) {
	options.FieldManager = t.Manager
	object := t.object(body)
	result, err := t.Cluster.Apply(ctx, object, options)
	if err != nil {
		return nil, t.Diagnose(ctx, object, err)
	}
	return result.Object, nil
}

// isPrerequisiteMissing reports whether a namespace or a kind is not there, which
// may be because it is made in the same run.
func isPrerequisiteMissing(err error) bool {
	if notServed, ok := errors.AsType[*failure.KindNotServedError](err); ok {
		return !notServed.Final
	}
	return failure.NamespaceMissing(err)
}

// retryPrerequisite tries again while a prerequisite is missing.
func retryPrerequisite(
	ctx context.Context, err error, apply func() (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, error) {
	var answer *unstructured.Unstructured
	cluster.Patiently(ctx, prerequisitePatience, func() bool {
		answer, err = apply()
		return isPrerequisiteMissing(err)
	})
	return answer, err
}

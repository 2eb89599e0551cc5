package wait

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// errImport is the answer to pulumi import and to .get.
var errImport = failure.Errorf(failure.ReasonNotImportable, "a Wait cannot be imported: nothing in the cluster records that a wait "+
	"has completed. Write it into the program; the next `pulumi up` waits, which takes no time if everything holds already")

// Read reads the object once. It updates the status, and finds out whether a failed wait has reached its goal since
// then. It never waits, and never fails because something is not ready.
func (r *waitResource) Read(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	r.calls.Read(req.Urn)
	if req.Inputs.Len() == 0 {
		return p.ReadResponse{}, errImport
	}
	old := decodeState(req.Properties)
	in, err := r.decodeInputs(req.Inputs)
	if err != nil || in.spec.Goal == nil {
		// These are inputs of an older version: the next update reports their mistakes.
		return unchanged(req, old, "it is still waited for", nil)
	}
	if in.selected != nil {
		return r.readMany(ctx, req, in, old)
	}
	clu, err := r.source.Cluster(req.Inputs)
	if err != nil {
		return r.keepStale(ctx, req, nil, old, in.explain(nil, err))
	}
	live, verdict, err := r.look(ctx, clu, in, old)
	if tracked.IsForgotten(err) {
		return p.ReadResponse{}, nil
	}
	if err != nil {
		return r.keepStale(ctx, req, clu, old, in.explain(clu, err))
	}
	req.Properties = tracked.Reread(req.Properties)
	if live != nil && !old.isAnother(live) && old.learnsFrom(verdict) {
		old.origin = old.origin.Seen(ctx, clu)
		req.Properties = req.Properties.Set(tracked.KeyCluster, old.origin.Encode())
	}
	if !in.spec.Goal.ForDeletion() {
		return r.readLive(ctx, req, in, old, live, verdict)
	}
	if old.pending && live != nil && !old.isAnother(live) {
		return unchanged(req, old, in.spec.StillMissing(live, verdict, r.source.Secrets()), live)
	}
	return renewed(req, state{origin: old.origin})
}

// readLive compares an object, or its absence, with what the wait is for, if that is not the absence.
func (r *waitResource) readLive(
	ctx context.Context, req p.ReadRequest, in inputs, old state, live *unstructured.Unstructured, verdict readiness.Verdict,
) (p.ReadResponse, error) {
	another := old.isAnother(live)
	switch {
	case old.outlived(in, live):
		return unchanged(req, old, "", nil)
	case !old.pending && (live == nil || another):
		return p.ReadResponse{}, nil // the object of the wait is gone, so wait again
	case !old.pending && !in.extracts:
		return unchanged(req, old, "", live)
	case old.pending && another:
		return unchanged(req, old, "the object was deleted, and another one has its name now", nil)
	case old.pending && !verdict.Holds:
		return unchanged(req, old, in.spec.StillMissing(live, verdict, r.source.Secrets()), live)
	case old.pending:
		in.spec.SayGuess(ctx, live, r.source.Secrets())
	}
	now, err := in.observed(live, old, r.known())
	if err != nil {
		return p.ReadResponse{}, err
	}
	now.origin, now.gaveUp = old.origin, old.gaveUp && !verdict.Holds
	return renewed(req, now)
}

// look reads the object in the cluster of the wait; nil means that it does not exist. A pending wait also asks for the answer
// that it is for. If the wait is for the object's absence, only a different address raises doubt.
func (r *waitResource) look(
	ctx context.Context, clu *cluster.Cluster, in inputs, old state,
) (live *unstructured.Unstructured, verdict readiness.Verdict, err error) {
	live, err = look(ctx, clu, in)
	switch {
	case err != nil:
	case old.pending && !old.isAnother(live):
		verdict = in.spec.Look(ctx, clu, live, r.source.Secrets())
	default:
		verdict = in.spec.Goal.Judge(live)
	}
	t, absent := tracked.Target{Cluster: clu, Ref: tracked.RefOf(in.object.Identity)}, err == nil && live == nil
	switch {
	case err == nil && !old.learnsFrom(verdict), absent && in.spec.Goal.ForDeletion() && old.origin.Target == clu.Target():
		return live, verdict, nil
	case absent:
		return nil, verdict, old.origin.RequireIn(ctx, r.source, t)
	default:
		return live, verdict, old.origin.Located(ctx, r.source, t, old.uid, live, err)
	}
}

// look reads the object; nil means that it does not exist.
func look(ctx context.Context, clu *cluster.Cluster, in inputs) (*unstructured.Unstructured, error) {
	id := in.object.Identity
	resolved, err := clu.Find(ctx, id.APIVersion, id.Kind, id.Namespace, id.Name)
	if err == nil {
		var live *unstructured.Unstructured
		if live, err = clu.Get(ctx, resolved.Ref); err == nil {
			return live, nil
		}
	}
	if failure.Gone(err) {
		return nil, nil
	}
	return nil, err
}

// renewed returns the answer of a read with a new state.
func renewed(req p.ReadRequest, now state) (p.ReadResponse, error) {
	return p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: now.encode()}, nil
}

// keepStale answers a failed read with the previous state. An error would end the whole operation, including a destroy.
func (r *waitResource) keepStale(
	ctx context.Context, req p.ReadRequest, clu *cluster.Cluster, old state, explained error,
) (p.ReadResponse, error) {
	req.Properties = tracked.KeepStale(ctx, r.source, clu, req, explained).Properties
	return unchanged(req, old, "the object could not be read", nil)
}

// explain turns an error of a read into one for the user. clu is nil if the connection cannot be used.
func (in inputs) explain(clu *cluster.Cluster, cause error) error {
	if in.selected != nil {
		return tracked.Target{Cluster: clu, Ref: tracked.RefOf(in.selected.identity())}.Explain("list", cause, nil)
	}
	return tracked.Target{Cluster: clu, Ref: tracked.RefOf(in.object.Identity)}.Explain("read", cause, nil)
}

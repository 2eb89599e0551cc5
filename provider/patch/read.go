package patch

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// errImport is the answer to pulumi import and to .get.
var errImport = failure.Errorf(failure.ReasonNotImportable, "a Patch cannot be imported: nothing in the cluster says "+
	"which fields it sets. Write it into the program; fields that already have their values are shared with their "+
	"owners and not changed")

// errGone means that the patched object no longer exists, and so neither does the patch.
var errGone = errors.New("the object is gone")

// Read reads the object once. It never writes and never waits.
func (r *patchResource) Read(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	r.calls.Read(req.Urn)
	r.deleting.Forget(req.Urn)
	if req.Inputs.Len() == 0 {
		return p.ReadResponse{}, errImport
	}
	in, old, err := decode(req.Inputs, req.Properties)
	if err != nil {
		return p.ReadResponse{}, err
	}
	r.source.Remember(in.sensitive())
	if old.Ref.Identity, err = old.IdentityIn(req.ID); err != nil {
		return p.ReadResponse{}, err
	}
	r.moves.Forget(old.State)
	r.guard.Observe(req.Urn, old.Ref.UID, old.HashKey)
	t, live, err := r.observeLive(ctx, req.Inputs, old, managerOf(req.Urn))
	switch {
	case errors.Is(err, errGone), tracked.IsForgotten(err):
		return p.ReadResponse{}, nil
	case err != nil:
		return r.keepStale(ctx, req, t.Cluster, old, t.Explain("read", err, in.sensitive()))
	}
	t.WarnTerminating(ctx, live)
	if old.Pending {
		// We do not know which fields the patch has touched. The next update finds out.
		return kept(req, old, "the next `pulumi up` finds out whether it was carried out, and continues", nil)
	}
	now, err := run{target: t, in: in, old: old}.observe(live)
	if err != nil {
		return p.ReadResponse{}, err
	}
	waiting := ""
	if now.pendingWait {
		in.wait = in.wait.By(r.rules())
		if waiting = stillMissing(ctx, t, in, live, r.source.Secrets()); waiting == "" && in.wait.Goal != nil {
			in.wait.SayGuess(ctx, live, r.source.Secrets())
		}
	}
	now.pendingWait = waiting != ""
	now.Origin = old.Origin.Seen(ctx, t.Cluster)
	out, err := now.encode(in)
	if err != nil {
		return p.ReadResponse{}, err
	}
	req.Properties = out
	return kept(req, now, waiting, live)
}

// observeLive reads the patched object. Another object of its name does not count, and neither does one in another
// cluster.
func (r *patchResource) observeLive(
	ctx context.Context, inputs property.Map, old state, manager string,
) (target, *unstructured.Unstructured, error) {
	manager, next := old.OnObject(manager)
	t, live, err := tracked.ObserveLive(ctx, r.source, inputs, old.Ref.Identity, manager)
	t.Also = next
	err = old.Origin.Located(ctx, r.source, t, old.Ref.UID, live, err)
	if failure.Gone(err) || err == nil && old.Ref.UID != "" && old.Ref.UID != string(live.GetUID()) {
		return target{t}, nil, errGone
	}
	return target{t}, live, err
}

// stillMissing says in a few words why a wait is still pending; empty if its goal has been reached.
func stillMissing(ctx context.Context, t target, in inputs, live *unstructured.Unstructured, sensitive []string) string {
	if in.waitErr != nil {
		return "its waitFor cannot be read" // the next update says why, and waits for the program's goal at that time
	}
	if in.wait.Goal == nil {
		return ""
	}
	return in.wait.StillMissing(live, in.wait.Look(ctx, t.Cluster, live, sensitive), sensitive)
}

// kept returns the answer of a read. While something is pending, it reports that to the engine again, which shows it
// as a warning. live is nil if the live object is unknown.
func kept(req p.ReadRequest, s state, why string, live *unstructured.Unstructured) (p.ReadResponse, error) {
	resp := p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}
	var err error
	switch {
	case s.Pending:
		err = failure.Errorf(failure.ReasonNotConfirmed, "%s: it is still not known whether an earlier patch was carried out; %s", req.ID, why)
	case s.pendingWait:
		err = waitfor.Pending(req.ID, why, live)
	default:
		return resp, nil
	}
	resp.PartialState, err = tracked.Unfinished(err)
	return resp, err
}

// keepStale answers a failed read with what was known before.
func (r *patchResource) keepStale(
	ctx context.Context, req p.ReadRequest, clu *cluster.Cluster, old state, explained error,
) (p.ReadResponse, error) {
	req.Properties = tracked.KeepStale(ctx, r.source, clu, req, explained).Properties
	return kept(req, old, "the object could not be read", nil)
}

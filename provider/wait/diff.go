package wait

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Diff says whether to wait again. Changed credentials are no reason to.
func (r *waitResource) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	programmed := r.calls.IsProgrammed(req.Urn)
	clu, known, err := tracked.ClusterForDiff(ctx, r.source, req, programmed)
	if err != nil {
		return p.DiffResponse{}, err
	}
	if diff, replaced := identityDiff(req); replaced {
		return diff, nil
	}
	diff := tracked.InputChanges(req.OldInputs, req.Inputs, nil, keyResourceRef, keySelector, keyCount, keyWaitFor, keyTriggers)
	switch {
	case diff.HasChanges:
		return diff, nil
	case decodeState(req.State).pending:
		return tracked.UpdateAbout(keyPending), nil
	case decodeState(req.State).gaveUp && values.Text(req.Inputs.Get(keyOnFailure)) != failureWarns:
		// Until now, an unreached goal was only a warning. From now on, it is a failure.
		return tracked.UpdateAbout(keyOnFailure), nil
	case programmed && decodeState(req.State).isReadable(r.known()):
		return tracked.UpdateAbout(keyReadable), nil
	case programmed && known:
		return r.programDiff(ctx, req, clu)
	case programmed:
		return diff, nil
	case tracked.IsStale(req.State):
		return tracked.Unchecked(), nil
	default:
		return diff, nil
	}
}

// programDiff says whether to wait again because the program's cluster differs from the one that the wait was in, or
// because the read before it failed.
func (r *waitResource) programDiff(ctx context.Context, req p.DiffRequest, clu *cluster.Cluster) (p.DiffResponse, error) {
	object, old, unread := objectOf(req.Inputs), decodeState(req.State), tracked.IsStale(req.State)
	t := tracked.Target{Cluster: clu, Ref: tracked.RefOf(object)}
	find := old.origin.Moved
	if unread && old.uid == "" {
		find = old.origin.AskMoved
	}
	moved, undecided, err := find(ctx, r.source, t)
	switch {
	case moved:
		return tracked.UpdateAbout(tracked.KeyCluster), nil
	case err != nil && !undecided:
		return p.DiffResponse{}, t.Explain("read", err, nil)
	case unread || undecided:
		return r.lookAgain(ctx, req, clu)
	default:
		return p.DiffResponse{}, nil
	}
}

// identityDiff reports a replacement if the wait is for a different object, or for other objects. Unknown parts of the
// identity do not count.
func identityDiff(req p.DiffRequest) (p.DiffResponse, bool) {
	if isSelecting(req.OldInputs) || isSelecting(req.Inputs) {
		return selectionDiff(req)
	}
	before, now := req.OldInputs.Get(keyResourceRef), req.Inputs.Get(keyResourceRef)
	if !before.IsMap() || !now.IsMap() {
		return p.DiffResponse{}, false
	}
	return tracked.IdentityDiff(reference.Decode(before).Identity, reference.Decode(now).Identity, tracked.UnknownIn(now),
		func(part string) string { return keyResourceRef + "." + part }, p.PropertyDiff{InputDiff: true})
}

package task

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Diff says whether there is something to do. Changed credentials are no reason to run.
//
// If a user asks for a replacement, the old Task goes first: otherwise the object of its last run would be taken for the object
// of the new Task.
func (r *taskResource) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	diff, err := r.diff(ctx, req)
	diff.DeleteBeforeReplace = true
	return diff, err
}

func (r *taskResource) diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	programmed, old := r.calls.IsProgrammed(req.Urn), decodeState(req.State)
	clu, known, err := tracked.ClusterForDiff(ctx, r.source, req, programmed)
	if err != nil {
		return p.DiffResponse{}, err
	}
	diff := tracked.InputChanges(sameHook(req.OldInputs), sameHook(req.Inputs), nil,
		keyManifest, keyWith, keyTriggers, keyRunOn, keyTimeout, keyKeep, keyLogLines, keyForceDestroy, tracked.KeyHook)
	switch {
	case diff.HasChanges:
		return diff, nil
	case old.unfinished != "", programmed && r.hasToDo(req.Inputs, old):
		return tracked.UpdateAbout(keyRun), nil
	case !programmed || !known || clu == nil:
		return diff, nil
	}
	moved, _, err := old.origin.Moved(ctx, r.source, tracked.Target{Cluster: clu, Ref: tracked.RefOf(old.object.Identity)})
	switch {
	case err != nil:
		return p.DiffResponse{}, err
	case moved:
		return tracked.UpdateAbout(tracked.KeyCluster), nil
	default:
		return diff, nil
	}
}

// hasToDo reports whether the event of a release requires that its hook runs, or that the hook removes what other hooks have
// left.
func (r *taskResource) hasToDo(properties property.Map, old state) bool {
	if properties.Get(tracked.KeyHook).IsNull() {
		return false
	}
	in, err := decodeInputs(properties)
	return err == nil && (in.isDue(old) || r.isUntidy(in, old))
}

package task

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// errImport is the answer to pulumi import and to .get.
var errImport = failure.Errorf(failure.ReasonNotImportable, "a Task cannot be imported: it is something to do, and no object of the cluster. "+
	"Write it into the program; the next `pulumi up` runs it")

// Read checks whether the object of the last run still exists. If it does not, that is no reason to run again.
func (r *taskResource) Read(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	r.calls.Read(req.Urn)
	if req.Inputs.Len() == 0 {
		return p.ReadResponse{}, errImport
	}
	resp := p.ReadResponse{ID: req.ID, Inputs: req.Inputs, Properties: req.Properties}
	old := decodeState(req.Properties)
	r.former.read(req.Urn, formerTask{req.Inputs, old})
	if old.unfinished != "" {
		// A refresh would clear the engine's own record of the failure.
		var err error
		resp.PartialState, err = tracked.Unfinished(old.again(req.ID))
		return resp, err
	}
	if !old.stays || old.object.UID == "" {
		return resp, nil
	}
	t, live, err := tracked.ObserveLive(ctx, r.source, req.Inputs, old.object.Identity, "")
	if err = old.origin.Located(ctx, r.source, t, old.object.UID, live, err); tracked.IsGone(err) || err == nil && live.GetUID() != old.uid() {
		resp.Properties = req.Properties.Delete(keyResourceRef)
	}
	return resp, nil // If it could not be read, its state does not change: nothing depends on it.
}

// again is the error that says that the last run is not done, and what the next command does about it.
func (s state) again(id string) error {
	if s.unfinished == failed {
		return failure.Errorf(failure.ReasonWaitFailed, "%s: the last run, %s, has failed; the next `pulumi up` runs it again, unless runOn no longer asks for it", id, tracked.RefOf(s.object.Identity))
	}
	return failure.Errorf(failure.ReasonInterrupted, "%s: the last run, %s, was interrupted or did not end in time; the next `pulumi up` goes on waiting for it, unless runOn no longer asks for it",
		id, tracked.RefOf(s.object.Identity))
}

package wait

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Diff says whether to wait again. Credentials are no reason to.
func (r *waitResource) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	programmed := r.calls.IsProgrammed(req.Urn)
	r.source.WarnIfMoved(ctx, req.OldInputs, req.Inputs)
	if diff, replaced := identityDiff(req); replaced {
		return diff, nil
	}
	diff := tracked.InputChanges(req.OldInputs, req.Inputs, nil, keyResourceRef, keyWaitFor, keyTriggers)
	switch {
	case diff.HasChanges:
		return diff, nil
	case decodeState(req.State).pending:
		return tracked.Changed(keyWaitFor, p.Update), nil
	case !tracked.IsUnread(req.State):
		return diff, nil
	case !programmed:
		return tracked.Unchecked(), nil
	}
	return r.lookAgain(ctx, req)
}

// identityDiff reports a replacement where another object is waited for, as far as it
// is known which.
func identityDiff(req p.DiffRequest) (p.DiffResponse, bool) {
	before, now := req.OldInputs.Get(keyResourceRef), req.Inputs.Get(keyResourceRef)
	if !before.IsMap() || !now.IsMap() {
		return p.DiffResponse{}, false
	}
	return tracked.IdentityDiff(reference.Decode(before).Identity, reference.Decode(now).Identity, func(part string) string {
		if now.AsMap().Get(part).IsComputed() {
			return ""
		}
		return keyResourceRef + "." + part
	}, p.PropertyDiff{InputDiff: true})
}

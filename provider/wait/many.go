package wait

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// waitForMany waits until as many of the selected objects as necessary have reached the goal.
func (r *waitResource) waitForMany(ctx context.Context, clu *cluster.Cluster, in inputs) (state, error) {
	err := waitfor.RunAll(ctx, r.many(clu, in))
	if failed, ok := errors.AsType[*waitfor.Error](err); ok && in.goesOn && failed.Decided() {
		return in.givenUp(ctx, failed), nil
	}
	return state{pending: err != nil}, err
}

func (r *waitResource) many(clu *cluster.Cluster, in inputs) waitfor.Many {
	return waitfor.Many{
		Request: waitfor.Request{
			Cluster: clu, Object: in.selected.kind, Spec: in.spec, Sensitive: r.source.Secrets(), LogLines: waitfor.LogLines, GoesOn: in.goesOn,
		},
		LabelSelector: in.selected.labelSelector, Count: in.count,
	}
}

// readMany finds out whether a failed wait has reached its goal since then. A wait that has succeeded is over: which
// objects there are later is no part of it, so it makes no request.
func (r *waitResource) readMany(ctx context.Context, req p.ReadRequest, in inputs, old state) (p.ReadResponse, error) {
	if !old.pending {
		return unchanged(req, old, "", nil)
	}
	stale := func(clu *cluster.Cluster, err error) (p.ReadResponse, error) {
		req.Properties = tracked.KeepStale(ctx, r.source, clu, req, in.explain(clu, err)).Properties
		return unchanged(req, old, "the objects could not be listed", nil)
	}
	clu, err := r.source.Cluster(req.Inputs)
	if err != nil {
		return stale(nil, err)
	}
	many := r.many(clu, in)
	found, err := many.Look(ctx)
	if err == nil && found.Holds() {
		// Objects of another cluster are no answer.
		err = old.origin.RequireIn(ctx, r.source, tracked.Target{Cluster: clu, Ref: tracked.RefOf(in.selected.identity())})
	}
	switch {
	case tracked.IsForgotten(err):
		return p.ReadResponse{}, nil
	case err != nil:
		return stale(clu, err)
	}
	req.Properties = tracked.Reread(req.Properties)
	if !found.Holds() {
		failed, _ := found.Failed()
		return unchanged(req, old, many.StillMissing(found), failed.Live)
	}
	return renewed(req, state{origin: old.origin.Seen(ctx, clu)})
}

// objectOf is the identity of the object, or of the selection, that the inputs name.
func objectOf(inputs property.Map) manifest.Identity {
	if isSelecting(inputs) {
		return decodeSelection(inputs.Get(keySelector)).identity()
	}
	return reference.Decode(inputs.Get(keyResourceRef)).Identity
}

// selectionDiff reports a replacement if the wait selects otherwise, or selects no longer.
func selectionDiff(req p.DiffRequest) (p.DiffResponse, bool) {
	key := keySelector
	switch was, is := isSelecting(req.OldInputs), isSelecting(req.Inputs); {
	case !was:
		return replacedAbout(keySelector, p.AddReplace), true
	case !is:
		return replacedAbout(keySelector, p.DeleteReplace), true
	}
	before, now := req.OldInputs.Get(key), req.Inputs.Get(key)
	if !before.IsMap() || !now.IsMap() {
		return p.DiffResponse{}, false
	}
	names := map[string]string{"name": keyLabelSelector}
	unknown := tracked.UnknownOf(func(part string) bool {
		if name, other := names[part]; other {
			part = name
		}
		return now.AsMap().Get(part).IsComputed()
	})
	return tracked.IdentityDiff(compared(before), compared(now), unknown, func(part string) string {
		if name, other := names[part]; other {
			part = name
		}
		return keySelector + "." + part
	}, p.PropertyDiff{InputDiff: true})
}

// compared is what is compared of two selectors: as [selection.identity], with the selector even if it is secret.
func compared(selector property.Value) manifest.Identity {
	selected := decodeSelection(selector)
	id := selected.kind
	id.Name = selected.labelSelector + " "
	return id
}

func replacedAbout(key string, kind p.DiffKind) p.DiffResponse {
	return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{key: {Kind: kind, InputDiff: true}}}
}

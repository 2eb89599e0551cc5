package wait

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// Diff says whether to wait again. Credentials are no reason to.
func (r *waitResource) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	r.source.WarnIfMoved(ctx, req.OldInputs, req.Inputs)
	if diff := identityDiff(req); diff.HasChanges {
		return diff, nil
	}
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	before, now := req.OldInputs.Delete(keyClusterConnection), req.Inputs.Delete(keyClusterConnection)
	for path, kind := range values.Differences(before, now) {
		diff.DetailedDiff[path] = p.PropertyDiff{Kind: p.DiffKind(kind.String()), InputDiff: true}
	}
	if len(diff.DetailedDiff) == 0 && decodeState(req.State).pending {
		diff.DetailedDiff[keyWaitFor] = p.PropertyDiff{Kind: p.Update}
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff, nil
}

// identityDiff reports a replacement where another object is waited for, as far as it
// is known which. A new version of the same API group shows the same object.
func identityDiff(req p.DiffRequest) p.DiffResponse {
	before, now := req.OldInputs.Get(keyResourceRef), req.Inputs.Get(keyResourceRef)
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	if !before.IsMap() || !now.IsMap() {
		return diff
	}
	was, is := reference.Decode(before), reference.Decode(now)
	replace := func(member string, differs bool) {
		if differs && !now.AsMap().Get(member).IsComputed() {
			diff.HasChanges = true
			diff.DetailedDiff[keyResourceRef+"."+member] = p.PropertyDiff{Kind: p.UpdateReplace, InputDiff: true}
		}
	}
	replace("apiVersion", was.Group() != is.Group())
	replace("kind", was.Kind != is.Kind)
	replace("namespace", was.Namespace != is.Namespace)
	replace("name", was.Name != is.Name)
	return diff
}

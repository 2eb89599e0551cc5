package patch

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Diff compares the desired values with what was patched and what is live. It makes few requests, because the engine
// calls Diff serially, and again after every read, where an error would fail every command. If the inputs equal the
// saved ones, it makes no request, with two exceptions: it reads the object if the last read failed, and it tries a
// dry-run in the program's Diff if the API server did not keep a value.
func (r *patchResource) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	in, old, err := decode(req.Inputs, req.State)
	if err != nil {
		return p.DiffResponse{}, err
	}
	r.source.Remember(in.sensitive())
	r.guard.Observe(req.Urn, old.Ref.UID, old.HashKey)
	programmed := r.calls.IsProgrammed(req.Urn)
	clu, clusterKnown, err := tracked.ClusterForDiff(ctx, r.source, req, programmed)
	if err != nil {
		return p.DiffResponse{}, err
	}
	if programmed {
		r.deleting.Note(req)
		moved, err := r.moves.Find(ctx, r.source, clu, &old.State)
		if err != nil || moved {
			return tracked.ElsewhereDiff(), err
		}
	}
	if diff, replaced := identityDiff(req, in, old, clu); replaced {
		return diff, nil
	}
	ignored := tracked.ParseIgnored(req.IgnoreChanges)
	old.Stale = old.Stale || programmed && r.goneWith.Has(old.Origin, old.Ref.Identity)
	if programmed && old.IsToReread(clu) {
		reread, err := r.rereadStale(ctx, req, in, old)
		if failure.NotServed(err) {
			return tracked.Changed(in.kind, p.Update), nil // The same run may serve the kind again.
		}
		if err != nil {
			return r.moves.Diff(ctx, r.source, old.State, err)
		}
		old = reread
	}
	if programmed {
		old.SayRenaming(ctx, managerOf(req.Urn))
		in.sayUnknownTarget(ctx, req.Inputs.Get(keyTarget), old)
	}
	if old.Pending {
		return tracked.Changed(in.kind, p.Update), nil
	}
	var diff p.DiffResponse
	tries := programmed && r.calls.WasRead(req.Urn) && !tracked.IsEmpty(old.dropped) && clusterKnown && in.unknown == 0 &&
		len(old.drift(in)) == 0
	switch {
	case !tries && (old.upToDate(in) || old.Hash != "" && !old.Ahead && in.isAsSaved(req.OldInputs)):
		// If the hash does not match the saved inputs, an earlier Diff found nothing to do.
		if diff = old.detailedDiff(old.drift(in), in, ignored); !programmed {
			diff = old.UncheckedDiff(diff)
		}
	case !programmed || old.Hash == "" && in.isAsSaved(req.OldInputs):
		diff = tracked.Changed(in.kind, p.Update)
	case !clusterKnown || in.unknown > 0:
		diff = writtenDiff(req, ignored, in.kind)
	default:
		asked := request{urn: req.Urn, cluster: clu, in: in, old: old, preview: true}
		if diff, err = r.changes(ctx, req, asked, ignored); err != nil {
			return r.moves.Diff(ctx, r.source, old.State, err)
		}
	}
	diff = withWait(withForm(diff, req, in), req, old)
	switch takes := tracked.InputChanges(req.OldInputs, req.Inputs, nil, keyTakeOverFrom); {
	case diff.HasChanges:
	case programmed && len(in.takeOver) > 0 && takes.HasChanges:
		diff = takes
	default:
		diff = old.RenamingDiff(managerOf(req.Urn), programmed)
	}
	return diff, nil
}

// isAsSaved reports whether the patch equals the one in the inputs of the last run.
func (in inputs) isAsSaved(saved property.Map) bool {
	was, err := decodeInputs(saved)
	return err == nil && in.unknown == 0 && was.unknown == 0 && in.object == was.object &&
		reflect.DeepEqual(in.content(), was.content())
}

// changes runs a dry-run to find out what a changed patch would do.
func (r *patchResource) changes(
	ctx context.Context, req p.DiffRequest, asked request, ignored tracked.IgnoredPaths,
) (p.DiffResponse, error) {
	in, old := asked.in, asked.old
	result, err := r.patch(ctx, asked)
	if err != nil {
		return p.DiffResponse{}, err
	}
	r.dryRuns.Put(req.Urn, old.Ref.UID, result)
	result.sayDropped(ctx)
	result.sayUnrecorded(ctx)
	if result.unresolved {
		return tracked.Changed(in.kind, p.Update), nil
	}
	now := result.state
	fields := old.touched.watched().Union(now.touched.watched())
	if old.upToDate(in) {
		fields = fields.Union(old.dropped) // only these are tried again
	}
	changes := ownership.Compare(old.Live, now.Live, fields)
	if in.kind != keyJSONPatch {
		changes = append(changes, result.reorderedBy(in, req.OldInputs)...)
		diff := old.detailedDiff(changes, in, ignored)
		if !diff.HasChanges && (!old.touched.all().Equals(now.touched.all()) || !tracked.IsEmpty(old.unrecorded)) {
			// No value changes, but field ownership does.
			return tracked.Changed(in.kind, p.Update), nil
		}
		if !diff.HasChanges {
			return old.OvertakenDiff(), nil
		}
		return diff, nil
	}
	if old.upToDate(in) {
		if len(changes) == 0 {
			return old.OvertakenDiff(), nil
		}
		return old.detailedDiff(changes, in, ignored), nil
	}
	// The paths of operations say little; the written patch says more. The state identifies operations by position,
	// so if the positions change, it must be saved again: otherwise a secret is attributed to the operation that was
	// there before.
	if len(changes) == 0 && tracked.IsEmpty(old.unrecorded) && now.touched.nonIdempotent.Empty() && old.touched.all().Equals(now.touched.all()) && old.touched.isLaidOutAs(now.touched) {
		return old.OvertakenDiff(), nil
	}
	return writtenDiff(req, ignored, in.kind), nil
}

// isLaidOutAs reports whether operations have the same positions.
func (t patchedFields) isLaidOutAs(other patchedFields) bool {
	same := func(a, b fieldpath.Path) bool { return a.Equals(b) }
	return slices.EqualFunc(t.operations, other.operations, same) && slices.EqualFunc(t.places, other.places, same)
}

// identityDiff reports a replacement if the target is a different object. A new version of the same API group denotes
// the same object.
func identityDiff(req p.DiffRequest, in inputs, old state, clu *cluster.Cluster) (p.DiffResponse, bool) {
	target := req.Inputs.Get(keyTarget)
	if !target.IsMap() {
		return p.DiffResponse{}, false
	}
	namespace := ""
	if clu != nil {
		namespace = clu.Namespace()
	}
	was := old.Ref.Identity
	return tracked.IdentityDiff(was, tracked.InDefaultNamespace(in.object, was, namespace), tracked.UnknownIn(target),
		func(part string) string { return keyTarget + "." + part }, p.PropertyDiff{InputDiff: true})
}

// rereadStale reads the object from inside Diff, because the read before it failed.
func (r *patchResource) rereadStale(ctx context.Context, req p.DiffRequest, in inputs, old state) (state, error) {
	t, live, err := r.observeLive(ctx, req.Inputs, old, managerOf(req.Urn))
	switch {
	case errors.Is(err, errGone):
		// The object is a different one, or missing: apply the patch again.
		old.Hash = ""
		return old, nil
	case err != nil:
		return state{}, t.Explain("read", err, in.sensitive())
	case old.Pending:
		// We do not know which fields the patch has touched. The next update finds out.
		return old, nil
	}
	return run{target: t, in: in, old: old}.observe(live)
}

// detailedDiff converts field changes to property changes.
func (s state) detailedDiff(changes []ownership.Change, in inputs, ignored tracked.IgnoredPaths) p.DiffResponse {
	place := func(change ownership.Change) (string, p.DiffKind) { return s.place(change, in) }
	return tracked.Detailed(changes, s.written(in), place, ignored)
}

// place returns where the engine shows a change, and the kind of the change. The left side is the output with the same
// name as the patch, the right side the input.
func (s state) place(change ownership.Change, in inputs) (string, p.DiffKind) {
	if in.kind == keyJSONPatch {
		if operation, gone := s.addsAgain(change); gone {
			return tracked.PropertyAt(keyJSONPatch, ownership.Location{operation}, p.Add)
		}
		return s.placeInOperations(change)
	}
	if in.kind == keyMergePatch && s.isUnrecorded(change.Path) {
		return keyMergePatch, p.Update // the document has it on neither side
	}
	id := s.Ref.Identity
	at, kind := tracked.Place(change, partOf(id, s.Live, s.Secrets), partOf(id, in.tree(), in.secrets))
	return tracked.PropertyAt(in.kind, at, kind)
}

// writtenDiff compares the patches as written.
func writtenDiff(req p.DiffRequest, ignored tracked.IgnoredPaths, kind string) p.DiffResponse {
	diff := tracked.InputChanges(req.OldInputs, req.Inputs, ignored, append([]string{keyTarget}, kinds...)...)
	if !diff.HasChanges && !ignored.Covers(kind) {
		// The saved inputs come from a failed update.
		return tracked.Changed(kind, p.Update)
	}
	return diff
}

// withForm adds to the diff that the target has another API version, or that the kind of the patch has changed. Neither
// need change a value.
func withForm(diff p.DiffResponse, req p.DiffRequest, in inputs) p.DiffResponse {
	version := func(in property.Map) property.Map {
		target := in.Get(keyTarget)
		if !target.IsMap() {
			return property.Map{}
		}
		return property.NewMap(map[string]property.Value{"apiVersion": target.AsMap().Get("apiVersion")})
	}
	if diff.DetailedDiff == nil {
		diff.DetailedDiff = map[string]p.PropertyDiff{}
	}
	if was, is := version(req.OldInputs), version(req.Inputs); was.Len() > 0 && is.Len() > 0 {
		for path, kind := range values.Differences(was, is) {
			diff.DetailedDiff[keyTarget+"."+path] = p.PropertyDiff{Kind: p.DiffKind(kind.String()), InputDiff: true}
		}
	}
	for _, kind := range kinds {
		if kind != in.kind && len(diff.DetailedDiff) == 0 && !req.State.Get(kind).IsNull() {
			diff.DetailedDiff[in.kind] = p.PropertyDiff{Kind: p.Update}
		}
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff
}

// withWait adds to the diff that a wait is pending or has changed, and that a destroy now does something else.
func withWait(diff p.DiffResponse, req p.DiffRequest, old state) p.DiffResponse {
	if diff.DetailedDiff == nil {
		diff.DetailedDiff = map[string]p.PropertyDiff{}
	}
	maps.Copy(diff.DetailedDiff, tracked.InputChanges(req.OldInputs, req.Inputs, nil, keyWaitFor, keyOnDestroy).DetailedDiff)
	if len(diff.DetailedDiff) == 0 && old.pendingWait {
		return tracked.UpdateAbout(keyPendingWait)
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff
}

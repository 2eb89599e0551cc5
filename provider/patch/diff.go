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
	d := comparison{DiffRequest: req, in: in, old: old, programmed: r.calls.IsProgrammed(req.Urn), ignored: tracked.ParseIgnored(req.IgnoreChanges)}
	if d.cluster, d.clusterKnown, err = tracked.ClusterForDiff(ctx, r.source, req, d.programmed); err != nil {
		return p.DiffResponse{}, err
	}
	if diff, decided, err := r.diffOfObject(ctx, &d); decided || err != nil {
		return diff, err
	}
	if d.programmed {
		d.old.SayRenaming(ctx, managerOf(req.Urn))
		in.sayUnknownTarget(ctx, req.Inputs.Get(keyTarget), d.old)
	}
	if d.old.Pending {
		return tracked.Changed(in.kind, p.Update), nil
	}
	diff, err := r.diffOfValues(ctx, d)
	if err != nil {
		return r.moves.Diff(ctx, r.source, d.old.State, err)
	}
	return d.orOfManagers(withWait(withForm(diff, req, in), req, d.old)), nil
}

// comparison is what a Diff compares, and what it has found out about it.
type comparison struct {
	p.DiffRequest

	in           inputs
	old          state
	cluster      *cluster.Cluster
	clusterKnown bool
	programmed   bool
	ignored      tracked.IgnoredPaths
}

// diffOfObject reports whether the object decides the diff: it moved to another cluster, is a different one, or cannot be read. If the last
// read failed, it reads the object.
func (r *patchResource) diffOfObject(ctx context.Context, d *comparison) (diff p.DiffResponse, decided bool, err error) {
	if d.programmed {
		r.deleting.Note(d.DiffRequest)
		moved, err := r.moves.Find(ctx, r.source, d.cluster, &d.old.State)
		if err != nil || moved {
			return tracked.ElsewhereDiff(), true, err
		}
	}
	if diff, replaced := identityDiff(d.DiffRequest, d.in, d.old, d.cluster); replaced {
		return diff, true, nil
	}
	d.old.Stale = d.old.Stale || d.programmed && r.goneWith.Has(d.old.Origin, d.old.Ref.Identity)
	if !d.programmed || !d.old.IsToReread(d.cluster) {
		return diff, false, nil
	}
	reread, err := r.rereadStale(ctx, d.DiffRequest, d.in, d.old)
	switch {
	case failure.NotServed(err):
		return tracked.Changed(d.in.kind, p.Update), true, nil // The same run may serve the kind again.
	case err != nil:
		diff, err = r.moves.Diff(ctx, r.source, d.old.State, err)
		return diff, true, err
	}
	d.old = reread
	return diff, false, nil
}

// diffOfValues compares the values of a patch, with a dry-run if it has changed.
func (r *patchResource) diffOfValues(ctx context.Context, d comparison) (p.DiffResponse, error) {
	in, old := d.in, d.old
	switch {
	case !r.triesAgain(d) && d.isUpToDate():
		diff := old.detailedDiff(old.drift(in), in, d.ignored)
		if !d.programmed {
			diff = old.UncheckedDiff(diff)
		}
		return diff, nil
	case !d.programmed || old.Hash == "" && in.isAsSaved(d.OldInputs):
		return tracked.Changed(in.kind, p.Update), nil
	case !d.clusterKnown || in.unknown > 0:
		return writtenDiff(d.DiffRequest, d.ignored, in.kind), nil
	default:
		asked := request{urn: d.Urn, cluster: d.cluster, in: in, old: old, preview: true}
		return r.changes(ctx, d.DiffRequest, asked, d.ignored)
	}
}

// isUpToDate reports whether the patch is the one that was applied. If the hash does not match the saved inputs, an earlier Diff found
// nothing to do.
func (d comparison) isUpToDate() bool {
	return d.old.upToDate(d.in) || d.old.Hash != "" && !d.old.Ahead && d.in.isAsSaved(d.OldInputs)
}

// triesAgain reports whether a dry-run tries values again that the API server did not keep.
func (r *patchResource) triesAgain(d comparison) bool {
	return d.programmed && r.calls.WasRead(d.Urn) && !tracked.IsEmpty(d.old.dropped) && d.clusterKnown && d.in.unknown == 0 &&
		len(d.old.drift(d.in)) == 0
}

// orOfManagers adds what changes in field managers alone, if no value changes.
func (d comparison) orOfManagers(diff p.DiffResponse) p.DiffResponse {
	if diff.HasChanges {
		return diff
	}
	takes := tracked.InputChanges(d.OldInputs, d.Inputs, nil, keyTakeOverFrom)
	if d.programmed && len(d.in.takeOver) > 0 && takes.HasChanges {
		return takes
	}
	return d.old.RenamingDiff(managerOf(d.Urn), d.programmed)
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
	result.sayLeft(ctx)
	if result.unresolved {
		return tracked.Changed(in.kind, p.Update), nil
	}
	now := result.state
	fields := old.touched.watched().Union(now.touched.watched())
	if old.upToDate(in) {
		fields = fields.Union(old.dropped) // only these are tried again
	}
	changes := ownership.Compare(old.Live, now.Live, fields)
	if in.kind == keyJSONPatch {
		return result.diffOfOperations(req, changes, asked, ignored), nil
	}
	changes = append(changes, result.reorderedBy(in, req.OldInputs)...)
	switch diff := old.detailedDiff(changes, in, ignored); {
	case diff.HasChanges:
		return diff, nil
	case !old.touched.all().Equals(now.touched.all()), !tracked.IsEmpty(old.unrecorded):
		// No value changes, but field ownership does.
		return tracked.Changed(in.kind, p.Update), nil
	default:
		return old.OvertakenDiff(), nil
	}
}

// diffOfOperations is the diff of a JSON patch. The paths of its operations say little; the written patch says more.
func (result outcome) diffOfOperations(req p.DiffRequest, changes []ownership.Change, asked request, ignored tracked.IgnoredPaths) p.DiffResponse {
	in, old, now := asked.in, asked.old, result.state
	switch upToDate := old.upToDate(in); {
	case upToDate && len(changes) > 0:
		return old.detailedDiff(changes, in, ignored)
	case upToDate, len(changes) == 0 && tracked.IsEmpty(old.unrecorded) && now.touched.isAs(old.touched):
		return old.OvertakenDiff()
	default:
		return writtenDiff(req, ignored, in.kind)
	}
}

// isAs reports whether the operations do the same, at the same positions, as the saved ones. The state identifies operations by
// position, so if the positions change, it must be saved again: otherwise a secret is attributed to the operation that was there before.
func (t patchedFields) isAs(saved patchedFields) bool {
	return t.nonIdempotent.Empty() && saved.all().Equals(t.all()) && saved.isLaidOutAs(t)
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

package object

import (
	"context"
	"errors"
	"reflect"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Diff compares the desired object with what was applied and what is live. It makes few requests, because the engine
// calls Diff serially, and again after every read, where an error would fail every command. If the inputs equal the
// saved ones, it makes no request, with two exceptions: it reads the object if the last read failed, and it tries a
// dry-run in the program's Diff if the last update or a lost run has left something to settle.
func (r *kubeObject) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	in, old, err := decode(req.Inputs, req.State)
	if err != nil {
		return p.DiffResponse{}, err
	}
	if isLeftOut(req.Inputs) {
		r.calls.IsProgrammed(req.Urn)
		return p.DiffResponse{}, nil
	}
	old.Stale = old.Stale || isLeftOut(req.OldInputs)
	asText := isShownAsText(req)
	if asText {
		in.differences = &[]string{}
	}
	diff, err := r.diff(ctx, req, in, old)
	if err != nil {
		return diff, err
	}
	if asText {
		diff = r.asText(ctx, req, in, old, diff)
	}
	return r.withDeletionPolicy(req, diff), nil
}

// diff is Diff for a manifest that is a tree everywhere.
func (r *kubeObject) diff(ctx context.Context, req p.DiffRequest, in inputs, old state) (p.DiffResponse, error) {
	r.source.Remember(in.sensitive())
	in.pinNamespace(old)
	in.decideConflicts(r.settings)
	in.taking = in.takes(old, req.OldInputs)
	in.saved = req.OldInputs
	r.guard.Observe(req.Urn, old.Ref.UID, old.HashKey)
	ignored := ignoredIn(req)
	programmed := r.calls.IsProgrammed(req.Urn)
	if programmed {
		r.deleting.Note(req)
		if err := r.givenTo(req.Urn).refuseIgnored(req, old); err != nil {
			return p.DiffResponse{}, err
		}
	}
	clu, clusterKnown, err := tracked.ClusterForDiff(ctx, r.source, req, programmed)
	if err != nil {
		return p.DiffResponse{}, err
	}
	namespace := ""
	if clu != nil {
		namespace = clu.Namespace()
		in.warnNamespacePinned(ctx, namespace)
	}
	if programmed {
		moved, err := r.moves.Find(ctx, r.source, clu, &old.State)
		if err != nil || moved {
			return tracked.ElsewhereDiff(), err
		}
	}
	if diff, replaced := identityDiff(in, old, namespace); replaced {
		if programmed {
			old.warnReplacedRunning(ctx, clu)
		}
		return diff, nil
	}
	old.Stale = old.Stale || programmed && r.goneWith.Has(old.Origin, old.Ref.Identity)
	if programmed && old.IsToReread(clu) {
		seen, err := r.rereadStale(ctx, req, old, in)
		if failure.NotServed(err) {
			return tracked.Changed(keyManifest, p.Update), nil // The same run may serve the kind again, and the update waits for it.
		}
		if err != nil && !isUnconfirmed(err) {
			return r.moves.Diff(ctx, r.source, old.State, err)
		}
		if err == nil {
			old = seen
		}
	}
	if old.noteEnded(&r.ended); old.staysEnded(in, req.OldInputs) {
		return p.DiffResponse{}, nil
	}
	if programmed {
		in.sayUnknownIdentity(ctx, req.Urn, old)
		in.warnNewlyUnselected(ctx, clu, old, req.OldInputs)
		old.SayRenaming(ctx, tracked.ManagerOf(req.Urn))
	}
	switch takesNow := programmed && in.taking && clusterKnown && in.unknown == 0; {
	case old.Pending:
		// Show the whole manifest, because the live object is unknown.
		return tracked.Changed(keyManifest, p.Update), nil
	case takesNow:
		// A dry-run finds out what is taken over.
	case programmed && old.unsettled.hasMoved():
		// A dry-run finds out whether the drift can be corrected now.
	case programmed && len(old.Unsaved(old.fields)) > 0:
		// A dry-run finds out whether what a lost run has applied can be changed back.
	case programmed && r.calls.WasRead(req.Urn) && !tracked.IsEmpty(old.dropped) && !old.drift(in, ignored).HasChanges:
		// A dry-run finds out whether the API server keeps them now.
	case old.unchanged(in), old.Hash != "" && !old.Ahead && in.isAsSaved(req.OldInputs):
		// If the hash does not match the saved inputs, an earlier Diff found nothing to do.
		diff := old.drift(in, ignored)
		if !programmed {
			diff = old.UncheckedDiff(diff)
		}
		switch {
		case diff.HasChanges:
			return diff, nil
		case programmed && in.taking:
			return tracked.UpdateAbout(keyTakeOverFrom), nil
		case programmed && in.changesVersion(old):
			return inVersion(diff, ignored), nil
		default:
			return old.RenamingDiff(tracked.ManagerOf(req.Urn), programmed), nil
		}
	case !programmed, in.isAsSaved(req.OldInputs):
		// An earlier update was not confirmed. Applying again settles it.
		return tracked.Changed(keyManifest, p.Update), nil
	}
	if !clusterKnown || in.unknown > 0 {
		return tracked.InputChanges(asTree(req.OldInputs), asTree(req.Inputs), ignored, keyManifest, keyIgnoreFields), nil
	}

	result, err := r.update(ctx, request{
		urn: req.Urn, cluster: clu, in: in, old: old, preview: true,
	})
	if refused := (*refusedUpdate)(nil); errors.As(err, &refused) {
		diff, err := refused.replacement(ctx, in, old, ignored)
		if errors.Is(err, errUnresolved) {
			r.dryRuns.Put(req.Urn, old.Ref.UID, outcome{target: refused.target, unresolved: true})
			return tracked.Changed(keyManifest, p.Update), nil
		}
		return diff, err
	}
	if err != nil {
		return r.moves.Diff(ctx, r.source, old.State, adviseChart(req.Urn, err))
	}
	r.dryRuns.Put(req.Urn, old.Ref.UID, result)
	if result.unresolved {
		return tracked.Changed(keyManifest, p.Update), nil
	}
	r.looks.Note(req.Urn)
	reordered, err := result.reordered(ctx, in, req.OldInputs)
	if err != nil {
		return p.DiffResponse{}, err
	}
	result.leaving.say(ctx, result.target, in, old)
	result.sayUnsettled(ctx, in, old)
	result.sayDropped(ctx, in)
	if err := result.sayReturning(ctx, in, old, req.OldInputs); err != nil {
		return p.DiffResponse{}, err
	}
	diff := detailedDiff(append(in.compare(old, result.withLeaving(in)), reordered...), old, in, ignored)
	if in.changesVersion(old) {
		diff = inVersion(diff, ignored)
	}
	switch {
	case diff.HasChanges:
	case old.Hash == "":
		// An earlier update was not confirmed. Applying again settles it.
		return tracked.Changed(keyManifest, p.Update), nil
	case old.Manager != "" && !in.newlyIgnored(old).Empty(), !in.unignored(old).Empty():
		// No compared field changes, but fields are released or removed.
		return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{
			keyIgnoreFields: {Kind: p.Update, InputDiff: true},
		}}, nil
	case in.taking:
		return tracked.UpdateAbout(keyTakeOverFrom), nil
	case result.leaving.isNew(old):
		// The object does not change, only its field ownership.
		return tracked.UpdateAbout(keyAppliedFields), nil
	default:
		if renaming := old.RenamingDiff(tracked.ManagerOf(req.Urn), programmed); renaming.HasChanges {
			return renaming, nil
		}
		return old.OvertakenDiff(), nil
	}
	return diff, nil
}

// isAsSaved reports whether an update would apply the same as with the inputs of the last run.
func (in inputs) isAsSaved(saved property.Map) bool {
	was, err := decodeInputs(saved)
	return err == nil && in.unknown == 0 && was.unknown == 0 && in.written != nil &&
		reflect.DeepEqual(in.written, was.written) && in.ignore.String() == was.ignore.String()
}

// compare lists what an update would change, except ignored fields.
func (in inputs) compare(old, wanted state) []ownership.Change {
	fields := wanted.fields
	if old.fields != nil {
		fields = fields.Union(old.fields)
	}
	fields, _ = in.ignore.Split(wanted.unsettled.without(fields))
	return ownership.Compare(in.ignore.Prune(old.Live), in.ignore.Prune(wanted.Live), fields)
}

// identityDiff reports a replacement if the inputs describe a different object. The default namespace is empty while
// the cluster is unknown.
func identityDiff(in inputs, old state, defaultNamespace string) (p.DiffResponse, bool) {
	id, _ := in.identity()
	was := old.Ref.Identity
	return tracked.IdentityDiff(was, tracked.InDefaultNamespace(id, was, defaultNamespace), in.unknownIdentity(), placeOfIdentity, p.PropertyDiff{})
}

// placeOfIdentity returns where the manifest has a part of the identity.
func placeOfIdentity(part string) string {
	if part == "name" || part == "namespace" {
		part = "metadata." + part
	}
	return values.JoinPath(keyManifest, part)
}

// changesVersion reports whether the object will be applied in another version of its API group. That need not change a
// value. But managed fields are recorded in the version of the apply, and if a definition drops that version, everyone
// who applies the object is blocked.
func (in inputs) changesVersion(old state) bool {
	id, known := in.identity()
	return known && old.Ref.APIVersion != "" && id.APIVersion != old.Ref.APIVersion
}

// inVersion adds to a diff that the version changes.
func inVersion(diff p.DiffResponse, ignored tracked.IgnoredPaths) p.DiffResponse {
	path := values.JoinPath(keyManifest, "apiVersion")
	if ignored.Covers(path) {
		return diff
	}
	if diff.DetailedDiff == nil {
		diff.DetailedDiff = map[string]p.PropertyDiff{}
	}
	diff.HasChanges, diff.DetailedDiff[path] = true, p.PropertyDiff{Kind: p.Update}
	return diff
}

// rereadStale reads the live object from inside Diff, because the read before it failed.
func (r *kubeObject) rereadStale(ctx context.Context, req p.DiffRequest, old state, in inputs) (state, error) {
	manager, next := old.OnObject(tracked.ManagerOf(req.Urn))
	t, live, err := observeLive(ctx, r.source, req.Inputs, old.Ref.Identity, manager)
	t.Also = next
	if err = old.Origin.Located(ctx, r.source, t.Target, old.Ref.UID, live, err); failure.Gone(err) {
		job, ended, err := old.endedAndGone(ctx, t)
		if err != nil {
			return state{}, t.Explain("read", err, in.sensitive())
		}
		if ended {
			old.job, old.Stale = job, false
			return old, nil
		}
		old.job = shortLived{}
		old.Applied, old.Live = old.Wanted(), map[string]any{}
		return old, nil
	}
	if err != nil {
		return state{}, t.Explain("read", err, in.sensitive())
	}
	r.looks.Note(req.Urn)
	t.warnForeign(ctx, in, live)
	t.WarnTerminating(ctx, live)
	return old.observe(t, live, in)
}

// unchanged reports whether in equals what was applied last. It is false for a manifest with unknown values, and for
// one that no longer ignores fields that we have set.
func (s state) unchanged(in inputs) bool {
	return in.unknown == 0 && in.applied != nil && s.Upholds(in.sent()) && in.unignored(s).Empty()
}

// drift compares what was applied with what is live. A field that another manager has taken has drifted even if its
// value is the same.
func (s state) drift(in inputs, ignored tracked.IgnoredPaths) p.DiffResponse {
	if s.fields == nil {
		return p.DiffResponse{}
	}
	s.fields, _ = in.ignore.Split(s.fields)
	var changes []ownership.Change
	if s.Applied != nil {
		changes = ownership.Compare(in.ignore.Prune(s.Live), in.ignore.Prune(s.Applied), s.fields)
	}
	if s.Manager != "" {
		// A list that others partly manage changes ownership as a whole.
		shared := fieldpath.NewSet(in.ignore.Inside(s.fields)...)
		changes = append(changes, s.Lost(leavesOf(s.fields.Difference(shared)), changes)...)
	}
	return detailedDiff(changes, s, in, ignored)
}

// leavesOf lists the leaves of a set.
func leavesOf(fields *fieldpath.Set) []fieldpath.Path {
	var leaves []fieldpath.Path
	fields.Leaves().Iterate(func(path fieldpath.Path) { leaves = append(leaves, path.Copy()) })
	return leaves
}

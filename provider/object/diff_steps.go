package object

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// comparison is one Diff of a manifest that is a tree everywhere. It asks first whether this is still the same object, then what the
// state and the inputs alone decide, and only then the API server.
type comparison struct {
	*kubeObject

	req     p.DiffRequest
	in      inputs
	old     state
	ignored tracked.IgnoredPaths
	// programmed means that the program has the resource, and that this is not the Diff of a refresh.
	programmed bool

	cluster *cluster.Cluster
	// located means that the cluster is known.
	located bool
}

// compare runs the steps of a Diff until one decides.
func (r *kubeObject) compare(ctx context.Context, req p.DiffRequest, in inputs, old state) (p.DiffResponse, error) {
	c, err := r.comparisonOf(ctx, req, in, old)
	if err != nil {
		return p.DiffResponse{}, err
	}
	for _, step := range []func(context.Context) (diff p.DiffResponse, decided bool, err error){c.identify, c.reread, c.decide} {
		if diff, decided, err := step(ctx); decided || err != nil {
			return diff, err
		}
	}
	return c.try(ctx)
}

// comparisonOf begins a Diff: it completes the inputs, and finds the cluster.
func (r *kubeObject) comparisonOf(ctx context.Context, req p.DiffRequest, in inputs, old state) (*comparison, error) {
	r.source.Remember(in.sensitive())
	in.pinNamespace(old)
	in.decideConflicts(r.settings)
	in.taking = in.takes(old, req.OldInputs)
	in.saved = req.OldInputs
	r.guard.Observe(req.Urn, old.Ref.UID, old.HashKey)
	c := &comparison{kubeObject: r, req: req, in: in, old: old, ignored: ignoredIn(req), programmed: r.calls.IsProgrammed(req.Urn)}
	if c.programmed {
		r.deleting.Note(req)
		if err := r.givenTo(req.Urn).refuseIgnored(req, old); err != nil {
			return nil, err
		}
	}
	var err error
	c.cluster, c.located, err = tracked.ClusterForDiff(ctx, r.source, req, c.programmed)
	return c, err
}

// identify decides whether the inputs describe another object, or lead to another cluster.
func (c *comparison) identify(ctx context.Context) (diff p.DiffResponse, decided bool, err error) {
	namespace := ""
	if c.cluster != nil {
		namespace = c.cluster.Namespace()
		c.in.warnNamespacePinned(ctx, namespace)
	}
	if c.programmed {
		moved, err := c.moves.Find(ctx, c.source, c.cluster, &c.old.State)
		if err != nil || moved {
			return tracked.ElsewhereDiff(), true, err
		}
	}
	diff, replaced := identityDiff(c.in, c.old, namespace)
	if replaced && c.programmed {
		c.old.warnReplacedRunning(ctx, c.cluster)
	}
	return diff, replaced, nil
}

// reread reads the object where the last read failed, and decides about one that has ended.
func (c *comparison) reread(ctx context.Context) (diff p.DiffResponse, decided bool, err error) {
	c.old.Stale = c.old.Stale || c.programmed && c.goneWith.Has(c.old.Origin, c.old.Ref.Identity)
	if c.programmed && c.old.IsToReread(c.cluster) {
		seen, err := c.rereadStale(ctx, c.req, c.old, c.in)
		switch {
		case failure.NotServed(err):
			return tracked.Changed(keyManifest, p.Update), true, nil // The same run may serve the kind again, and the update waits for it.
		case err == nil:
			c.old = seen
		case !isUnconfirmed(err):
			diff, err := c.moves.Diff(ctx, c.source, c.old.State, err)
			return diff, true, err
		}
	}
	if c.old.noteEnded(&c.ended); c.old.staysEnded(c.in, c.req.OldInputs) {
		return p.DiffResponse{}, true, nil
	}
	if c.programmed {
		c.in.sayUnknownIdentity(ctx, c.req.Urn, c.old)
		c.in.warnNewlyUnselected(ctx, c.cluster, c.old, c.req.OldInputs)
		c.old.SayRenaming(ctx, tracked.ManagerOf(c.req.Urn))
	}
	return p.DiffResponse{}, false, nil
}

// decide decides what the state and the inputs alone decide.
func (c *comparison) decide(context.Context) (diff p.DiffResponse, decided bool, err error) {
	c.in.leaveAsKnown(c.old, lastOf(c.old, c.in))
	switch {
	case c.old.Pending:
		// Show the whole manifest, because the live object is unknown.
		return tracked.Changed(keyManifest, p.Update), true, nil
	case c.hasToTry():
	case c.old.unchanged(c.in), c.old.Hash != "" && !c.old.Ahead && c.in.isAsSaved(c.req.OldInputs):
		// If the hash does not match the saved inputs, an earlier Diff found nothing to do.
		return c.withoutChange(), true, nil
	case !c.programmed, c.in.isAsSaved(c.req.OldInputs):
		// An earlier update was not confirmed. Applying again settles it.
		return tracked.Changed(keyManifest, p.Update), true, nil
	}
	if !c.located || c.in.unknown > 0 {
		return tracked.InputChanges(asTree(c.req.OldInputs), asTree(c.req.Inputs), c.ignored, keyManifest, keyIgnoreFields, keyIgnoreManagers), true, nil
	}
	return p.DiffResponse{}, false, nil
}

// hasToTry reports whether only a dry-run shows what there is to do, even if no input has changed: what is taken over, whether drift or what
// a lost run has applied can be corrected now, and whether the API server keeps now what it has dropped.
func (c *comparison) hasToTry() bool {
	return c.programmed && (c.in.taking && c.located && c.in.unknown == 0 ||
		c.old.unsettled.hasMoved() ||
		len(c.old.Unsaved(c.old.fields)) > 0 ||
		c.calls.WasRead(c.req.Urn) && !tracked.IsEmpty(c.old.dropped) && !c.old.drift(c.in, c.ignored).HasChanges)
}

// withoutChange is the diff where the program asks for what was applied last.
func (c *comparison) withoutChange() p.DiffResponse {
	diff := c.old.drift(c.in, c.ignored)
	if !c.programmed {
		diff = c.old.UncheckedDiff(diff)
	}
	switch {
	case diff.HasChanges:
		return diff
	case c.programmed && c.in.taking:
		return tracked.UpdateAbout(keyTakeOverFrom)
	case c.programmed && c.in.changesVersion(c.old):
		return inVersion(diff, c.ignored)
	default:
		return c.old.RenamingDiff(tracked.ManagerOf(c.req.Urn), c.programmed)
	}
}

// try asks the API server by a dry-run of the update.
func (c *comparison) try(ctx context.Context) (p.DiffResponse, error) {
	in, old, req := c.in, c.old, c.req
	result, err := c.update(ctx, request{
		urn: req.Urn, cluster: c.cluster, in: in, old: old, preview: true,
	})
	if refused := (*refusedUpdate)(nil); errors.As(err, &refused) {
		diff, err := refused.replacement(ctx, in, old, c.ignored)
		if errors.Is(err, errUnresolved) {
			c.dryRuns.Put(req.Urn, old.Ref.UID, outcome{target: refused.target, unresolved: true})
			return tracked.Changed(keyManifest, p.Update), nil
		}
		return diff, err
	}
	if err != nil {
		return c.moves.Diff(ctx, c.source, old.State, adviseChart(req.Urn, err))
	}
	c.dryRuns.Put(req.Urn, old.Ref.UID, result)
	if result.unresolved {
		return tracked.Changed(keyManifest, p.Update), nil
	}
	c.looks.Note(req.Urn)
	in.leave(result.theirs)
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
	changes := append(in.compare(old, result.withLeaving(in)), reordered...)
	diff := detailedDiff(append(changes, in.returningFromManagers(old, lastOf(old, in), changes)...), old, in, c.ignored)
	if in.changesVersion(old) {
		diff = inVersion(diff, c.ignored)
	}
	if diff.HasChanges {
		return diff, nil
	}
	return c.besidesValues(result), nil
}

// besidesValues is the diff of an update that changes no value.
func (c *comparison) besidesValues(result outcome) p.DiffResponse {
	switch {
	case c.old.Hash == "":
		// An earlier update was not confirmed. Applying again settles it.
		return tracked.Changed(keyManifest, p.Update)
	case c.old.Manager != "" && !c.in.newlyIgnored(c.old).Empty(), !c.in.unignored(c.old).Empty():
		// No compared field changes, but fields are released or removed.
		return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{
			keyIgnoreFields: {Kind: p.Update, InputDiff: true},
		}}
	case c.in.taking:
		return tracked.UpdateAbout(keyTakeOverFrom)
	case result.leaving.isNew(c.old):
		// The object does not change, only its field ownership.
		return tracked.UpdateAbout(keyAppliedFields)
	}
	if renaming := c.old.RenamingDiff(tracked.ManagerOf(c.req.Urn), c.programmed); renaming.HasChanges {
		return renaming
	}
	return c.old.OvertakenDiff()
}

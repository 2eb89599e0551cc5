package patch

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// run is one run of a patch on its target.
type run struct {
	target  target
	in      inputs
	old     state
	urn     resource.URN
	preview bool
	claims  *reservations
	source  *connection.Source
	// undo reverts what this run has changed about who owns what.
	undo *ownership.Edit
}

// outcome is the result of a run.
type outcome struct {
	target target
	state  state
	// unconfirmed is the reason why we do not know whether the patch took effect.
	unconfirmed error
	// reordered are the lists whose order in a preview differs from the live object.
	reordered []fieldpath.Path
	// unrecorded names the fields that only a run with a lost state has set, and that this run releases.
	unrecorded []string
	// left tells what becomes of fields that are no longer in the patch, if they are restored.
	left leftFields
	// notRecorded and tooLarge name the fields that a destroy cannot restore.
	notRecorded, tooLarge []string
	// unresolved means that a preview found no object to try the patch on.
	unresolved bool
}

// sayDropped warns of the fields that the API server did not keep.
func (o outcome) sayDropped(ctx context.Context) {
	tracked.WarnDropped(ctx, o.target.Ref, o.state.dropped, func(path fieldpath.Path) string {
		if o.state.NamesSecret {
			return ownership.Format(path[:1]) + "[secret]"
		}
		return ownership.Format(path)
	})
}

// start patches the target, or runs a dry-run. It reads the object before each attempt; an attempt on an object that
// has changed since is a conflict.
func (r run) start(ctx context.Context) (outcome, error) {
	if r.target.NamespaceIgnored {
		p.GetLogger(ctx).Warningf("%s belongs to no namespace; target.namespace is ignored.", r.target.Ref)
	}
	var result outcome
	var live *unstructured.Unstructured
	r.undo = new(ownership.Edit)
	err := cluster.RetryOnConflict(ctx, func() error {
		var err error
		if live, err = r.target.Cluster.Get(ctx, r.target.Ref); err != nil {
			return err
		}
		result, err = r.runOn(ctx, live)
		return err
	})
	result.target = r.target
	if err != nil {
		r.claims.drop(r.urn)
		r.takeBack(ctx, live, err)
	}
	lost := (*lostError)(nil)
	switch {
	case errors.As(err, &lost):
		result.state, err = r.unconfirmed(lost)
		result.unconfirmed = r.target.Explain("patch", lost.cause, r.in.sensitive())
		return result, err
	case live == nil && failure.Gone(err):
		return r.targetMissing(ctx, err)
	case err != nil:
		return result, r.target.Explain("patch", err, r.in.sensitive())
	}
	return result, nil
}

// targetMissing handles a missing target. In a preview, the same run may create it later, unless no one can add its
// kind.
func (r run) targetMissing(ctx context.Context, cause error) (outcome, error) {
	if err := r.requireSame(ctx, nil, cause); !failure.Gone(err) && !failure.NotServed(err) {
		return outcome{target: r.target}, r.target.Explain("read", err, r.in.sensitive())
	}
	cause = r.target.Cluster.ExplainNotServed(ctx, cause)
	if notServed := (*failure.KindNotServedError)(nil); errors.As(cause, &notServed) && notServed.Permanent {
		return outcome{target: r.target}, r.target.Explain("patch", cause, r.in.sensitive())
	}
	err := r.target.missing(cause)
	if !r.preview {
		return outcome{target: r.target}, err
	}
	until := "it is created"
	if !failure.Gone(cause) {
		until = "the kind is served again"
	}
	p.GetLogger(ctx).Warningf("%v\nThe update will fail unless %s first.", err, until)
	return outcome{target: r.target, unresolved: true}, nil
}

// runOn runs the patch on the object as read.
func (r run) runOn(ctx context.Context, live *unstructured.Unstructured) (outcome, error) {
	if err := r.target.refuseOwn(r.in, live); err != nil {
		return outcome{}, err
	}
	if err := r.requireSame(ctx, live, nil); err != nil {
		return outcome{}, err
	}
	if r.old.Ref.UID != "" && r.old.Ref.UID != string(live.GetUID()) {
		// Another object has the name. Nothing in the state is about it.
		r.old = state{State: tracked.State{Manager: r.old.Manager, HashKey: r.old.HashKey}, touched: nothing()}
	}
	if !r.old.upToDate(r.in) {
		if err := r.refuseTerminating(live); err != nil {
			return outcome{}, err
		}
	}
	found := live
	live, err := r.rename(ctx, live)
	if err != nil {
		return outcome{}, err
	}
	if r.old.upToDate(r.in) && (tracked.IsEmpty(r.old.dropped) || r.in.kind == keyJSONPatch) {
		return r.correctDrift(ctx, live)
	}
	if fields, done, err := r.resume(found); err != nil || done {
		if err != nil {
			return outcome{}, err
		}
		return r.resumePending(ctx, live, fields)
	}
	m, err := r.in.patchType()
	if err != nil {
		return outcome{}, err
	}
	return r.execute(ctx, m, live, tracked.PatchesOn(live))
}

// correctDrift sets the drifted values again, and the values of a JSON patch that the API server did not keep. The
// patch itself has not changed since it was carried out.
func (r run) correctDrift(ctx context.Context, live *unstructured.Unstructured) (outcome, error) {
	now, err := r.observe(live)
	if err != nil {
		return outcome{}, err
	}
	now.Manager = r.target.Manager
	if !now.hasDrifted(r.in) && tracked.IsEmpty(r.old.dropped) {
		now.Ref.Identity = r.target.Identity() // possibly in another version of its group
		unchanged := outcome{}
		now.former, unchanged.notRecorded = r.formerUnchanged()
		unchanged.state = now
		return unchanged, nil
	}
	m, err := r.in.repair(r.old)
	if err != nil {
		return outcome{}, err
	}
	result, err := r.execute(ctx, m, live, tracked.PatchesOn(live, r.target.Own()...))
	if r.preview && warnOfLastingDrift(ctx, err) {
		return outcome{state: now}, nil
	}
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		// The state stays valid for the patch, and the next read tells whether drift remains.
		return outcome{}, lost.cause
	}
	return result, err
}

// resumePending continues after a patch that an earlier attempt has carried out.
func (r run) resumePending(ctx context.Context, live *unstructured.Unstructured, fields patchedFields) (outcome, error) {
	if err := r.refuseOverlap(live, fields, r.claims.make(r.urn, string(live.GetUID()), fields.all())); err != nil {
		return outcome{}, err
	}
	after := live
	left, err := r.leaving(live, fields)
	if !r.preview && err == nil {
		after, left, err = r.release(ctx, live, fields, untraced{}.kept(fields))
	}
	if err != nil {
		return outcome{}, err
	}
	result, err := r.newState(live, after, fields)
	if err != nil {
		return outcome{}, err
	}
	result.left = r.leftFields(left)
	result.unrecorded, err = r.leavesUnrecorded(live, fields)
	return result, err
}

// execute sends the request after it has checked every reason to refuse. It must predict what the patch touches in a
// preview, if the answer cannot show it, and if the prediction decides about more than this request: what other Patches
// own, and what this one has to release first. patches are the field managers of these Patches. A run with a lost state
// may also have left something to release.
func (r run) execute(ctx context.Context, m patchType, live *unstructured.Unstructured, patches []string) (outcome, error) {
	var foreseen patchedFields
	var answer *unstructured.Unstructured
	lost, err := r.leavesUnrecorded(live, nothing())
	if err != nil {
		return outcome{}, err
	}
	foresees := r.preview || !m.reportsFields() || len(patches) > 0 || len(lost) > 0 || r.in.onDestroy == destroyRestores
	if foresees {
		if foreseen, answer, err = r.foresee(ctx, m, live); err != nil {
			return outcome{}, err
		}
		if lost, err = r.leavesUnrecorded(live, foreseen); err != nil {
			return outcome{}, err
		}
	}
	var left removal
	if r.preview {
		if left, err = r.leaving(live, foreseen); err != nil {
			return outcome{}, err
		}
		result, err := r.previewed(ctx, m, live, answer, foreseen)
		result.unrecorded, result.left = lost, r.leftFields(left)
		return result, err
	}
	if foresees {
		if live, left, err = r.release(ctx, live, foreseen, m.kept(foreseen)); err != nil {
			return outcome{}, err
		}
	}
	result, err := r.send(ctx, m, live, foreseen)
	result.unrecorded, result.left = lost, r.leftFields(left)
	return result, err
}

// foresee predicts what the patch touches, and refuses it if that overlaps with another Patch.
func (r run) foresee(ctx context.Context, m patchType, live *unstructured.Unstructured) (patchedFields, *unstructured.Unstructured, error) {
	foreseen, answer, err := m.predict(ctx, r.target, live)
	if err != nil {
		return foreseen, nil, err
	}
	claimed := r.claims.make(r.urn, string(live.GetUID()), foreseen.all())
	return foreseen, answer, r.refuseOverlap(live, foreseen, claimed)
}

// send sends the request.
func (r run) send(ctx context.Context, m patchType, live *unstructured.Unstructured, foreseen patchedFields) (outcome, error) {
	answer, err := m.send(ctx, r.target, live)
	if err != nil && !tracked.HadNoEffect(err) {
		return outcome{}, &lostError{cause: err, fields: foreseen, live: live}
	}
	if err != nil {
		return outcome{}, err
	}
	fields, err := m.touched(answer, r.target.Manager, foreseen)
	if err != nil {
		return outcome{}, &lostError{cause: err, fields: foreseen, live: live}
	}
	result, err := r.newState(live, answer, fields)
	if err != nil {
		return outcome{}, &lostError{cause: err, fields: fields, live: live}
	}
	return result, nil
}

// previewed runs the dry-run, unless the prediction already was one.
func (r run) previewed(
	ctx context.Context, m patchType, live, answer *unstructured.Unstructured, foreseen patchedFields,
) (outcome, error) {
	if answer == nil {
		var err error
		if answer, err = m.try(ctx, r.target, live); err != nil {
			return outcome{}, err
		}
	}
	if err := r.warnOfTakeover(ctx, live, answer, foreseen); err != nil {
		return outcome{}, err
	}
	r.warnOfRepetition(ctx, m)
	result, err := r.newState(live, answer, foreseen)
	result.reordered = ownership.Reordered(live.Object, answer.Object, foreseen.set)
	return result, err
}

// newState builds the state from the object after the patch. before is the object that the patch was sent to.
func (r run) newState(before, after *unstructured.Unstructured, fields patchedFields) (outcome, error) {
	s, err := r.stateAfter(before, after, fields)
	if err != nil || r.in.onDestroy != destroyRestores {
		return outcome{state: s}, err
	}
	recorded, err := r.recordFormer(fields, s.created, before, after)
	s.former = recorded.values
	return outcome{state: s, notRecorded: r.namesOf(recorded.unknown, fields), tooLarge: r.namesOf(recorded.large, fields)}, err
}

func (r run) stateAfter(before, after *unstructured.Unstructured, fields patchedFields) (state, error) {
	s := state{touched: fields, dropped: fields.dropped, State: tracked.State{
		Live:    ownership.Project(after.Object, fields.present(), r.in.tree()),
		Manager: r.target.Manager,
		HashKey: r.old.HashKey,

		WrittenAt: ownership.WrittenAt(after, r.target.Manager),
	}}
	switch r.in.kind {
	case keyMergePatch:
		s.dropped = ownership.Dropped(after.Object, ownership.In(r.in.tree()), fields.set)
	case keyJSONPatch:
		s.dropped = s.droppedBy(r.in, after.Object)
	}
	var err error
	if s.Hash, err = r.in.hash(s.HashKey); err != nil {
		return state{}, err
	}
	s.Ref = reference.Object{Identity: r.target.Identity(), UID: string(after.GetUID()), Revision: tracked.RevisionOf(s.Hash, r.old.Ref.Revision)}
	if s.Ownership, err = r.owned(after, fields); err != nil {
		return state{}, err
	}
	owned, err := ownership.WrittenBy(r.target.Own()...).Owned(after)
	if err != nil {
		return state{}, err
	}
	s.besides = owned.Difference(fields.all())
	if s.previous, err = r.previousOwners(before, fields); err != nil {
		return state{}, err
	}
	if s.created, err = r.createdBy(s, before, after); err != nil {
		return state{}, err
	}
	if s.added, err = s.rememberAdded(r.in, after.Object); err != nil {
		return state{}, err
	}
	if s.neighbours, err = s.hashNeighbours(r.in, after.Object); err != nil {
		return state{}, err
	}
	s.Secrets, s.NamesSecret = r.secretPlaces(s.Live, fields)
	return s, nil
}

// owned returns the owners of the fields on an object.
func (r run) owned(object *unstructured.Unstructured, fields patchedFields) (map[string]string, error) {
	owners, err := ownership.NewOwnership(object)
	if err != nil {
		return nil, err
	}
	owned := map[string]string{}
	for _, path := range leaves(fields.present()) {
		owned[ownership.Format(path)] = r.holder(owners.Of(path))
	}
	return owned, nil
}

// watched returns the paths to check for drift.
func (t patchedFields) watched() *fieldpath.Set { return t.set.Union(t.removed) }

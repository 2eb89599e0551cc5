package patch

import (
	"context"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// work is one run of a patch on its target.
type work struct {
	target  target
	in      inputs
	old     state
	urn     resource.URN
	preview bool
	claims  *claims
	source  *connection.Source
}

// outcome is what a run led to.
type outcome struct {
	target target
	state  state
	// unconfirmed is why it is not known whether the patch had its effect.
	unconfirmed error
	// reordered are the lists that a preview has put into another order than the live object has them in.
	reordered []fieldpath.Path
	// unresolved says that a preview found no object to try the patch on.
	unresolved bool
}

// run patches the target, or tries what would happen. It looks at the object before
// each try; a try on an object that has changed since is a conflict.
func (w work) run(ctx context.Context) (outcome, error) {
	if w.target.NamespaceIgnored {
		p.GetLogger(ctx).Warningf("%s belongs to no namespace; target.namespace is ignored.", w.target.Ref)
	}
	var result outcome
	var live *unstructured.Unstructured
	err := cluster.RetryOnConflict(ctx, func() error {
		var err error
		if live, err = w.target.Cluster.Get(ctx, w.target.Ref); err != nil {
			return err
		}
		result, err = w.on(ctx, live)
		return err
	})
	result.target = w.target
	if err != nil {
		w.claims.drop(w.urn)
	}
	lost := (*lostError)(nil)
	switch {
	case errors.As(err, &lost):
		result.state, err = w.unconfirmed(lost)
		result.unconfirmed = w.target.explain("patch", lost.cause, w.in)
		return result, err
	case live == nil && failure.Gone(err):
		return w.nowhere(ctx, err)
	case err != nil:
		return result, w.target.explain("patch", err, w.in)
	}
	return result, nil
}

// nowhere is for a target that is not there. What a preview misses may be made in the
// same run, unless it is of a kind that nobody can add.
func (w work) nowhere(ctx context.Context, cause error) (outcome, error) {
	if err := w.requireSame(ctx, nil, cause); !failure.Gone(err) {
		return outcome{target: w.target}, w.target.explain("read", err, w.in)
	}
	cause = w.target.Cluster.Elsewhere(ctx, cause)
	if notServed := (*failure.KindNotServedError)(nil); errors.As(cause, &notServed) && notServed.Final {
		return outcome{target: w.target}, w.target.explain("patch", cause, w.in)
	}
	err := w.target.missing(cause)
	if !w.preview {
		return outcome{target: w.target}, err
	}
	p.GetLogger(ctx).Warningf("%v\nThe update will fail unless it is made before.", err)
	return outcome{target: w.target, unresolved: true}, nil
}

// on runs the patch on the object as it was read.
func (w work) on(ctx context.Context, live *unstructured.Unstructured) (outcome, error) {
	if err := w.target.refuseOwn(w.in, live); err != nil {
		return outcome{}, err
	}
	if err := w.requireSame(ctx, live, nil); err != nil {
		return outcome{}, err
	}
	if w.old.Ref.UID != "" && w.old.Ref.UID != string(live.GetUID()) {
		// Another object has the name. Nothing that is known is about it.
		w.old = state{State: tracked.State{Manager: w.old.Manager, HashKey: w.old.HashKey}, touched: nothing()}
	}
	if !w.old.upToDate(w.in) {
		if err := w.refuseTerminating(live); err != nil {
			return outcome{}, err
		}
	}
	found := live
	live, err := w.rename(ctx, live)
	if err != nil {
		return outcome{}, err
	}
	if w.old.upToDate(w.in) {
		return w.putRight(ctx, live)
	}
	if fields, done, err := w.resume(found); err != nil || done {
		if err != nil {
			return outcome{}, err
		}
		return w.takeUp(ctx, live, fields)
	}
	m, err := w.in.method()
	if err != nil {
		return outcome{}, err
	}
	return w.carryOut(ctx, m, live, len(tracked.PatchesOn(live)) > 0)
}

// putRight sets again what has drifted, if anything has. The patch itself is the one
// that was carried out last.
func (w work) putRight(ctx context.Context, live *unstructured.Unstructured) (outcome, error) {
	now, err := w.observe(live)
	if err != nil {
		return outcome{}, err
	}
	now.Manager = w.target.Manager
	if !now.hasDrifted(w.in) {
		now.Ref.Identity = w.target.Identity() // in another version of its group, perhaps
		return outcome{state: now}, nil
	}
	m, err := w.in.repair(w.old)
	if err != nil {
		return outcome{}, err
	}
	result, err := w.carryOut(ctx, m, live, len(tracked.PatchesOn(live, w.target.Own()...)) > 0)
	if w.preview && warnOfLastingDrift(ctx, err) {
		return outcome{state: now}, nil
	}
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		// What the state says of the patch stays true, and the next look tells whether it still has to be put right.
		return outcome{}, lost.cause
	}
	return result, err
}

// takeUp goes on from a patch that an earlier try has carried out.
func (w work) takeUp(ctx context.Context, live *unstructured.Unstructured, fields touched) (outcome, error) {
	if err := w.refuseOverlap(live, fields, w.claims.make(w.urn, string(live.GetUID()), fields.all())); err != nil {
		return outcome{}, err
	}
	after := live
	if !w.preview {
		var err error
		if after, err = w.release(ctx, live, untraced{}.kept(fields)); err != nil {
			return outcome{}, err
		}
	}
	settled, err := w.settle(live, after, fields)
	return outcome{state: settled}, err
}

// carryOut makes the request, after everything that can be refused has been. What the
// patch touches has to be foreseen in a preview, where it cannot be seen afterwards, and
// where it decides about more than this request: what other Patches have, and what this
// one has to release first.
func (w work) carryOut(ctx context.Context, m method, live *unstructured.Unstructured, decides bool) (outcome, error) {
	var foreseen touched
	var answer *unstructured.Unstructured
	var err error
	if w.preview || !m.sees() || decides {
		if foreseen, answer, err = m.foresee(ctx, w.target, live); err != nil {
			return outcome{}, err
		}
		claimed := w.claims.make(w.urn, string(live.GetUID()), foreseen.all())
		if err := w.refuseOverlap(live, foreseen, claimed); err != nil {
			return outcome{}, err
		}
		if !w.preview {
			if live, err = w.release(ctx, live, m.kept(foreseen)); err != nil {
				return outcome{}, err
			}
		}
	}
	if w.preview {
		return w.previewed(ctx, m, live, answer, foreseen)
	}
	answer, err = m.send(ctx, w.target, live, false)
	if err != nil && !failure.Outcome(err).Definite() && !tracked.IsRefusal(err) {
		return outcome{}, &lostError{cause: err, fields: foreseen, live: live}
	}
	if err != nil {
		return outcome{}, err
	}
	fields, err := m.touched(answer, w.target.Manager, foreseen)
	if err != nil {
		return outcome{}, &lostError{cause: err, fields: foreseen, live: live}
	}
	settled, err := w.settle(live, answer, fields)
	if err != nil {
		return outcome{}, &lostError{cause: err, fields: fields, live: live}
	}
	return outcome{state: settled}, nil
}

// previewed tries the patch, unless foreseeing it was the try.
func (w work) previewed(
	ctx context.Context, m method, live, answer *unstructured.Unstructured, foreseen touched,
) (outcome, error) {
	if answer == nil {
		var err error
		if answer, err = m.send(ctx, w.target, live, true); err != nil {
			return outcome{}, err
		}
	}
	if err := w.warnOfTakeover(ctx, live, answer, foreseen); err != nil {
		return outcome{}, err
	}
	w.warnOfRepetition(ctx, m)
	settled, err := w.settle(live, answer, foreseen)
	return outcome{state: settled, reordered: ownership.Reordered(live.Object, answer.Object, foreseen.set)}, err
}

// release hands back what the patch no longer names, before it is sent: what an apply
// leaves out would be deleted. It returns the object as it is then.
func (w work) release(
	ctx context.Context, live *unstructured.Unstructured, kept ownership.Kept,
) (*unstructured.Unstructured, error) {
	body, err := ownership.HandBack(live, w.target.Manager, kept)
	if err != nil || body == nil {
		return live, err
	}
	return w.target.send(ctx, types.JSONPatchType, body, false)
}

// settle makes the state out of the object after the patch. before is the object that
// it was carried out on.
func (w work) settle(before, after *unstructured.Unstructured, fields touched) (state, error) {
	s := state{touched: fields, State: tracked.State{
		Live:    ownership.Project(after.Object, fields.present(), w.in.tree()),
		Manager: w.target.Manager,
		HashKey: w.old.HashKey,
	}}
	var err error
	if s.Hash, err = w.in.hash(s.HashKey); err != nil {
		return state{}, err
	}
	s.Ref = reference.Object{Identity: w.target.Identity(), UID: string(after.GetUID()), Revision: tracked.RevisionOf(s.Hash, w.old.Ref.Revision)}
	if s.Ownership, err = w.owned(after, fields); err != nil {
		return state{}, err
	}
	if s.previous, err = w.previousOwners(before, fields); err != nil {
		return state{}, err
	}
	if s.created, err = w.createdBy(s, before, after); err != nil {
		return state{}, err
	}
	if s.added, err = s.rememberAdded(w.in, after.Object); err != nil {
		return state{}, err
	}
	if s.neighbours, err = s.hashNeighbours(w.in, after.Object); err != nil {
		return state{}, err
	}
	s.Secrets, s.NamesSecret = w.secretPlaces(s.Live, fields)
	return s, nil
}

// owned says who owns the fields on an object.
func (w work) owned(object *unstructured.Unstructured, fields touched) (map[string]string, error) {
	owners, err := ownership.NewOwnership(object)
	if err != nil {
		return nil, err
	}
	owned := map[string]string{}
	for _, path := range leaves(fields.present()) {
		owned[ownership.Format(path)] = w.holder(owners.Of(path))
	}
	return owned, nil
}

// previousOwners says who owned the fields before. A field that is ours for longer
// keeps what is known of it.
func (w work) previousOwners(before *unstructured.Unstructured, fields touched) (map[string]string, error) {
	if w.old.before != nil {
		// An earlier try of this patch may have changed the owners.
		before = before.DeepCopy()
		before.SetManagedFields(w.old.before)
	}
	owners, err := ownership.NewOwnership(before)
	if err != nil {
		return nil, err
	}
	previous := map[string]string{}
	for _, path := range leaves(fields.all()) {
		name := ownership.Format(path)
		if others := w.others(owners.Of(path)); others != "" {
			previous[name] = others
		} else if known := w.old.previous[name]; known != "" {
			previous[name] = known
		}
	}
	return previous, nil
}

// watched are the paths that drift is looked for at.
func (t touched) watched() *fieldpath.Set { return t.set.Union(t.removed) }

package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// adopt takes over an object that no resource of this provider manages. The fields of kubectl or another client-side
// applier become ours first, so that the apply removes those the manifest no longer has instead of leaving them
// behind unowned.
func (t target) adopt(ctx context.Context, in inputs, live *unstructured.Unstructured, c creation) applyResult {
	if c.preview {
		p.GetLogger(ctx).Infof("%s exists and will be adopted.", t.Ref)
	}
	a := t.applyToUntracked(ctx, in, live, c)
	if c.preview && a.err == nil {
		a.err = t.announceLosses(ctx, in, live, a.answer)
	}
	if c.preview && a.err == nil {
		var set *fieldpath.Set
		if set, _, a.err = ownership.Applied(a.answer, t.Manager); a.err == nil {
			a.err = t.sayLeftBehind(ctx, in, live, unionOf(set))
		}
	}
	return a
}

// clientSideAppliers are the managers that kubectl or another client-side applier used. The annotation in which they
// store the last applied configuration identifies them.
//
// It leaves out those whose fields are left to them.
func (in inputs) clientSideAppliers(live *unstructured.Unstructured) sets.Set[string] {
	appliers := sets.New[string]()
	for _, entry := range csaupgrade.FindFieldsOwners(
		live.GetManagedFields(), metav1.ManagedFieldsOperationUpdate, fieldpath.NewSet(lastAppliedPath)) {
		appliers.Insert(entry.Manager)
	}
	return appliers.Delete(in.managers()...)
}

var lastAppliedPath = fieldpath.MakePathOrDie("metadata", "annotations", lastApplied)

// migrate makes the fields of client-side appliers ours, as kubectl does when it switches to server-side apply.
func (t target) migrate(in inputs, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	appliers := in.clientSideAppliers(live)
	if appliers.Len() == 0 {
		return live, nil
	}
	migrated := live.DeepCopy()
	return migrated, csaupgrade.UpgradeManagedFields(migrated, appliers, t.Manager)
}

// announceLosses reports in a preview what the object loses when it is adopted. The dry-run alone does not show it,
// because it cannot migrate first.
func (t target) announceLosses(ctx context.Context, in inputs, live, answer *unstructured.Unstructured) error {
	appliers := in.clientSideAppliers(live)
	wanted, _, err := ownership.Applied(answer, t.Manager)
	if err != nil || appliers.Len() == 0 {
		return err
	}
	migrated, err := t.migrate(in, live)
	if err != nil {
		return err
	}
	abandoned, err := ownership.PrunedByApply(migrated, t.Manager, wanted)
	if err != nil {
		return err
	}
	abandoned, _ = in.ignore.Split(abandoned.Difference(fieldpath.NewSet(lastAppliedPath)))
	if abandoned.Empty() {
		return nil
	}
	// An applier also owns the defaults that its object got. The API server adds them back, as it does for a new
	// object; where a new object cannot be tried, the list is longer than necessary.
	fresh, err := t.tryAsNew(ctx, in, live)
	if err != nil {
		fresh = &unstructured.Unstructured{}
	}
	var lines []string
	abandoned.Iterate(func(path fieldpath.Path) {
		before, _, _ := ownership.Locate(live.Object, path)
		after, _, _ := ownership.Locate(fresh.Object, path)
		if !ownership.Equal(before, after) {
			lines = append(lines, fmt.Sprintf("%s: %s -> %s", in.nameOf(path), in.show(live.Object, path), in.show(fresh.Object, path)))
		}
	})
	if len(lines) > 0 {
		slices.Sort(lines)
		// The program may use a removed value under another name.
		hide := failure.NewRedactor(in.sensitive())
		for i := range lines {
			lines[i] = hide.Redact(lines[i])
		}
		p.GetLogger(ctx).Warningf("%s: %s applied these fields and the manifest does not set them. Adopting the object "+
			"removes them or resets them to their defaults:\n  %s", t.Ref, strings.Join(sets.List(appliers), ", "), strings.Join(lines, "\n  "))
	}
	return nil
}

// resolveExisting decides what to do about an object that already exists in our place. It continues with an object that
// an earlier attempt of ours made before the reply was lost, takes over one to adopt, and leaves any other alone.
func (t target) resolveExisting(ctx context.Context, in inputs, c creation) applyResult {
	live, err := t.Cluster.Get(ctx, t.Ref)
	if err != nil {
		return applyResult{err: err}
	}
	switch on := t.asOn(live); {
	case on == t:
	case c.preview:
		return t.asRenamed(on.resolveLive(ctx, in, c, live))
	default:
		undo, err := t.rename(ctx, in, live.GetUID())
		if err == nil {
			live, err = t.Cluster.Get(ctx, t.Ref)
		}
		if err != nil {
			return applyResult{err: err}
		}
		result := t.resolveLive(ctx, in, c, live)
		if result.err != nil && tracked.HadNoEffect(result.err) {
			if err := t.CleanUp(ctx, live.GetUID(), undo); err != nil {
				p.GetLogger(ctx).Debugf("%s has a field manager that the state does not know: %v", t.Ref, err)
			}
		}
		return result
	}
	return t.resolveLive(ctx, in, c, live)
}

// rename moves what we own of the object to the field manager of the resource's URN. It returns how to revert that.
func (t target) rename(ctx context.Context, in inputs, uid types.UID) (undo ownership.Edit, err error) {
	if t.Also == "" {
		return nil, nil
	}
	err = t.editOwned(ctx, in, uid, func(live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		renamed, err := t.Rename()(live)
		undo = ownership.Undo(live, renamed)
		return renamed, err
	})
	if err != nil {
		return nil, t.Explain("rename the field manager on", err, in.sensitive())
	}
	return undo, nil
}

// resolveLive is resolveExisting for an object that has been read.
func (t target) resolveLive(ctx context.Context, in inputs, c creation, live *unstructured.Unstructured) applyResult {
	if c.isReplacing(live) {
		if !c.continuesKept(in) {
			return t.refuseSameNameReplacement(ctx, in, c, live)
		}
		p.GetLogger(ctx).Infof("%s still exists and will be adopted. It is not replaced.", t.Ref)
	}
	ours, err := t.mayContinue(in, c, live)
	switch {
	case err != nil:
		return applyResult{err: err}
	case !ours:
		return t.adopt(ctx, in, live, c)
	case in.retained:
		return t.applyToUntracked(ctx, in, live, c) // an earlier resource has left it on purpose
	}
	var result applyResult
	if c.continuing || in.adopt {
		result = t.applyToUntracked(ctx, in, live, c)
	} else {
		result = t.resumeOwnCreate(ctx, in, live, c)
	}
	if refused := (*refusedUpdate)(nil); errors.As(result.err, &refused) {
		refused.interrupted = c.continuing || t.IsYoung(live, c.resumeWithin)
	}
	return result
}

// mayContinue refuses an existing object that we may neither continue with nor take over. ours means that the object is
// ours.
func (t target) mayContinue(in inputs, c creation, live *unstructured.Unstructured) (ours bool, err error) {
	_, ours, err = ownership.Applied(live, t.Manager)
	switch {
	case err != nil:
		return false, err
	case t.RefuseTerminating(live) != nil:
		return ours, t.RefuseTerminating(live)
	case t.foreign(in, live) != "":
		return ours, t.refuseForeign(in, "already exists and is", t.foreign(in, live))
	case !ours && t.refusePatched("already exists and is managed by", live) != nil:
		return ours, t.refusePatched("already exists and is managed by", live)
	case !ours && !in.adopt && tracked.KubeObjectOf(live, t.Own()...) == "":
		return ours, t.occupied()
	case ours && !c.continuing && !in.adopt && !in.retained && !t.IsYoung(live, c.resumeWithin):
		return ours, t.refuseOld(live, c.resumeWithin)
	}
	return ours, nil
}

// occupied explains who manages the object in our place.
func (t target) occupied() error {
	return tracked.Refused(failure.ReasonAlreadyExists, "%s already exists. It was not touched.\n%s", t.Ref, t.waysIn())
}

// waysIn explains how to bring an existing object under a resource.
func (t target) waysIn() string {
	return "To manage it with this resource, import it: pulumi import " + Token + " NAME " + failure.ShellQuoted(t.Identity().String()) + "\n" +
		"or set `adopt: true` on the resource, which takes over the fields that its manifest sets."
}

// applyToUntracked applies onto an object that the state does not know. If the reply is lost, the state must record
// the object: our field manager may be on it already, so its presence does not prove that this apply went through.
func (t target) applyToUntracked(ctx context.Context, in inputs, live *unstructured.Unstructured, c creation) applyResult {
	owned, ours, err := ownership.Applied(live, t.Manager)
	if err == nil {
		err = in.leaveOn(live, nil, t.Own()...)
	}
	if err != nil {
		return applyResult{err: err}
	}
	w := &write{target: t, last: t, in: in, uid: live.GetUID(), preview: c.preview, migrates: !ours, takes: len(in.takeOver) > 0}
	if !ours {
		w.migrating = in.clientSideAppliers(live)
	}
	w.shields = ours || w.migrating.Len() > 0
	// Ignored fields already have their initial values and keep their current ones.
	if w.releasesIgnored = len(in.ignore) > 0; ours {
		_, w.releasing = in.ignore.Split(owned)
	}
	if err := w.see(live); err != nil {
		return applyResult{err: err}
	}
	w.sends = w.body(live)
	return w.run(ctx)
}

package object

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Delete deletes exactly the object that the state knows and waits until it is gone. It leaves an object alone that
// someone else made in its place.
func (r *kubeObject) Delete(ctx context.Context, req p.DeleteRequest) error {
	return tracked.ExplainDestroy(r.delete(ctx, req), req.Properties)
}

func (r *kubeObject) delete(ctx context.Context, req p.DeleteRequest) error {
	if isLeftOut(req.OldInputs) {
		return nil
	}
	in, old, err := decode(r.deleting.Of(req), req.Properties)
	if err != nil {
		return err
	}
	ctx = tracked.AwaitWebhooks(ctx, in.sensitive())
	found, err := old.FindToDelete(ctx, r.source, &r.moves, req, tracked.ManagerOf(req.Urn))
	t := target{found.Target}
	switch {
	case err != nil:
		return t.Explain("delete", err, in.sensitive())
	case found.Forgotten:
		r.guard.Forget(req.Urn, old.Ref.UID, old.HashKey)
		return nil
	case found.Missing:
		return r.confirmGone(ctx, t, in, old)
	}
	d, err := deletion{target: t, in: in, old: old, uid: old.Ref.UID}.identified(ctx)
	if err != nil {
		return t.Explain("read", err, in.sensitive())
	}
	if d.uid == "" || r.isOfAnother(ctx, d, req.Urn) {
		return nil
	}
	if err := r.deleteObject(ctx, d, req); err != nil {
		return err
	}
	if kind, _, defines := manifest.Defined(in.applied); defines {
		r.goneWith.Kind(old.Origin, kind)
	} else if id := t.Identity(); id.GroupKind() == kinds.Namespace {
		r.goneWith.Namespace(old.Origin, id.Name)
	}
	r.guard.Forget(req.Urn, old.Ref.UID, old.HashKey)
	return nil
}

// identified finds out the uid of the object if the state does not tell whether the object ever became ours. The uid is "" if it did not.
func (d deletion) identified(ctx context.Context) (deletion, error) {
	if d.uid != "" && !(d.old.Pending && d.in.adopt) {
		return d, nil
	}
	own, err := d.ownUID(ctx)
	d.old.Stale = d.old.Stale || own != "" // then its owners are checked
	if d.uid != "" && own != d.uid {
		own = ""
	}
	d.uid = own
	return d, err
}

// isOfAnother reports whether another resource of the program has the object, which then stays.
func (r *kubeObject) isOfAnother(ctx context.Context, d deletion, urn resource.URN) bool {
	if r.guard.Superseded(urn, d.old.Ref.UID, d.old.HashKey) {
		p.GetLogger(ctx).Warningf("%s is kept: the resource that replaces this one manages the same object.", d.Ref)
		return true
	}
	other, yields := r.guard.Yield(urn, d.old.Ref.UID, d.old.HashKey)
	if yields {
		d.warnShared(ctx, other)
	}
	return yields
}

// deleteObject deletes the object and waits until it is gone, for at most the default of its kind if the program sets no timeout.
func (r *kubeObject) deleteObject(ctx context.Context, d deletion, req p.DeleteRequest) error {
	var live *unstructured.Unstructured
	if r.isUnseen(req.Urn, d.old) {
		var err error
		if live, err = d.lookFirst(ctx, types.UID(d.uid)); err != nil {
			return d.Explain("read", err, d.in.sensitive())
		}
	}
	if req.Timeout == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, kinds.DeletionTimeout(d.Identity().GroupKind()))
		defer cancel()
	}
	err := d.asSeen(ctx, live, r.looks.Version(req.Urn))
	if errors.Is(err, errReplaced) {
		if err := r.warnSuccessor(ctx, d.target, d.in, req.Urn); err != nil {
			return err
		}
	}
	if errors.Is(err, errAbsent) {
		return r.confirmGone(ctx, d.target, d.in, d.old)
	}
	return err
}

// ownUID returns the uid of the object in our place if we made it, that is, if it carries our field manager;
// otherwise "".
func (t target) ownUID(ctx context.Context) (string, error) {
	live, err := t.Cluster.Get(ctx, t.Ref)
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, ours, err := ownership.Applied(live, t.asOn(live).Manager)
	switch {
	case err != nil:
		return "", err
	case ours:
		return string(live.GetUID()), nil
	case !tracked.NamesOwners(live):
		return "", tracked.Refused(failure.ReasonManagedFieldsMissing, "%s was not deleted: the response has no metadata.managedFields, so the provider cannot tell whether "+
			"this resource created it. It was not touched.\n"+
			"Look for a proxy that removes metadata.managedFields, and run the command again.", t.Ref)
	default:
		return "", nil
	}
}

var (
	// errAbsent means that there was nothing to delete.
	errAbsent = errors.New("the object was not there")
	// errReplaced means that another object now has the name.
	errReplaced = fmt.Errorf("another object has its name: %w", errAbsent)
)

// warnSuccessor warns about an object that this resource made later than the object in its state, and that stays. In
// this case the state is older than the object, and may be a copy of the state that has the object.
func (r *kubeObject) warnSuccessor(ctx context.Context, t target, in inputs, urn resource.URN) error {
	own, err := t.ownUID(ctx)
	if err != nil {
		return t.Explain("read", err, in.sensitive())
	}
	if own != "" && !r.guard.IsCurrent(urn, own) {
		p.GetLogger(ctx).Warningf("%s stays: it is not the object that the state has, which is gone, although this resource has made it. "+
			"The state is older than the object.\nNext: if no other state has it, set `adopt: true` to manage it again, or delete it by hand %s.",
			t.Ref, kinds.LostWith(t.Identity().GroupKind()))
	}
	return nil
}

// confirmGone reports why an object that was not found for deletion may still exist elsewhere.
func (r *kubeObject) confirmGone(ctx context.Context, t target, in inputs, old state) error {
	return t.Explain("delete", old.ConfirmGone(ctx, r.source, t.Target), in.sensitive())
}

// maxLooks is how often a deletion reads a changed object again.
const maxLooks = 3

// deletion is the deletion of the object with this uid.
type deletion struct {
	target
	in  inputs
	old state
	uid string
}

// asSeen deletes an object only in the version that was read. Hours may pass between a read and a deletion, and
// meanwhile another stack may take the object over, or an annotation may ask to keep it. So the deletion names the
// version of live, or the one that the Read of this operation saw. If the object has changed, asSeen reads it again. If
// others never stop writing the object, it deletes any version after the last look.
func (d deletion) asSeen(ctx context.Context, live *unstructured.Unstructured, version string) error {
	for look := range maxLooks + 1 {
		if live != nil {
			if manager := d.foreign(d.in, live); manager != "" {
				return d.leave(ctx, d.in, live.GetUID(), manager)
			}
			version, d.old.kept = live.GetResourceVersion(), d.old.kept || manifest.SaysKeep(live.Object)
		}
		read, kept, err := d.keep(ctx)
		if err != nil || kept {
			return err
		}
		if err := d.spareInstances(ctx, d.in, read); err != nil {
			return err
		}
		if read != nil {
			version = read.GetResourceVersion()
		}
		if look == maxLooks {
			version = ""
		}
		if live, err = d.delete(ctx, version); live == nil {
			return err
		}
	}
	return nil
}

// delete deletes an object and waits until it is gone. It returns the object if it has another version.
func (d deletion) delete(ctx context.Context, version string) (changed *unstructured.Unstructured, err error) {
	result, err := d.Cluster.Delete(ctx, d.Ref, cluster.DeleteOptions{
		UID: types.UID(d.uid), Version: version, Propagation: d.in.propagationOf(d.Identity().GroupKind()),
	})
	switch {
	case err != nil:
		return nil, d.Explain("delete", err, d.in.sensitive())
	case result.Changed != nil:
		return result.Changed, nil
	case result.Replaced:
		return nil, errReplaced
	case result.Absent:
		return nil, errAbsent
	case result.Gone:
		return nil, nil
	}
	return nil, d.awaitGone(ctx, result.Object)
}

// awaitGone waits until a terminating object is gone.
func (d deletion) awaitGone(ctx context.Context, terminating *unstructured.Unstructured) error {
	started := time.Now()
	err := d.awaitDeleted(ctx, terminating)
	var still *cluster.StillThereError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &still):
		return d.Explain("delete", err, d.in.sensitive())
	case d.in.forceDestroy && errors.Is(err, context.DeadlineExceeded) && still.Last != nil && len(removable(still.Last)) > 0:
		return d.forceDestroy(ctx, still.Last)
	}
	return d.stillThere(still, time.Since(started))
}

// stillThere explains a deletion that has not finished.
func (t target) stillThere(still *cluster.StillThereError, took time.Duration) error {
	reason := failure.ReasonDeleteTimedOut
	if errors.Is(still, context.Canceled) {
		reason = failure.ReasonInterrupted
	}
	return failure.Errorf(reason, "%s is still there after %s, but marked for deletion: %s.\n%s"+
		"The deletion continues in the cluster and ends as soon as nothing blocks it. Then run the command again; it "+
		"continues here. %s: %w", t.Ref, took.Round(time.Second), holding(still.Last), blockersOf(still.Last), lastResort(still.Last), still)
}

func (t target) awaitDeleted(ctx context.Context, terminating *unstructured.Unstructured) error {
	// Otherwise the last status stays next to the resource long after it is deleted.
	defer p.GetLogger(ctx).InfoStatus("")
	return t.Cluster.AwaitDeleted(ctx, t.Ref, terminating, func(live *unstructured.Unstructured) {
		p.GetLogger(ctx).InfoStatusf("Deleting; %s", holding(live))
	})
}

// forceDestroyTimeout bounds how long an object may take to disappear after its finalizers are removed.
const forceDestroyTimeout = 30 * time.Second

// forceDestroy removes the finalizers of an object whose deletion has timed out.
func (d deletion) forceDestroy(ctx context.Context, last *unstructured.Unstructured) error {
	// The deadline of the operation has passed; this is its last step.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forceDestroyTimeout)
	defer cancel()
	err := d.Cluster.Edit(ctx, d.Ref, types.UID(d.uid), d.Manager, func(live *unstructured.Unstructured) ([]byte, error) {
		if err := d.mayWrite(d.in, live); err != nil {
			return nil, err
		}
		last = live
		return ownership.WithoutFinalizers(live, removable(live))
	})
	if err != nil {
		return d.Explain("remove the finalizers of", err, d.in.sensitive())
	}
	p.GetLogger(ctx).Warningf("%s: forceDestroy removed the finalizers %s. What they protect may be left behind.",
		d.Ref, strings.Join(removable(last), ", "))
	started := time.Now()
	err = d.awaitDeleted(ctx, nil)
	var still *cluster.StillThereError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &still):
		return d.stillThere(still, time.Since(started))
	default:
		return d.Explain("delete", err, d.in.sensitive())
	}
}

// propagationOf returns the user's choice, or the default of the kind. Kinds with dependents are deleted in the
// foreground, so that the dependents are gone before the objects that they depend on.
func (in inputs) propagationOf(kind schema.GroupKind) metav1.DeletionPropagation {
	switch {
	case in.propagation != "":
		return metav1.DeletionPropagation(in.propagation)
	case kinds.HasDependents(kind):
		return metav1.DeletePropagationForeground
	default:
		return metav1.DeletePropagationBackground
	}
}

package task

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// These are the annotations of every object that a run makes. The first one also gives an object without any content a field that
// the field manager owns.
const (
	// madeBy is the field manager of the resource that has made the object.
	madeBy = "k8sconnect.io/task"
	// madeFor is the name of the run. For an object that several hooks need, it is the name of the event of the release.
	madeFor = "k8sconnect.io/run"
	// ofRelease is the release that the hook belongs to.
	ofRelease = "k8sconnect.io/release"
	// hookOfHelm is the annotation that makes an object of a chart a hook. Helm keeps it on the objects that it makes.
	hookOfHelm = "helm.sh/hook"
)

// sign marks an object as made by a run. of is the name of what the object is made for.
func (r *run) sign(object *unstructured.Unstructured, of string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[madeBy], annotations[madeFor] = r.target.Manager, of
	if r.in.hook != nil {
		annotations[ofRelease] = r.in.hook.release
	}
	object.SetAnnotations(annotations)
}

// madeObject describes an object that a run makes: the Job or Pod itself, or an object that exists only for it.
type madeObject struct {
	target tracked.Target
	// madeFor names what the object is made for: the run, or the event of a release.
	madeFor string
	// named means that the object's name alone distinguishes the run from all others.
	named bool
	// passing means that the object cannot be used while it is being deleted.
	passing bool
	// next says what to do if the name belongs to an object that the run must not touch.
	next string
}

// madeIn says who made an object that has one of the run's names.
type madeIn int

const (
	// thisRun is the run itself, perhaps in a process that was killed, or another hook of the event that the object is made for.
	thisRun madeIn = iota
	// earlierRun is a previous run of this Task or of another hook of the release, a hook run by helm, or a version of the chart
	// in which the object is no hook. Such an object is replaced.
	earlierRun
	// elsewhere means that the object must not be touched.
	elsewhere
)

// origin finds out who made an object.
func (r *run) origin(live *unstructured.Unstructured, o madeObject) (madeIn, error) {
	_, ours, err := ownership.Applied(live, r.target.Manager)
	switch {
	case err != nil:
		return elsewhere, err
	case ours && (o.named || live.GetAnnotations()[madeFor] == o.madeFor), r.isOfEvent(live, o.madeFor):
		return thisRun, nil
	case ours || r.isOfRelease(live) || (r.mayTakeOver(live) || r.wasObject(live)) && !mayRun(live):
		return earlierRun, nil
	case live.GetAnnotations()[madeBy] != "" && !tracked.NamesOwners(live):
		return elsewhere, tracked.Refused(failure.ReasonManagedFieldsMissing, "%s exists, and the response has no metadata.managedFields, so the provider cannot tell "+
			"whether this Task made it. It was not touched.\nLook for a proxy that removes metadata.managedFields, and run the command again.", cluster.RefOf(live))
	default:
		return elsewhere, nil
	}
}

// isOfRelease reports whether another hook of the same release has made an object. The field managers must confirm what the
// annotations say: an object that someone else made is never replaced.
func (r *run) isOfRelease(live *unstructured.Unstructured) bool {
	annotations := live.GetAnnotations()
	by := annotations[madeBy]
	if r.in.hook == nil || annotations[ofRelease] != r.in.hook.release || !strings.HasPrefix(by, ownership.ManagerPrefix) {
		return false
	}
	_, applied, err := ownership.Applied(live, by)
	return err == nil && applied
}

// isOfEvent reports whether a hook of the same release has made an object for a given event. If of is the name of a run, no other
// hook has made it, because such a name stands for one hook. An object that a KubeObject has taken over no longer belongs to the
// event.
func (r *run) isOfEvent(live *unstructured.Unstructured, of string) bool {
	return of != "" && live.GetAnnotations()[madeFor] == of && r.isOfRelease(live) && tracked.KubeObjectOf(live, live.GetAnnotations()[madeBy]) == ""
}

// mayTakeOver reports whether an object is a helm hook of a release that is being taken over. Helm would also replace an object
// that holds data; the provider does not.
func (r *run) mayTakeOver(live *unstructured.Unstructured) bool {
	return r.in.hook != nil && r.in.hook.takeOver && live.GetAnnotations()[hookOfHelm] != "" && tracked.KubeObjectOf(live) == "" &&
		!kinds.HoldsData(live.GroupVersionKind().GroupKind())
}

// wasObject reports whether an object belongs to the release itself: in another version of the chart, it was no hook, or a hook
// that nothing deleted. An object that holds data is not replaced.
func (r *run) wasObject(live *unstructured.Unstructured) bool {
	if r.in.hook == nil || kinds.HoldsData(live.GroupVersionKind().GroupKind()) {
		return false
	}
	managers := tracked.KubeObjectsOn(live, r.target.Manager)
	return len(managers) == 1 && slices.Contains(r.in.hook.formerly, managers[0])
}

// mayRun reports whether an object runs something that has not ended.
func mayRun(live *unstructured.Unstructured) bool {
	return isRun(live.GroupVersionKind().GroupKind()) && endingOf(live) == nil
}

// refuse is the error about an object that must not be touched.
func (r *run) refuse(live *unstructured.Unstructured, o madeObject) error {
	maker, next := "Task", o.next
	if r.in.hook != nil {
		maker, next = "release", fmt.Sprintf("make sure that nothing needs it and delete it %s, or give the release another name",
			kinds.LostWith(live.GroupVersionKind().GroupKind()))
	}
	if byHelm := r.mayTakeOver(live); byHelm || r.wasObject(live) {
		kind := "an object of the release"
		if byHelm {
			kind = "a hook that helm has made"
		}
		return tracked.Refused(failure.ReasonAlreadyExists, "%s, %s, has not ended. It was not touched.\n"+
			"Next: wait until it has ended, or delete it %s, and run the command again.", cluster.RefOf(live), kind,
			kinds.LostWith(live.GroupVersionKind().GroupKind()))
	}
	return tracked.Refused(failure.ReasonAlreadyExists, "%s exists already, and this %s did not make it. It was not touched.\nNext: %s.",
		cluster.RefOf(live), maker, next)
}

// mayExist reports whether an object may be in the cluster after an attempt to make it, which ended with err.
func mayExist(err error) bool {
	return err == nil || !tracked.HadNoEffect(err)
}

// attempts is how often create frees a name: someone else may take it in the meantime.
const attempts = 3

// create makes an object, or returns the object that an earlier process has made for the same run.
func (r *run) create(ctx context.Context, object *unstructured.Unstructured, o madeObject) (*unstructured.Unstructured, error) {
	r.sign(object, o.madeFor)
	var err error
	for range attempts {
		var answer cluster.ApplyResult
		answer, err = o.target.Cluster.Apply(ctx, object, cluster.ApplyOptions{FieldManager: o.target.Manager, CreateOnly: true})
		if !apierrors.IsConflict(err) && !failure.IsUnconvertible(err) { // either error says that the object exists
			return answer.Object, err
		}
		if live, failed := r.makeRoom(ctx, o); live != nil || failed != nil {
			return live, failed
		}
	}
	return nil, err
}

// makeRoom returns the object of this run, if it exists, and removes an object that an earlier run has left under its name. A nil
// object means that the name is free.
func (r *run) makeRoom(ctx context.Context, o madeObject) (*unstructured.Unstructured, error) {
	live, err := o.target.Cluster.Get(ctx, o.target.Ref)
	if err != nil {
		return nil, unlessNotFound(err)
	}
	from, err := r.origin(live, o)
	switch {
	case err != nil:
		return nil, err
	case from == elsewhere:
		return nil, r.refuse(live, o)
	case from == thisRun && !(o.passing && live.GetDeletionTimestamp() != nil), isDefinition(o.target):
		return live, nil
	default:
		return nil, remove(ctx, o.target.Cluster, o.target.Ref, live.GetUID())
	}
}

// isDefinition reports whether t is a CustomResourceDefinition: deleting it deletes all objects of its kind. Helm does not delete
// such hooks either.
func isDefinition(t tracked.Target) bool {
	return t.Identity().GroupKind() == kinds.CustomResourceDefinition
}

// remove deletes an object that an earlier run has made, and waits until the object and its pods are gone.
func remove(ctx context.Context, clu *cluster.Cluster, ref cluster.Ref, uid types.UID) error {
	kind := manifest.Identity(ref).GroupKind()
	propagation := metav1.DeletePropagationBackground
	if kinds.HasDependents(kind) {
		propagation = metav1.DeletePropagationForeground
	}
	result, err := clu.Delete(ctx, ref, cluster.DeleteOptions{UID: uid, Propagation: propagation})
	if err != nil || result.Gone {
		return err
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, kinds.DeletionTimeout(kind))
		defer cancel()
	}
	if err = clu.AwaitDeleted(ctx, ref, result.Object, nil); err != nil {
		return failure.Errorf(failure.ReasonDeleteTimedOut, "%s, which an earlier run has left, is still there, but marked for deletion. "+
			"The deletion continues in the cluster. Run the command again; it continues here: %w", ref, err)
	}
	return nil
}

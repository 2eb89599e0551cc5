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

// The annotations of all that a run makes. The first also gives objects without any content a field that the field manager
// owns.
const (
	// madeBy is the field manager of the resource that has made the object.
	madeBy = "k8sconnect.io/task"
	// madeFor is the name of the run or, for what several hooks need, of the event of the release.
	madeFor = "k8sconnect.io/run"
	// ofRelease is the release whose hook it is.
	ofRelease = "k8sconnect.io/release"
	// hookOfHelm is what charts write on their hooks, and so what helm leaves on those that it has made.
	hookOfHelm = "helm.sh/hook"
)

// sign marks an object as made by a run. of is what it is made for.
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

// madeObject is a place in which a run makes an object: what is run, or what is there for it alone.
type madeObject struct {
	target tracked.Target
	// madeFor is the name of what it is made for: the run, or the event of a release.
	madeFor string
	// named means that the name itself tells the run from all others.
	named bool
	// passing means that the object is of no use while it is being deleted.
	passing bool
	// next is what to do about an object of others that has the name.
	next string
}

// madeIn says where an object comes from that has one of the run's names.
type madeIn int

const (
	// thisRun is the run itself, perhaps in a process that was killed, or another hook of the event that the object is made for.
	thisRun madeIn = iota
	// earlierRun is another run of this Task or of another hook of the release, one of helm's, or a version of the chart in which
	// the object is no hook. Its objects make room.
	earlierRun
	// elsewhere means that the object must not be touched.
	elsewhere
)

// origin finds out where an object comes from.
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

// isOfRelease reports whether another hook of the same release has made an object. What the annotations say must also be true of
// its field managers: nothing of others is ever replaced.
func (r *run) isOfRelease(live *unstructured.Unstructured) bool {
	annotations := live.GetAnnotations()
	by := annotations[madeBy]
	if r.in.hook == nil || annotations[ofRelease] != r.in.hook.release || !strings.HasPrefix(by, ownership.ManagerPrefix) {
		return false
	}
	_, applied, err := ownership.Applied(live, by)
	return err == nil && applied
}

// isOfEvent reports whether a hook of the same release has made an object, and for this: the name of a run stands for one hook, so it is
// an event. It is no more if a KubeObject has taken it over.
func (r *run) isOfEvent(live *unstructured.Unstructured, of string) bool {
	return of != "" && live.GetAnnotations()[madeFor] == of && r.isOfRelease(live) && tracked.KubeObjectOf(live, live.GetAnnotations()[madeBy]) == ""
}

// mayTakeOver reports whether an object is a hook that helm has made, of a release that is being taken over. Helm would also replace
// what holds data.
func (r *run) mayTakeOver(live *unstructured.Unstructured) bool {
	return r.in.hook != nil && r.in.hook.takeOver && live.GetAnnotations()[hookOfHelm] != "" && tracked.KubeObjectOf(live) == "" &&
		!kinds.HoldsData(live.GroupVersionKind().GroupKind())
}

// wasObject reports whether an object is one of the release itself: in another version of the chart, it was no hook, or one that
// nothing deleted. What holds data is not replaced.
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

// mayExist reports whether an object may be in the cluster, after an attempt to make it that ended in an error or in none.
func mayExist(err error) bool {
	return err == nil || !tracked.HadNoEffect(err)
}

// attempts is how often the way to a name is cleared, which others may take meanwhile.
const attempts = 3

// create makes an object. If an earlier process has made it for the same run, it is that one.
func (r *run) create(ctx context.Context, object *unstructured.Unstructured, o madeObject) (*unstructured.Unstructured, error) {
	r.sign(object, o.madeFor)
	var err error
	for range attempts {
		var answer cluster.ApplyResult
		answer, err = o.target.Cluster.Apply(ctx, object, cluster.ApplyOptions{FieldManager: o.target.Manager, CreateOnly: true})
		if !apierrors.IsConflict(err) && !failure.IsUnconvertible(err) { // either says that there is an object
			return answer.Object, err
		}
		if live, failed := r.makeRoom(ctx, o); live != nil || failed != nil {
			return live, failed
		}
	}
	return nil, err
}

// makeRoom looks for an object of this run, and removes what an earlier run has left under its name. nil means that the name is
// free.
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

// isDefinition reports whether all objects of a kind would go with an object. Helm does not delete such hooks either.
func isDefinition(t tracked.Target) bool {
	return t.Identity().GroupKind() == kinds.CustomResourceDefinition
}

// remove deletes what an earlier run has made, and waits until it is gone, with its pods.
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

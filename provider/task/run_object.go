package task

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// keptFor is how many seconds a Job that nobody asked to keep stays after its end. Until the state is saved, it is the only
// evidence that the run has succeeded.
const keptFor = 600

// timeToLive is the field of a Job that has it removed some time after its end.
var timeToLive = []string{"spec", "ttlSecondsAfterFinished"}

// madeBy is the annotation of all that a Task makes. It says whose it is, and gives objects without any content a field that the
// field manager owns.
const madeBy = "k8sconnect.io/task"

// sign marks an object as made by a Task.
func sign(object *unstructured.Unstructured, manager string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[madeBy] = manager
	object.SetAnnotations(annotations)
}

// objectOf returns the object of a run as it is sent. A Job has no time to live before its end has been seen.
func (in inputs) objectOf(id manifest.Identity) *unstructured.Unstructured {
	content, _ := values.DeepCopy(in.object).(map[string]any)
	object := &unstructured.Unstructured{Object: content}
	object.SetName(id.Name)
	object.SetNamespace(id.Namespace)
	if isJob(id.GroupKind()) {
		unstructured.RemoveNestedField(object.Object, timeToLive...)
	}
	return object
}

// find reads the object of the run; nil means that there is none. An object of that name that this Task has not made is an error.
func (r *run) find(ctx context.Context) (*unstructured.Unstructured, error) {
	live, err := r.target.Cluster.Get(ctx, r.target.Ref)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return live, r.requireOwn(live, "a Task runs objects that it has made itself. Give the manifest another name, or delete that object")
}

// requireOwn refuses an object that this Task has not made.
func (r *run) requireOwn(live *unstructured.Unstructured, next string) error {
	_, ours, err := ownership.Applied(live, r.target.Manager)
	switch {
	case err != nil:
		return err
	case ours:
		return nil
	case !tracked.NamesOwners(live):
		return tracked.Refused(failure.ReasonManagedFieldsMissing, "%s exists, and the response has no metadata.managedFields, so the provider cannot tell "+
			"whether this Task made it. It was not touched.\nLook for a proxy that removes metadata.managedFields, and run the command again.", cluster.RefOf(live))
	default:
		return tracked.Refused(failure.ReasonAlreadyExists, "%s exists already, and this Task did not make it. It was not touched.\nNext: %s.", cluster.RefOf(live), next)
	}
}

// make creates the object of the run, or finds the one that an earlier process has made for the same run.
func (r *run) make(ctx context.Context) (*unstructured.Unstructured, error) {
	object := r.in.objectOf(r.target.Identity())
	sign(object, r.target.Manager)
	answer, err := r.target.Cluster.Apply(ctx, object, cluster.ApplyOptions{FieldManager: r.target.Manager, CreateOnly: true})
	if !apierrors.IsConflict(err) {
		return answer.Object, err
	}
	live, failed := r.find(ctx)
	if live == nil && failed == nil {
		return nil, err // It went between the two requests.
	}
	return live, failed
}

// retire has an object go that has ended and that nobody asked to keep, and gives one that is kept the time to live of the
// manifest. stays means that nothing will remove it. A Pod has no time to live: it stays until the next run.
func (r *run) retire(ctx context.Context, live *unstructured.Unstructured, succeeded bool) (stays bool, err error) {
	keep := r.in.keep == keepAlways || r.in.keep == keepFailed && !succeeded
	if !isJob(live.GroupVersionKind().GroupKind()) {
		return true, nil
	}
	wanted, given, _ := unstructured.NestedInt64(r.in.object, timeToLive...)
	switch {
	case keep && !given:
		return true, nil
	case !keep && given:
		wanted = min(wanted, keptFor)
	case !keep:
		wanted = keptFor
	}
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"spec":{"ttlSecondsAfterFinished":%d}}`, live.GetUID(), wanted)
	_, err = r.target.Cluster.Patch(ctx, r.target.Ref, patch, cluster.PatchOptions{Type: types.MergePatchType, FieldManager: r.target.Manager})
	if failure.Gone(err) || apierrors.IsConflict(err) {
		err = nil // It is gone already.
	}
	return false, err
}

// remove deletes the object of an earlier run, and waits until its pods are gone.
func remove(ctx context.Context, clu *cluster.Cluster, ref cluster.Ref, uid types.UID) error {
	result, err := clu.Delete(ctx, ref, cluster.DeleteOptions{UID: uid, Propagation: metav1.DeletePropagationForeground})
	if err != nil || result.Gone {
		return err
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, kinds.DeletionTimeout(manifest.Identity(ref).GroupKind()))
		defer cancel()
	}
	if err = clu.AwaitDeleted(ctx, ref, result.Object, nil); err != nil {
		return failure.Errorf(failure.ReasonDeleteTimedOut, "%s, which an earlier run of this Task made, is still there, but marked for deletion. "+
			"The deletion continues in the cluster. Run the command again; it continues here: %w", ref, err)
	}
	return nil
}

package task

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// keptFor is how many seconds a Job stays after its end if no one asked to keep it. Until the state is saved, it is the only
// evidence that the run has succeeded.
const keptFor = 600

// failureKeptFor is how many seconds a Job stays that has failed and that no state remembers: long enough to find out why.
const failureKeptFor = 24 * 60 * 60

// timeToLive is the field that has a Job removed some time after its end.
var timeToLive = []string{"spec", "ttlSecondsAfterFinished"}

// objectOf returns the object of a run as it is sent. A Job gets a time to live only when its end has been seen.
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

// runObject describes the object of the run. Other runs leave it alone unless its name is fixed.
func (r *run) runObject() madeObject {
	return madeObject{
		target: r.target, madeFor: r.name, named: r.in.hook == nil,
		next: "a Task runs objects that it has made itself. Give the manifest another name, or delete that object",
	}
}

// find reads the object of the run; nil means that it does not exist.
func (r *run) find(ctx context.Context) (*unstructured.Unstructured, error) {
	live, err := r.target.Cluster.Get(ctx, r.target.Ref)
	if err != nil {
		return nil, unlessNotFound(err)
	}
	if from, err := r.origin(live, r.runObject()); err != nil || from != thisRun {
		return nil, err
	}
	return live, nil
}

// make creates the object of the run, or finds the object that an earlier process has made for the same run.
func (r *run) make(ctx context.Context) (*unstructured.Unstructured, error) {
	return r.create(ctx, r.in.objectOf(r.target.Identity()), r.runObject())
}

// retire sets the time to live of a Job that has ended: for a kept Job the one from its manifest, or [failureKeptFor] if nothing
// else would ever remove it, for any other Job at most keptFor. stays means that nothing will remove the object. A Pod has no time to live: it stays until the next run.
func (r *run) retire(ctx context.Context, live *unstructured.Unstructured, end outcome) (stays bool, err error) {
	if !isJob(live.GroupVersionKind().GroupKind()) {
		return true, nil
	}
	keep := r.in.keeps(end)
	wanted, given, _ := unstructured.NestedInt64(r.in.object, timeToLive...)
	switch {
	case keep && !given && r.unremembered && end == afterFailure:
		wanted = failureKeptFor
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

func unlessNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// DeleteOptions are the options of [Cluster.Delete].
type DeleteOptions struct {
	// UID is what the object must have to be deleted. Empty deletes whatever has the name.
	UID types.UID
	// Version is the resourceVersion that an object with this UID must have to be deleted. Empty allows any.
	Version string
	// Propagation says what happens to dependents; empty leaves the API server's default.
	Propagation metav1.DeletionPropagation
}

// DeleteResult is what a delete led to.
type DeleteResult struct {
	// Gone says that there is nothing to wait for: the object was deleted at once or was not there.
	Gone bool
	// Absent says that there was nothing to delete: no such object, no such kind, or another object by now. Gone is true.
	Absent bool
	// Replaced says that another object has the name now. It was left alone, and Absent is true.
	Replaced bool
	// Changed is the object if it has another resourceVersion than was asked for. It was left alone.
	Changed *unstructured.Unstructured
	// Object is the object while it is terminating, to be given to [Cluster.AwaitDeleted].
	Object *unstructured.Unstructured
}

// Delete asks the API server to delete an object. An object that is not there, whose kind is no longer defined, or that
// has another UID than was asked for, is a success: there is nothing to delete.
func (c *Cluster) Delete(ctx context.Context, ref Ref, options DeleteOptions) (DeleteResult, error) {
	resource, path, err := c.locate(ctx, ref, c.existing)
	if err != nil {
		return goneIfAbsent(err)
	}
	body, err := json.Marshal(options.body())
	if err != nil {
		return DeleteResult{}, fmt.Errorf("%s: %w", ref, &failure.NotSentError{Err: err})
	}
	answer, err := c.routed(ctx, ref, resource, func() (reply, error) { return c.write(ctx, c.client.Delete().AbsPath(path...).Body(body)) })
	switch {
	case apierrors.IsConflict(err) && options.UID != "":
		return c.whoseIsIt(ctx, ref, options, err)
	case err != nil:
		return goneIfAbsent(c.answerTo(ctx, ref, resource, err))
	}
	object, err := decode(answer, "")
	if err != nil {
		return DeleteResult{}, fmt.Errorf("%s: %w", ref, err)
	}
	if object.GetKind() == "Status" && object.GetAPIVersion() == "v1" {
		return DeleteResult{Gone: true}, nil
	}
	if terminating(object) {
		return DeleteResult{Object: object}, nil
	}
	// Some kinds (ServiceAccount, Service, PersistentVolumeClaim) answer with the object although it is gone. A watch
	// from its resourceVersion would then never see the deletion.
	result, err := c.afterDelete(ctx, ref, object.GetUID())
	result.Absent, result.Replaced = false, false // it was there until now
	return result, err
}

func (o DeleteOptions) body() metav1.DeleteOptions {
	body := metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"}}
	if o.UID != "" {
		body.Preconditions = &metav1.Preconditions{UID: &o.UID}
		if o.Version != "" {
			body.Preconditions.ResourceVersion = &o.Version
		}
	}
	if o.Propagation != "" {
		body.PropagationPolicy = &o.Propagation
	}
	return body
}

// terminating reports whether something visibly holds the object, so that it cannot be gone yet.
func terminating(object *unstructured.Unstructured) bool {
	if object.GetDeletionTimestamp() == nil {
		return false
	}
	grace := object.GetDeletionGracePeriodSeconds()
	held, _, _ := unstructured.NestedSlice(object.Object, "spec", "finalizers") // a Namespace's
	return len(object.GetFinalizers()) > 0 || len(held) > 0 || (grace != nil && *grace > 0)
}

// afterDelete looks whether the object with this UID is still there.
func (c *Cluster) afterDelete(ctx context.Context, ref Ref, uid types.UID) (DeleteResult, error) {
	live, err := c.Get(ctx, ref)
	switch {
	case err != nil:
		return goneIfAbsent(err)
	case live.GetUID() != uid:
		return DeleteResult{Gone: true, Absent: true, Replaced: true}, nil
	default:
		return DeleteResult{Object: live}, nil
	}
}

// whoseIsIt finds out why a delete with a UID was refused: another object has the name, the object has changed, or a real conflict.
func (c *Cluster) whoseIsIt(ctx context.Context, ref Ref, options DeleteOptions, refusal error) (DeleteResult, error) {
	result, err := c.afterDelete(ctx, ref, options.UID)
	switch {
	case err != nil, result.Gone:
		return result, err
	case options.Version != "" && result.Object.GetResourceVersion() != options.Version:
		return DeleteResult{Changed: result.Object}, nil
	default:
		return DeleteResult{}, fmt.Errorf("%s: %w", ref, refusal)
	}
}

// goneIfAbsent takes the two answers that prove absence for success. Any other error says nothing about the object.
func goneIfAbsent(err error) (DeleteResult, error) {
	if failure.Gone(err) {
		return DeleteResult{Gone: true, Absent: true}, nil
	}
	return DeleteResult{}, err
}

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
	// UID is the UID that the object must have to be deleted. If it is empty, any object with the name is deleted.
	UID types.UID
	// Version is the resourceVersion that an object with this UID must have to be deleted. Empty allows any.
	Version string
	// Propagation says what happens to dependents; empty leaves the API server's default.
	Propagation metav1.DeletionPropagation
}

// DeleteResult is the result of a delete.
type DeleteResult struct {
	// Gone means that there is nothing to wait for: the object was deleted at once or did not exist.
	Gone bool
	// Absent means that there was nothing to delete: the object or its kind does not exist, or another object has the
	// name. Gone is then true.
	Absent bool
	// Replaced means that another object now has the name. It was left alone, and Absent is true.
	Replaced bool
	// Changed is the object if its resourceVersion is not the requested one. It was left alone.
	Changed *unstructured.Unstructured
	// Object is the terminating object, for [Cluster.AwaitDeleted].
	Object *unstructured.Unstructured
}

// Delete asks the API server to delete an object. It succeeds as well if there is nothing to delete: the object does
// not exist, its kind is no longer defined, or it has another UID than requested.
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
	// from its resourceVersion would never see the deletion.
	result, err := c.afterDelete(ctx, ref, object.GetUID())
	result.Absent, result.Replaced = false, false // it existed until now
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
	held, _, _ := unstructured.NestedSlice(object.Object, "spec", "finalizers") // of a Namespace
	return len(object.GetFinalizers()) > 0 || len(held) > 0 || (grace != nil && *grace > 0)
}

// afterDelete checks whether the object with this UID still exists.
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

// whoseIsIt finds out why a delete with a UID was refused: another object has the name, the object has changed, or
// there is a real conflict.
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

// goneIfAbsent converts the errors that prove absence to success. Any other error says nothing about the object.
func goneIfAbsent(err error) (DeleteResult, error) {
	if failure.Gone(err) {
		return DeleteResult{Gone: true, Absent: true}, nil
	}
	return DeleteResult{}, err
}

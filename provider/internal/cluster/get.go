package cluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Get reads an object. If it is absent, apierrors.IsNotFound is true for the error.
func (c *Cluster) Get(ctx context.Context, ref Ref) (*unstructured.Unstructured, error) {
	resource, path, err := c.locate(ctx, ref, c.existing)
	if err != nil {
		return nil, err
	}
	answer, err := c.routed(ctx, ref, resource, func() (reply, error) { return c.read(ctx, c.client.Get().AbsPath(path...)) })
	if err != nil {
		return nil, c.answerTo(ctx, ref, resource, err)
	}
	object, err := decode(answer, ref.Kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return object, nil
}

// decode decodes an answer that must be an object of this kind; an empty kind allows any. A proxy in front of the API
// server may also answer with a Status. The error leaves out the cause, which may quote the object.
func decode(answer reply, kind string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(answer.body); err != nil || kind != "" && object.GetKind() != kind {
		return nil, &failure.UnreadableReplyError{Code: answer.code}
	}
	return object, nil
}

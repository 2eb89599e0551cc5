package cluster

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Get reads an object. An absent object is an error for which apierrors.IsNotFound holds.
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

// decode understands an answer that is an object of this kind, or of any where it is empty. What is between here and the
// API server may answer with a Status, too. The cause of a failure is left out: it may quote the object.
func decode(answer reply, kind string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(answer.body); err != nil || kind != "" && object.GetKind() != kind {
		return nil, &failure.UnreadableReplyError{Code: answer.code}
	}
	return object, nil
}

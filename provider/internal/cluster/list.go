package cluster

import (
	"context"
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ListOptions say which objects [Cluster.List] gives. It is for narrow questions, such as the pods of one workload.
type ListOptions struct {
	APIVersion string
	Kind       string
	// Namespace to look in; empty means all namespaces.
	Namespace string
	// LabelSelector and FieldSelector narrow the list.
	LabelSelector string
	FieldSelector string
	// Limit is the most objects to give; 0 means all.
	Limit int64
}

// List reads objects in one request.
func (c *Cluster) List(ctx context.Context, options ListOptions) (*unstructured.UnstructuredList, error) {
	subject := "list of " + options.Kind
	resource, err := c.Resource(ctx, options.APIVersion, options.Kind)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	path, err := collectionPath(resource, options.Namespace)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	request := c.client.Get().AbsPath(path...)
	if options.LabelSelector != "" {
		request.Param("labelSelector", options.LabelSelector)
	}
	if options.FieldSelector != "" {
		request.Param("fieldSelector", options.FieldSelector)
	}
	if options.Limit > 0 {
		request.Param("limit", strconv.FormatInt(options.Limit, 10))
	}
	answer, err := c.read(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	list := &unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(answer.body); err != nil {
		return nil, fmt.Errorf("%s: %w", subject, &failure.UnreadableReplyError{Code: answer.code})
	}
	return list, nil
}

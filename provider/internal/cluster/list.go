package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

const (
	// pageSize is how many objects [Cluster.ListMetadata] asks for at a time.
	pageSize = 500
	// metadataOnly asks for lists without the contents of the objects.
	metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// ListMetadata gives the metadata of all objects of a resource, in all namespaces, page by page. It ends early where take
// returns false. The resource is asked for as it is named, without discovery.
func (c *Cluster) ListMetadata(
	ctx context.Context, resource schema.GroupVersionResource, take func(page []metav1.PartialObjectMetadata, last bool) bool,
) error {
	subject := "list of " + resource.GroupResource().String()
	path, err := collectionPath(Resource{GroupVersionResource: resource}, "")
	if err != nil {
		return fmt.Errorf("%s: %w", subject, err)
	}
	for token := ""; ; {
		request := c.client.Get().AbsPath(path...).
			SetHeader("Accept", metadataOnly).Param("limit", strconv.Itoa(pageSize))
		if token != "" {
			request.Param("continue", token)
		}
		answer, err := c.read(ctx, request)
		if err != nil {
			return fmt.Errorf("%s: %w", subject, err)
		}
		var page metav1.PartialObjectMetadataList
		if err := json.Unmarshal(answer.body, &page); err != nil || page.Kind != "PartialObjectMetadataList" {
			// Nothing that is not such a list may pass for an empty one.
			return fmt.Errorf("%s: %w", subject, &failure.UnreadableReplyError{Code: answer.code})
		}
		token = page.Continue
		if !take(page.Items, token == "") || token == "" {
			return nil
		}
	}
}

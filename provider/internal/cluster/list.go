package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ListOptions select the objects that [Cluster.List] returns. They are meant for narrow queries, such as the pods of
// one workload.
type ListOptions struct {
	APIVersion string
	Kind       string
	// Namespace is the namespace to look in; empty means all namespaces.
	Namespace string
	// LabelSelector and FieldSelector narrow the list.
	LabelSelector string
	FieldSelector string
	// Limit is the maximum number of objects; 0 means all.
	Limit int64
	// MetadataOnly means that the objects have only their identity and metadata.
	MetadataOnly bool
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
	request := options.narrow(c.client.Get().AbsPath(path...))
	if options.Limit > 0 {
		request.Param("limit", strconv.FormatInt(options.Limit, 10))
	}
	answer, err := c.read(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	list, err := decodeList(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subject, err)
	}
	return list, nil
}

// narrow adds to a request what it asks for.
func (o ListOptions) narrow(request *rest.Request) *rest.Request {
	if o.LabelSelector != "" {
		request.Param("labelSelector", o.LabelSelector)
	}
	if o.FieldSelector != "" {
		request.Param("fieldSelector", o.FieldSelector)
	}
	if o.MetadataOnly {
		request.SetHeader("Accept", metadataOnly)
	}
	return request
}

// decodeList decodes an answer that must be a list: nothing else may count as an empty list. A definition chooses the
// name of its list kind, so that need not end in List.
func decodeList(answer reply) (*unstructured.UnstructuredList, error) {
	list := &unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(answer.body); err != nil || list.GetKind() == "" || list.GetKind() == "Status" {
		return nil, &failure.UnreadableReplyError{Code: answer.code}
	}
	return list, nil
}

const (
	// pageSize is the number of objects in a page.
	pageSize = 500
	// metadataOnly asks for lists with only the metadata of the objects, and metadataOfOne for an object.
	metadataOnly  = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	metadataOfOne = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
)

// ListAll reads all objects, or the first options.Limit, page by page. More means that the limit left objects out.
//
// If reading takes so long that the API server has forgotten the beginning of the list, ListAll reads the list again in
// one piece: pages of two lists do not make one list.
func (c *Cluster) ListAll(
	ctx context.Context, resource Resource, options ListOptions,
) (objects []unstructured.Unstructured, more bool, err error) {
	subject := "list of " + options.Kind
	path, err := collectionPath(resource, options.Namespace)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", subject, err)
	}
	size, token := int64(pageSize), ""
	if options.Limit > 0 {
		size = min(size, options.Limit+1)
	}
	for {
		request := options.narrow(c.client.Get().AbsPath(path...))
		if size > 0 {
			request.Param("limit", strconv.FormatInt(size, 10))
		}
		if token != "" {
			request.Param("continue", token)
		}
		answer, err := c.read(ctx, request)
		switch {
		case token != "" && apierrors.IsResourceExpired(err):
			objects, token, size = nil, "", 0
			continue
		case err != nil:
			return nil, false, fmt.Errorf("%s: %w", subject, err)
		}
		page, err := decodeList(answer)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", subject, err)
		}
		objects, token = append(objects, page.Items...), page.GetContinue()
		// One object more than the limit means that there are more. A continue token does not mean that: what follows
		// may not match the selectors.
		if more = options.Limit > 0 && int64(len(objects)) > options.Limit; more {
			objects = objects[:options.Limit]
		}
		if more || token == "" {
			break
		}
	}
	for i := range objects {
		objects[i].SetAPIVersion(options.APIVersion)
		objects[i].SetKind(options.Kind)
	}
	return objects, more, nil
}

// ListMetadata passes the metadata of all objects of a resource, in all namespaces, to take, page by page. It ends
// early if take returns false. It uses the resource as given, without discovery.
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
			// Nothing else may count as an empty list.
			return fmt.Errorf("%s: %w", subject, &failure.UnreadableReplyError{Code: answer.code})
		}
		token = page.Continue
		if !take(page.Items, token == "") || token == "" {
			return nil
		}
	}
}

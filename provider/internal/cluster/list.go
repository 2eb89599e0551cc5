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

// narrow adds the selectors to a request.
func (o ListOptions) narrow(request *rest.Request) *rest.Request {
	if o.LabelSelector != "" {
		request.Param("labelSelector", o.LabelSelector)
	}
	if o.FieldSelector != "" {
		request.Param("fieldSelector", o.FieldSelector)
	}
	return request
}

// decodeList understands an answer that is a list. Nothing else may pass for an empty one. Definitions choose the names of
// their lists, so the kind need not end in List.
func decodeList(answer reply) (*unstructured.UnstructuredList, error) {
	list := &unstructured.UnstructuredList{}
	if err := list.UnmarshalJSON(answer.body); err != nil || list.GetKind() == "" || list.GetKind() == "Status" {
		return nil, &failure.UnreadableReplyError{Code: answer.code}
	}
	return list, nil
}

const (
	// pageSize is how many objects a list is asked for at a time.
	pageSize = 500
	// metadataOnly asks for lists without the contents of the objects.
	metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// ListAll reads all objects, or the first options.Limit, page by page. More says that the limit left objects out. With
// metadata true, the objects have nothing but their identity and metadata.
//
// A list that takes so long that the API server has forgotten its beginning is read again in one piece: the pages of two
// lists are not one list.
func (c *Cluster) ListAll(
	ctx context.Context, resource Resource, options ListOptions, metadata bool,
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
		if metadata {
			request.SetHeader("Accept", metadataOnly)
		}
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
		// One more than the limit says that there are more. That the list goes on does not: what follows may not match the
		// selectors.
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

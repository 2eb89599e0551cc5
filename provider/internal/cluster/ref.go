package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Ref names one object. The verbs take it as it is; [Cluster.Resolve] fills in what depends on the cluster.
type Ref struct {
	APIVersion string
	Kind       string
	// Namespace is empty exactly for cluster-scoped kinds.
	Namespace string
	Name      string
}

// RefOf names an object.
func RefOf(object *unstructured.Unstructured) Ref {
	return Ref{
		APIVersion: object.GetAPIVersion(),
		Kind:       object.GetKind(),
		Namespace:  object.GetNamespace(),
		Name:       object.GetName(),
	}
}

// String names the object for people: "ConfigMap prod/web", "Namespace prod".
func (r Ref) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// Resolved is a reference made complete.
type Resolved struct {
	Ref
	// Resource is how the kind is served.
	Resource Resource
	// NamespaceIgnored says that a namespace was given for a cluster-scoped kind and dropped.
	NamespaceIgnored bool
}

// Resolve makes a reference complete: a namespaced kind without a namespace gets the default one, and a cluster-scoped
// kind loses its namespace. Errors are those of [Cluster.Resource].
func (c *Cluster) Resolve(ctx context.Context, apiVersion, kind, namespace, name string) (Resolved, error) {
	resource, err := c.Resource(ctx, apiVersion, kind)
	if err != nil {
		return Resolved{}, err
	}
	resolved := Resolved{
		Ref:      Ref{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name},
		Resource: resource,
	}
	switch {
	case !resource.Namespaced:
		resolved.NamespaceIgnored = namespace != ""
		resolved.Namespace = ""
	case namespace == "":
		resolved.Namespace = c.namespace
	}
	return resolved, nil
}

// Find is [Cluster.Resolve] for an object that exists already. Where a version of an API is no longer served, its objects
// live on in the others, so another version of the group that has the kind takes its place in the reference. If there is
// none, and was none a second ago, the error is a *[KindNotServedError], which [Cluster.ConfirmGone] has completed; if that
// cannot be found out, it says why.
func (c *Cluster) Find(ctx context.Context, apiVersion, kind, namespace, name string) (Resolved, error) {
	for {
		resolved, err := c.Resolve(ctx, apiVersion, kind, namespace, name)
		var notServed *KindNotServedError
		if !errors.As(err, &notServed) {
			return resolved, err
		}
		version, failed := c.otherVersion(ctx, notServed)
		switch {
		case failed != nil:
			return Resolved{}, failed
		case version != "":
			return c.Resolve(ctx, version, kind, namespace, name)
		}
		doubted, failed := c.doubt(ctx, notServed)
		switch {
		case failed != nil:
			return Resolved{}, failed
		case !doubted:
			return Resolved{}, c.ConfirmGone(ctx, err)
		}
	}
}

// lookup is how the resource of a kind is found: [Cluster.Resource], or [Cluster.existing] for an object that was there.
type lookup func(ctx context.Context, apiVersion, kind string) (Resource, error)

// locate finds the URL path of an object. Its errors say that nothing was sent.
func (c *Cluster) locate(ctx context.Context, ref Ref, find lookup) (Resource, []string, error) {
	resource, err := find(ctx, ref.APIVersion, ref.Kind)
	if err != nil {
		return Resource{}, nil, fmt.Errorf("%s: %w", ref, &failure.NotSentError{Err: err})
	}
	path, err := collectionPath(resource, ref.Namespace)
	if err == nil {
		err = pathSegment("name", ref.Name)
	}
	if err != nil {
		return Resource{}, nil, fmt.Errorf("%s: %w", ref, &failure.NotSentError{Err: err})
	}
	return resource, append(path, ref.Name), nil
}

// collectionPath is the URL path of all objects of a kind in a namespace, or everywhere if it is empty.
func collectionPath(resource Resource, namespace string) ([]string, error) {
	path := groupVersionPath(resource.GroupVersion())
	if resource.Namespaced && namespace != "" {
		if err := pathSegment("namespace", namespace); err != nil {
			return nil, err
		}
		path = append(path, "namespaces", namespace)
	}
	return append(path, resource.GroupVersionResource.Resource), nil
}

// pathSegment refuses names that would change the meaning of the URL.
func pathSegment(what, name string) error {
	if name == "" {
		return failure.Errorf(failure.ReasonInvalid, "%s is empty", what)
	}
	if problems := rest.IsValidPathSegmentName(name); len(problems) > 0 {
		return failure.Errorf(failure.ReasonInvalid, "%s %q %s", what, name, problems[0])
	}
	return nil
}

// answerTo puts the subject before an error. A 404 that names nothing counts only if the server finds kube-system. One that is
// about the URL says that the kind is no longer served as discovery said, so discovery is asked again: it alone may say that
// a kind is gone.
func (c *Cluster) answerTo(ctx context.Context, ref Ref, resource Resource, err error) error {
	if namesNothing(err) {
		// An aggregated API server may answer like that, and so may a gateway that has lost the cluster: then it does not
		// find kube-system either.
		if _, lost := c.fetchID(ctx); lost != nil {
			return failure.Errorf(failure.ReasonUnexpectedAnswer, "%s: the server answers 404 without naming the object, and the namespace kube-system cannot be read: %w", ref, hideStatus(lost))
		}
	}
	if !unrouted(err) {
		return fmt.Errorf("%s: %w", ref, err)
	}
	if failed := c.lists(ctx, ref, resource); failed != nil {
		return fmt.Errorf("%s: %w", ref, failed)
	}
	return failure.Errorf(failure.ReasonUnexpectedAnswer, "%s: the server lists the kind and answers 404 to its path %w", ref, hideStatus(err))
}

// lists asks discovery again for a kind. The error says that it has none, or why that cannot be found out.
func (c *Cluster) lists(ctx context.Context, ref Ref, resource Resource) error {
	c.discovery.forget(resource.GroupVersion())
	_, err := c.existing(ctx, ref.APIVersion, ref.Kind)
	return err
}

// How long, and how often, a request is repeated whose path is not there yet.
const (
	routedWithin = 5 * time.Second
	routedEvery  = 250 * time.Millisecond
)

// routed repeats a request while the server lists the kind and does not have its path: that of a definition which was just made again.
// Nothing has seen such a request.
func (c *Cluster) routed(ctx context.Context, ref Ref, resource Resource, send func() (reply, error)) (reply, error) {
	answer, err := send()
	for waited := time.Duration(0); waited < routedWithin && unrouted(err) && c.lists(ctx, ref, resource) == nil; waited += routedEvery {
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(routedEvery):
		}
		answer, err = send()
	}
	return answer, err
}

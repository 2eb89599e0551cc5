package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// Ref names one object. The verbs use it unchanged; [Cluster.Resolve] fills in what depends on the cluster.
type Ref struct {
	APIVersion string
	Kind       string
	// Namespace is empty if and only if the kind is cluster-scoped.
	Namespace string
	Name      string
}

// RefOf returns the reference of an object.
func RefOf(object *unstructured.Unstructured) Ref {
	return Ref{
		APIVersion: object.GetAPIVersion(),
		Kind:       object.GetKind(),
		Namespace:  object.GetNamespace(),
		Name:       object.GetName(),
	}
}

// String formats the reference for people: "ConfigMap prod/web", "Namespace prod".
func (r Ref) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// Resolved is a completed reference.
type Resolved struct {
	Ref
	// Resource describes how the kind is served.
	Resource Resource
	// NamespaceIgnored means that a namespace was given for a cluster-scoped kind and dropped.
	NamespaceIgnored bool
}

// Resolve completes a reference: a namespaced kind without a namespace gets the default one, and a cluster-scoped kind
// loses its namespace. It returns the errors of [Cluster.Resource].
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

// Find runs [Cluster.Resolve] for an object that already exists. If a version of an API is no longer served, its
// objects live on in the other versions, so Find replaces the version in the reference by another version of the group
// that has the kind. If there is none, and there was none a second ago, the error is a *[KindNotServedError], completed
// by [Cluster.ConfirmGone]. If Find cannot find that out, the error says why.
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

// lookup finds the resource of a kind: [Cluster.Resource], or [Cluster.existing] for an object that existed before.
type lookup func(ctx context.Context, apiVersion, kind string) (Resource, error)

// locate returns the URL path of an object. Its errors are marked as not sent.
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

// collectionPath returns the URL path of all objects of a kind in a namespace, or in all namespaces if namespace is
// empty.
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

// answerTo adds the object's name to an error. It accepts a 404 that names nothing only if the server finds the
// namespace kube-system. A 404 for the URL itself means that discovery may be outdated, so answerTo repeats discovery:
// only discovery may say that a kind is gone.
func (c *Cluster) answerTo(ctx context.Context, ref Ref, resource Resource, err error) error {
	if namesNothing(err) {
		// Some aggregated API servers answer like this. So does a gateway that has lost the cluster, but it does not
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

// lists repeats discovery for a kind. The error says that the kind is not served, or why lists could not find out.
func (c *Cluster) lists(ctx context.Context, ref Ref, resource Resource) error {
	c.discovery.forget(resource.GroupVersion())
	_, err := c.existing(ctx, ref.APIVersion, ref.Kind)
	return err
}

// How long, and how often, a request is repeated whose path does not exist yet.
const (
	routedWithin = 5 * time.Second
	routedEvery  = 250 * time.Millisecond
)

// routed repeats a request while the server lists the kind but does not serve its path yet, as happens right after a
// definition is recreated. The API server has not processed such a request. The paths of Kubernetes' own kinds always exist:
// there, something else has answered.
func (c *Cluster) routed(ctx context.Context, ref Ref, resource Resource, send func() (reply, error)) (reply, error) {
	answer, err := send()
	for waited := time.Duration(0); waited < routedWithin && unrouted(err) && !kinds.OwnGroup(resource.Group) && c.lists(ctx, ref, resource) == nil; waited += routedEvery {
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(routedEvery):
		}
		answer, err = send()
	}
	return answer, err
}

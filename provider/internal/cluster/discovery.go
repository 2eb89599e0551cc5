package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// KindNotServedError means that the API server answered, and does not serve a kind.
type KindNotServedError = failure.KindNotServedError

// Resource is how the API server serves a kind.
type Resource struct {
	// GroupVersionResource is the resource's place in URLs.
	schema.GroupVersionResource
	// Kind is the kind as manifests name it.
	Kind string
	// Namespaced means that objects of the kind are in namespaces.
	Namespaced bool
	// HasStatus means that the kind has a status subresource.
	HasStatus bool
}

// doubtTime is how long a kind must have been missing before an object of it counts as gone. A starting API server
// answers before it serves all custom resources: for a moment, proper answers lack their groups.
const doubtTime = time.Second

// Resource finds out how a kind is served. The first call for a group-version makes one request, whose answer covers
// all kinds of that group-version. If a cached answer lacks the kind, Resource asks the API server once more, because a
// CustomResourceDefinition may have been added since. If the kind is still missing, the error is a
// *[KindNotServedError]; any other error means that discovery failed.
func (c *Cluster) Resource(ctx context.Context, apiVersion, kind string) (Resource, error) {
	groupVersion, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || groupVersion.Version == "" {
		return Resource{}, &failure.NotSentError{Err: failure.Errorf(failure.ReasonInvalid, "apiVersion %q is not GROUP/VERSION or VERSION", apiVersion)}
	}
	served, fresh, err := c.discovery.get(ctx, groupVersion)
	if err != nil {
		return Resource{}, fmt.Errorf("discovery of %s: %w", apiVersion, err)
	}
	found, ok := served[kind]
	if !ok && !fresh {
		if served, err = c.discovery.refresh(ctx, groupVersion); err != nil {
			return Resource{}, fmt.Errorf("discovery of %s: %w", apiVersion, err)
		}
		found, ok = served[kind]
	}
	if !ok {
		c.discovery.noteAbsent(groupVersion.WithKind(kind))
		return Resource{}, &KindNotServedError{APIVersion: apiVersion, Kind: kind}
	}
	c.discovery.noteServed(groupVersion.WithKind(kind))
	return found, nil
}

// existing runs [Cluster.Resource] for an object that existed before; here a *[KindNotServedError] means that the
// object is lost. So existing returns that error only if the kind was missing for a second and nothing defines it: see
// [Cluster.ConfirmGone]. Later callers do not wait again.
func (c *Cluster) existing(ctx context.Context, apiVersion, kind string) (Resource, error) {
	resource, err := c.Resource(ctx, apiVersion, kind)
	notServed := (*KindNotServedError)(nil)
	if !errors.As(err, &notServed) {
		return resource, err
	}
	doubted, failed := c.doubt(ctx, notServed)
	switch {
	case failed != nil:
		return Resource{}, failed
	case doubted:
		resource, err = c.Resource(ctx, apiVersion, kind)
	}
	return resource, c.ConfirmGone(ctx, err)
}

// doubt waits until a second answer that a kind is not served can be believed. It returns false if the first one can be
// believed already.
func (c *Cluster) doubt(ctx context.Context, notServed *KindNotServedError) (doubted bool, err error) {
	wanted := schema.FromAPIVersionAndKind(notServed.APIVersion, notServed.Kind)
	rest := doubtTime - c.discovery.absence(wanted)
	if rest <= 0 || kinds.OwnGroup(wanted.Group) { // an API server serves its built-in kinds from the beginning
		return false, nil
	}
	if !sleep(ctx, rest) {
		return true, &failure.NotSentError{Err: ctx.Err()}
	}
	return true, nil
}

// kindsServed are the resources of one group-version, by kind.
type kindsServed map[string]Resource

// discovery caches answers and lets concurrent callers share a request.
type discovery struct {
	fetch func(context.Context, schema.GroupVersion) (kindsServed, error)

	mu      sync.Mutex
	known   map[schema.GroupVersion]kindsServed
	absent  map[schema.GroupVersionKind]time.Time // when a kind was first found missing
	flights singleflight.Group

	undefined   map[schema.GroupKind]bool // kinds that are not served because nothing defines them
	definitions singleflight.Group
}

// get returns the cached kinds, or fetches them; fresh means that they were fetched for this call.
func (d *discovery) get(ctx context.Context, groupVersion schema.GroupVersion) (found kindsServed, fresh bool, err error) {
	d.mu.Lock()
	if known, ok := d.known[groupVersion]; ok {
		d.mu.Unlock()
		return known, false, nil
	}
	joined := d.join(groupVersion)
	d.mu.Unlock()
	found, err = await[kindsServed](ctx, joined)
	return found, true, err
}

// refresh fetches the kinds again, in one request for all concurrent callers.
func (d *discovery) refresh(ctx context.Context, groupVersion schema.GroupVersion) (kindsServed, error) {
	return await[kindsServed](ctx, d.join(groupVersion))
}

// join joins the request in flight, or starts one. The request stores its result before it ends. So a caller that holds
// the lock and finds no result finds the request still in flight.
func (d *discovery) join(groupVersion schema.GroupVersion) <-chan singleflight.Result {
	return join(&d.flights, groupVersion.String(), func(ctx context.Context) (kindsServed, error) {
		found, err := d.fetch(ctx, groupVersion)
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case err != nil:
		case len(found) == 0:
			delete(d.known, groupVersion)
		default:
			d.known[groupVersion] = found
		}
		return found, err
	})
}

// noteAbsent records when a kind was first found missing.
func (d *discovery) noteAbsent(kind schema.GroupVersionKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, already := d.absent[kind]; !already {
		d.absent[kind] = time.Now()
	}
}

// noteServed records that a kind is not missing.
func (d *discovery) noteServed(kind schema.GroupVersionKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.absent, kind)
	delete(d.undefined, kind.GroupKind())
}

// WasNotServed reports whether an earlier answer of the API server lacked a kind or its whole group-version. It makes
// no request.
func (c *Cluster) WasNotServed(apiVersion, kind string) bool {
	groupVersion, err := schema.ParseGroupVersion(apiVersion)
	return err == nil && c.discovery.wasAbsent(groupVersion.WithKind(kind))
}

func (d *discovery) wasAbsent(kind schema.GroupVersionKind) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, served := d.known[kind.GroupVersion()]; served {
		_, absent := d.absent[kind]
		return absent
	}
	for other := range d.absent {
		if other.GroupVersion() == kind.GroupVersion() {
			return true
		}
	}
	return false
}

// absence returns for how long a kind has been missing.
func (d *discovery) absence(kind schema.GroupVersionKind) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if since, ok := d.absent[kind]; ok {
		return time.Since(since)
	}
	return 0
}

// noteUndefined records that nothing defines a kind.
func (d *discovery) noteUndefined(kind schema.GroupKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.undefined[kind] = true
}

func (d *discovery) isUndefined(kind schema.GroupKind) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.undefined[kind]
}

// forget makes the next lookup in a group-version ask the API server.
func (d *discovery) forget(groupVersion schema.GroupVersion) {
	d.mu.Lock()
	delete(d.known, groupVersion)
	d.mu.Unlock()
}

// fetchGroupVersion asks the API server. A group-version that is not served has no kinds.
func (c *Cluster) fetchGroupVersion(ctx context.Context, groupVersion schema.GroupVersion) (kindsServed, error) {
	answer, err := c.read(ctx, c.client.Get().AbsPath(groupVersionPath(groupVersion)...))
	if apierrors.IsNotFound(err) {
		return nil, c.confirmAbsent(ctx, groupVersion, err)
	}
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(answer.body, &list); err != nil || list.Kind != "APIResourceList" {
		return nil, failure.Errorf(failure.ReasonUnexpectedAnswer, "the answer is not an APIResourceList; is the host a Kubernetes API server?")
	}
	found, hasStatus := kindsServed{}, map[string]bool{}
	for _, resource := range list.APIResources {
		if name, ok := strings.CutSuffix(resource.Name, "/status"); ok {
			hasStatus[name] = true
		}
	}
	for _, resource := range list.APIResources {
		if strings.Contains(resource.Name, "/") {
			continue // a subresource, whose kind may belong to another resource
		}
		found[resource.Kind] = Resource{
			GroupVersionResource: groupVersion.WithResource(resource.Name),
			Kind:                 resource.Kind,
			Namespaced:           resource.Namespaced,
			HasStatus:            hasStatus[resource.Name],
		}
	}
	return found, nil
}

// confirmAbsent makes sure that a 404 comes from a Kubernetes API server. A load balancer without a backend also
// answers 404, and objects must not be forgotten because of that.
func (c *Cluster) confirmAbsent(ctx context.Context, groupVersion schema.GroupVersion, cause error) error {
	path, listKind := "/apis", "APIGroupList"
	if groupVersion.Group == "" {
		path, listKind = "/api", "APIVersions"
	}
	answer, err := c.read(ctx, c.client.Get().AbsPath(path))
	if apierrors.IsNotFound(err) {
		return failure.Errorf(failure.ReasonUnexpectedAnswer, "the server answers 404 to %s; is the host a Kubernetes API server? %w", path, hideStatus(cause))
	}
	if err != nil {
		return err
	}
	var list metav1.TypeMeta
	if err := json.Unmarshal(answer.body, &list); err != nil || list.Kind != listKind {
		return failure.Errorf(failure.ReasonUnexpectedAnswer, "the answer to %s is not an %s; is the host a Kubernetes API server?", path, listKind)
	}
	return nil
}

// hideStatus keeps the text of an error but not its type: a 404 from something other than an API server must not count
// as "the object is gone".
func hideStatus(err error) error { return errors.New("(" + err.Error() + ")") }

func groupVersionPath(groupVersion schema.GroupVersion) []string {
	if groupVersion.Group == "" {
		return []string{"/api", groupVersion.Version}
	}
	return []string{"/apis", groupVersion.Group, groupVersion.Version}
}

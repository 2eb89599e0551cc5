package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// KindNotServedError says that the API server answered and does not serve a kind.
type KindNotServedError = failure.KindNotServedError

// Resource is how the API server serves a kind.
type Resource struct {
	// GroupVersionResource is what URLs are made of.
	schema.GroupVersionResource
	// Kind as in manifests.
	Kind string
	// Namespaced says whether objects of the kind live in namespaces.
	Namespaced bool
}

// discoveryTimeout bounds one discovery, which belongs to no single caller and so to no caller's deadline.
const discoveryTimeout = 30 * time.Second

// Resource finds how a kind is served. The first question about a group-version costs one request; the answer serves
// all kinds of it. If a kind is missing from an answer that was known before, the API server is asked once more,
// because a CustomResourceDefinition may have come since. A kind that is missing then is a *[KindNotServedError];
// any other error says that discovery failed.
func (c *Cluster) Resource(ctx context.Context, apiVersion, kind string) (Resource, error) {
	groupVersion, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || groupVersion.Version == "" {
		return Resource{}, &failure.NotSentError{Err: fmt.Errorf("apiVersion %q is not GROUP/VERSION or VERSION", apiVersion)}
	}
	kinds, fresh, err := c.discovery.get(ctx, groupVersion)
	if err != nil {
		return Resource{}, fmt.Errorf("discovery of %s: %w", apiVersion, err)
	}
	if found, ok := kinds[kind]; ok {
		return found, nil
	}
	if !fresh {
		if kinds, err = c.discovery.refresh(ctx, groupVersion); err != nil {
			return Resource{}, fmt.Errorf("discovery of %s: %w", apiVersion, err)
		}
		if found, ok := kinds[kind]; ok {
			return found, nil
		}
	}
	return Resource{}, &KindNotServedError{APIVersion: apiVersion, Kind: kind}
}

// kinds are the resources of one group-version by kind.
type kinds map[string]Resource

// discovery remembers what was found, and lets concurrent callers share a request.
type discovery struct {
	fetch func(context.Context, schema.GroupVersion) (kinds, error)

	mu      sync.Mutex
	known   map[schema.GroupVersion]kinds
	flights map[schema.GroupVersion]*flight
}

// flight is a discovery that is under way. It has a context of its own: a caller that gives up must not fail the
// others.
type flight struct {
	done  chan struct{}
	kinds kinds
	err   error
}

// get gives the known kinds, or fetches them; fresh says that they were fetched for this call.
func (d *discovery) get(ctx context.Context, groupVersion schema.GroupVersion) (found kinds, fresh bool, err error) {
	d.mu.Lock()
	if known, ok := d.known[groupVersion]; ok {
		d.mu.Unlock()
		return known, false, nil
	}
	joined := d.board(groupVersion)
	d.mu.Unlock()
	found, err = joined.wait(ctx)
	return found, true, err
}

// refresh fetches the kinds again, together with whoever does the same now.
func (d *discovery) refresh(ctx context.Context, groupVersion schema.GroupVersion) (kinds, error) {
	d.mu.Lock()
	joined := d.board(groupVersion)
	d.mu.Unlock()
	return joined.wait(ctx)
}

// forget makes the next question about a group-version ask the API server.
func (d *discovery) forget(groupVersion schema.GroupVersion) {
	d.mu.Lock()
	delete(d.known, groupVersion)
	d.mu.Unlock()
}

// board joins the flight that is under way, or starts one. The caller holds the lock.
func (d *discovery) board(groupVersion schema.GroupVersion) *flight {
	if underway := d.flights[groupVersion]; underway != nil {
		return underway
	}
	started := &flight{done: make(chan struct{})}
	if d.flights == nil {
		d.flights = map[schema.GroupVersion]*flight{}
		d.known = map[schema.GroupVersion]kinds{}
	}
	d.flights[groupVersion] = started
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), discoveryTimeout)
		defer cancel()
		started.kinds, started.err = d.fetch(ctx, groupVersion)
		d.mu.Lock()
		delete(d.flights, groupVersion)
		switch {
		case started.err != nil:
		case len(started.kinds) == 0:
			delete(d.known, groupVersion)
		default:
			d.known[groupVersion] = started.kinds
		}
		d.mu.Unlock()
		close(started.done)
	}()
	return started
}

func (f *flight) wait(ctx context.Context) (kinds, error) {
	select {
	case <-f.done:
		return f.kinds, f.err
	case <-ctx.Done():
		return nil, &failure.NotSentError{Err: ctx.Err()}
	}
}

// fetchGroupVersion asks the API server. A group-version that is not served has no kinds.
func (c *Cluster) fetchGroupVersion(ctx context.Context, groupVersion schema.GroupVersion) (kinds, error) {
	answer, err := c.read(ctx, c.client.Get().AbsPath(groupVersionPath(groupVersion)...))
	if apierrors.IsNotFound(err) {
		return nil, c.confirmAbsent(ctx, groupVersion, err)
	}
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(answer.body, &list); err != nil || list.Kind != "APIResourceList" {
		return nil, errors.New("the answer is not an APIResourceList; is the host a Kubernetes API server?")
	}
	found := kinds{}
	for _, resource := range list.APIResources {
		if strings.Contains(resource.Name, "/") {
			continue // a subresource, whose kind may be that of something else
		}
		found[resource.Kind] = Resource{
			GroupVersionResource: groupVersion.WithResource(resource.Name),
			Kind:                 resource.Kind,
			Namespaced:           resource.Namespaced,
		}
	}
	return found, nil
}

// confirmAbsent makes sure that a 404 comes from a Kubernetes API server. A load balancer that lost its backend
// answers 404 too, and objects must not be forgotten because of that.
func (c *Cluster) confirmAbsent(ctx context.Context, groupVersion schema.GroupVersion, cause error) error {
	path, listKind := "/apis", "APIGroupList"
	if groupVersion.Group == "" {
		path, listKind = "/api", "APIVersions"
	}
	answer, err := c.read(ctx, c.client.Get().AbsPath(path))
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("the server answers 404 to %s; is the host a Kubernetes API server? %w", path, hideStatus(cause))
	}
	if err != nil {
		return err
	}
	var list metav1.TypeMeta
	if err := json.Unmarshal(answer.body, &list); err != nil || list.Kind != listKind {
		return fmt.Errorf("the answer to %s is not an %s; is the host a Kubernetes API server?", path, listKind)
	}
	return nil
}

// hideStatus keeps the text of an error and not its type: a caller must not take the 404 of something that is no API
// server for "the object is gone".
func hideStatus(err error) error { return errors.New("(" + err.Error() + ")") }

func groupVersionPath(groupVersion schema.GroupVersion) []string {
	if groupVersion.Group == "" {
		return []string{"/api", groupVersion.Version}
	}
	return []string{"/apis", groupVersion.Group, groupVersion.Version}
}

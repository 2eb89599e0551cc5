package cluster

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/singleflight"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// idPath is the path of the namespace that every cluster has for its whole life, and that is never recreated.
var idPath = []string{"/api/v1", "namespaces", "kube-system"}

// knownID is the answer of [Cluster.ID], once it is known.
type knownID struct {
	mu      sync.Mutex
	known   bool
	id      string
	flights singleflight.Group
}

// ID distinguishes this cluster from all others, regardless of its address, its certificates and the credentials. It is
// the uid of the namespace kube-system. It is empty if the user may not read that namespace or the cluster does not
// have one; an empty ID identifies no cluster. ID asks the API server at most once, but does not remember errors.
func (c *Cluster) ID(ctx context.Context) (string, error) {
	c.id.mu.Lock()
	if c.id.known {
		defer c.id.mu.Unlock()
		return c.id.id, nil
	}
	joined := join(&c.id.flights, "", func(ctx context.Context) (string, error) {
		id, err := c.fetchID(ctx)
		if err == nil {
			c.id.mu.Lock()
			c.id.known, c.id.id = true, id
			c.id.mu.Unlock()
		}
		return id, err
	})
	c.id.mu.Unlock()
	id, err := await[string](ctx, joined)
	if err != nil {
		return "", fmt.Errorf("namespace kube-system, by which the cluster is known: %w", err)
	}
	return id, nil
}

func (c *Cluster) fetchID(ctx context.Context) (string, error) {
	answer, err := c.read(ctx, c.client.Get().AbsPath(idPath...))
	switch {
	case unrouted(err), namesNothing(err):
		return "", failure.Errorf(failure.ReasonUnexpectedAnswer, "the server answers 404 to its path; is the host a Kubernetes API server? %w", hideStatus(err))
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", err
	}
	namespace, err := decode(answer, "Namespace")
	if err != nil {
		return "", err
	}
	if namespace.GetUID() == "" {
		return "", &failure.UnreadableReplyError{Code: answer.code}
	}
	return string(namespace.GetUID()), nil
}

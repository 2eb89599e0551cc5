package cluster

import (
	"fmt"
	"net/http"
	"sync"
)

// Registry has one [Cluster] for each distinct [Connection]. It is safe for concurrent use.
type Registry struct {
	userAgent string
	wrap      func(http.RoundTripper) http.RoundTripper

	mu       sync.Mutex
	clusters map[string]*Cluster
}

// Option changes a [Registry].
type Option func(*Registry)

// WithTransport puts a layer around the transport of every cluster, nearest to the network: it sees every request
// as it is sent.
func WithTransport(wrap func(http.RoundTripper) http.RoundTripper) Option {
	return func(r *Registry) { r.wrap = wrap }
}

// NewRegistry makes a registry whose clusters introduce themselves as userAgent, such as "pulumi-k8sconnect/1.2.3".
func NewRegistry(userAgent string, options ...Option) *Registry {
	r := &Registry{userAgent: userAgent, clusters: map[string]*Cluster{}}
	for _, option := range options {
		option(r)
	}
	return r
}

// Get gives the cluster of a connection, always the same for equal connections. It uses no network. A mistake in the
// connection is a *[FieldError] and is not remembered: a kubeconfig may appear later.
func (r *Registry) Get(connection Connection) (*Cluster, error) {
	identity, err := connection.identity()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.clusters[identity]; known != nil {
		return known, nil
	}
	settings, err := connection.Settings(r.userAgent)
	if err != nil {
		return nil, fmt.Errorf("cluster connection: %w", err)
	}
	made, err := newCluster(settings, r.wrap)
	if err != nil {
		return nil, fmt.Errorf("cluster connection: %w", err)
	}
	r.clusters[identity] = made
	return made, nil
}

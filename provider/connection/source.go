package connection

import (
	"cmp"
	"context"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
)

// Key is the name of the input that gives a resource a connection of its own.
const Key = "clusterConnection"

// Source gives resources their clusters: the provider's cluster, or the one that their own connection leads to. One
// client serves all resources with the same connection.
type Source struct {
	registry *cluster.Registry
	unread   sync.Map // unread -> bool
	told     sync.Map // warning -> bool
	secrets  secrets

	mu        sync.RWMutex
	defaults  connect.Connection
	err       error
	forgotten []string
}

// NewSource makes a source whose clients call themselves userAgent. Until
// [Source.Configure] it connects as kubectl would.
func NewSource(userAgent string, options ...cluster.Option) *Source {
	return &Source{registry: cluster.NewRegistry(userAgent, options...)}
}

// Configure sets the provider's connection. It uses no network. A connection that cannot be used fails the resources
// that use it, not the provider: another resource may bring its own.
func (s *Source) Configure(config property.Map) {
	connection, err := Decode(config)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.defaults, s.err = connection, err
}

// Cluster returns the cluster of a resource with these inputs. The error is an
// [ErrUnknown] while part of the connection is known only after the apply.
func (s *Source) Cluster(inputs property.Map) (*cluster.Cluster, error) {
	connection, err := s.connection(inputs)
	if err != nil {
		return nil, err
	}
	return s.registry.Get(connection)
}

// connection returns the connection in the inputs, or else the provider's.
func (s *Source) connection(inputs property.Map) (connect.Connection, error) {
	if own, given, err := DecodeValue(inputs.Get(Key)); given {
		return own, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.defaults, s.err
}

// unreadable is a cluster that could not be read.
type unreadable struct {
	cluster *cluster.Cluster
	name    string
}

// WarnUnread warns that a cluster could not be read, and why, unless this process has already warned of it. A thousand
// objects in an unreachable cluster are one problem. clu is nil if the connection is not usable; then the warning uses
// the cluster's last known name, which may be empty.
func (s *Source) WarnUnread(ctx context.Context, clu *cluster.Cluster, last string, cause error) {
	name := cmp.Or(last, "the cluster")
	if clu != nil {
		name = clu.Server()
	}
	if _, said := s.unread.LoadOrStore(unreadable{clu, name}, true); said {
		return
	}
	p.GetLogger(ctx).Warningf("NOT CHECKED: %s could not be read. \"unchanged\" below means \"as in the state\".\n%v", name, cause)
}

// WarnOnce shows a warning that concerns many resources, unless this process has already shown one with the same about.
func (s *Source) WarnOnce(ctx context.Context, about, text string) {
	if _, told := s.told.LoadOrStore(warning{text: about}, true); !told {
		p.GetLogger(ctx).Warning(text)
	}
}

// WarnIfMoved warns if the inputs of a resource lead to another address or certificate authority than before. It is for
// states that do not say in which cluster their object is.
func (s *Source) WarnIfMoved(ctx context.Context, before, now property.Map) {
	if before.Get(Key).Equals(now.Get(Key)) {
		return
	}
	from, err := s.connection(before)
	if err != nil {
		return
	}
	to, err := s.connection(now)
	if err != nil {
		return
	}
	// Nothing is moved: the applied objects stay where they are, and the next request goes elsewhere.
	if same, err := connect.SameCluster(from, to); err == nil && !same {
		p.GetLogger(ctx).Warning("The connection leads to another cluster than before. Objects in the former cluster " +
			"are not deleted; from now on their resources stand for the objects of the same names in the new cluster.")
	}
}

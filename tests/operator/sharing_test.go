package operator

import (
	"sync"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// sharedCluster is a cluster that tests share, until one of them wants it to itself.
type sharedCluster struct {
	cluster.Shared
	mutex    sync.Mutex
	changed  *sync.Cond
	guests   int
	occupied bool
}

func newSharedCluster(options cluster.Options) *sharedCluster {
	s := &sharedCluster{Shared: cluster.Shared{Options: options}}
	s.changed = sync.NewCond(&s.mutex)
	return s
}

// share waits while a test has the cluster to itself. It may be called again in the same test.
func (s *sharedCluster) share(t *testing.T) {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for s.occupied {
		s.changed.Wait()
	}
	s.guests++
	t.Cleanup(func() { s.leave(func() { s.guests-- }) })
}

// occupy waits until no other test uses the cluster. Those that want to come in meanwhile do: they may be parts of one that
// is there already.
func (s *sharedCluster) occupy(t *testing.T) {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for s.occupied || s.guests > 0 {
		s.changed.Wait()
	}
	s.occupied = true
	t.Cleanup(func() { s.leave(func() { s.occupied = false }) })
}

func (s *sharedCluster) leave(change func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change()
	s.changed.Broadcast()
}

package cluster

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ForTest starts a cluster for one test alone, which may break it as it likes.
func ForTest(t testing.TB, options Options) *Cluster {
	t.Helper()
	needsCluster(t)
	c, err := Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// needsCluster leaves a test out of a short run, which is for what needs no cluster.
func needsCluster(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a cluster, and this is a short run")
	}
}

// Shared is one cluster for all tests of a package. It is started by the first that asks for
// it, so that a run of other tests does without.
type Shared struct {
	Options Options

	once    sync.Once
	cluster *Cluster
	err     error
}

// Run runs the tests of the package, then stops the cluster. It is for TestMain, and returns
// the exit code.
//
// Unless GOGC is set, garbage is collected half as often as usual: memory is cheaper than time here, and a collection is slow
// under the race detector. Not more rarely: the detector needs a multiple of the memory.
func (s *Shared) Run(m *testing.M) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200)
	}
	code := m.Run()
	if err := s.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// Stop stops the cluster if it was started. Where a package has more than one cluster, it is
// for those beside the one that runs the tests.
func (s *Shared) Stop() error {
	if s.cluster == nil {
		return nil
	}
	return s.cluster.Stop()
}

// Get returns the cluster. A test that breaks a part has to restart it before it ends.
func (s *Shared) Get(t testing.TB) *Cluster {
	t.Helper()
	needsCluster(t)
	// Not the context of the test, which ends before the cluster does.
	s.once.Do(func() { s.cluster, s.err = Start(context.Background(), s.Options) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.cluster
}

// Namespace creates a namespace for one test and returns its name. At the end of the test it
// is deleted, which takes effect in the background, and only with a controller manager.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	namespaces := c.client.CoreV1().Namespaces()
	created, err := namespaces.Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("namespace of the test: %v", err)
	}
	t.Cleanup(func() {
		if err := namespaces.Delete(context.Background(), created.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("namespace of the test: %v", err)
		}
	})
	return created.Name
}

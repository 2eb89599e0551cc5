package cluster_test

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// starting is an API server that at first does not serve the custom resources of a group, for a number of requests.
// Then it serves them in one version, unless that is empty.
type starting struct {
	*fake
	questions atomic.Int64 // how many requests are still answered without the group
	version   string
}

func newStarting(t *testing.T, questions int64, version string) (*starting, *cluster.Cluster) {
	t.Helper()
	f, c := newFake(t)
	s := &starting{fake: f, version: version}
	s.questions.Store(questions)
	f.says(s.serve)
	return s, c
}

const thing = `{"apiVersion":"shop.example.com/v1","kind":"Thing","metadata":{"name":"one","uid":"1"}}`

func (s *starting) serve(w http.ResponseWriter, r *http.Request) {
	served := s.version != "" && s.questions.Load() <= 0
	path := r.URL.Path
	switch aggregated := strings.Contains(r.Header.Get("Accept"), "APIGroupDiscoveryList"); {
	case strings.HasPrefix(path, "/apis/shop.example.com/") && strings.HasSuffix(path, "/things/one"):
		if served {
			says(200, thing)(w, r)
			return
		}
		http.NotFound(w, r)
	case strings.HasPrefix(path, "/apis/shop.example.com/"):
		if served && strings.HasSuffix(path, "/"+s.version) {
			says(200, `{"kind":"APIResourceList","resources":[{"name":"things","kind":"Thing"}]}`)(w, r)
			return
		}
		s.questions.Add(-1)
		http.NotFound(w, r)
	case path == "/apis" && aggregated && served:
		says(200, `{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"shop.example.com"},"versions":[{"version":"`+
			s.version+`","resources":[{"responseKind":{"kind":"Thing"}}]}]}]}`)(w, r)
	case aggregated:
		if path == "/apis" {
			s.questions.Add(-1)
		}
		says(200, `{"kind":"APIGroupDiscoveryList"}`)(w, r)
	case path == "/apis":
		says(200, `{"kind":"APIGroupList"}`)(w, r)
	default:
		http.NotFound(w, r)
	}
}

func TestAnAPIServerThatIsOnlyStartingLosesNoCustomResource(t *testing.T) {
	ref := cluster.Ref{APIVersion: "shop.example.com/v1", Kind: "Thing", Name: "one"}
	find := func(c *cluster.Cluster) (cluster.Resolved, error) {
		return c.Find(t.Context(), ref.APIVersion, ref.Kind, "", ref.Name)
	}
	t.Run("its group is missing for a moment [D22]", func(t *testing.T) {
		_, c := newStarting(t, 2, "v1")
		found, err := find(c)
		require.NoError(t, err)
		assert.Equal(t, ref, found.Ref)
	})
	t.Run("its group is missing for a moment, and has another version [D22]", func(t *testing.T) {
		_, c := newStarting(t, 2, "v2")
		found, err := find(c)
		require.NoError(t, err)
		assert.Equal(t, "shop.example.com/v2", found.APIVersion)
	})
	t.Run("a read does not take the object for gone [D22]", func(t *testing.T) {
		_, c := newStarting(t, 1, "v1")
		live, err := c.Get(t.Context(), ref)
		require.NoError(t, err)
		assert.EqualValues(t, "1", live.GetUID())
	})
	t.Run("nor does a delete [D22]", func(t *testing.T) {
		_, c := newStarting(t, 1, "v1")
		result, err := c.Delete(t.Context(), ref, cluster.DeleteOptions{})
		require.NoError(t, err)
		assert.False(t, result.Gone)
	})
	t.Run("nor where the server has restarted since discovery [D22]", func(t *testing.T) {
		s, c := newStarting(t, 0, "v1")
		_, err := find(c)
		require.NoError(t, err)
		s.questions.Store(1)
		live, err := c.Get(t.Context(), ref)
		require.NoError(t, err, "the path was answered 404 while the server was starting")
		assert.EqualValues(t, "1", live.GetUID())
	})
	t.Run("a kind that is gone for good is said to be gone a second later, and only the first waits", func(t *testing.T) {
		s, c := newStarting(t, 0, "")
		began := time.Now()
		var callers sync.WaitGroup
		for range 10 {
			callers.Go(func() {
				_, err := find(c)
				assert.True(t, failure.Gone(err), "%v", err)
			})
		}
		callers.Wait()
		assert.GreaterOrEqual(t, time.Since(began), time.Second)
		began, asked := time.Now(), s.requests.Load()
		_, err := find(c)
		require.True(t, failure.Gone(err), "%v", err)
		assert.Less(t, time.Since(began), time.Second)
		assert.EqualValues(t, 4, s.requests.Load()-asked, "the version, /apis to be sure, and both aggregated lists")
	})
	t.Run("a kind that was served meanwhile is doubted again", func(t *testing.T) {
		s, c := newStarting(t, 0, "")
		_, err := find(c)
		require.True(t, failure.Gone(err), "%v", err)
		s.version = "v1"
		_, err = find(c)
		require.NoError(t, err)
		s.questions.Store(1)
		_, err = c.Get(t.Context(), ref)
		assert.False(t, failure.Gone(err), "%v", err)
	})
	t.Run("what is not there yet is no reason to wait", func(t *testing.T) {
		s, c := newStarting(t, 1, "v1")
		_, err := c.Resolve(t.Context(), ref.APIVersion, ref.Kind, "", ref.Name)
		require.True(t, failure.Gone(err), "%v", err)
		assert.EqualValues(t, 2, s.requests.Load())
	})
	t.Run("nor is a version of Kubernetes' own groups that is no longer served", func(t *testing.T) {
		_, c := newStarting(t, 0, "")
		began := time.Now()
		_, err := c.Find(t.Context(), "extensions/v1beta1", "Deployment", "", "web")
		require.True(t, failure.Gone(err), "%v", err)
		assert.Less(t, time.Since(began), time.Second)
	})
}

package cluster_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestDiscoveryAsksOnceForManyCallers(t *testing.T) {
	t.Run("beside one discovery per group-version [O81]", func(t *testing.T) {
		requests := &counter{}
		c := admin(t, cluster.WithTransport(requests.wrap))
		var callers sync.WaitGroup
		for i := range 50 {
			callers.Go(func() {
				kind := []string{"Deployment", "StatefulSet"}[i%2]
				resource, err := c.Resource(t.Context(), "apps/v1", kind)
				assert.NoError(t, err)
				assert.True(t, resource.Namespaced)
			})
		}
		callers.Wait()
		assert.Equal(t, []string{"GET /apis/apps/v1"}, requests.take())
	})
}

func TestDiscoveryOutlivesACallerThatGivesUp(t *testing.T) {
	hold := make(chan struct{})
	slow := func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			<-hold
			return next.RoundTrip(r)
		})
	}
	c := admin(t, cluster.WithTransport(slow))
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error), make(chan error)
	go func() { _, err := c.Resource(ctx, "v1", "Pod"); first <- err }()
	go func() { _, err := c.Resource(t.Context(), "v1", "Pod"); second <- err }()
	time.Sleep(20 * time.Millisecond)
	cancel()
	err := <-first
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, failure.NotSent, failure.Outcome(err))
	close(hold)
	require.NoError(t, <-second)
}

func crd(group string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things." + group},
		"spec": map[string]any{
			"group": group, "scope": "Cluster",
			"names": map[string]any{"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
		},
	}}
}

func TestAKindThatIsNotServedMayComeAndGo(t *testing.T) {
	ctx, c := within(t, 30*time.Second), admin(t)
	thing := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "come.example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "one"}}}
	var notServed *cluster.KindNotServedError
	_, err := c.Apply(ctx, thing, manager)
	require.ErrorAs(t, err, &notServed)
	assert.Equal(t, "Thing", notServed.Kind)
	assert.True(t, failure.Outcome(err).Definite())
	_, err = c.Resource(ctx, "v1", "Thing")
	require.ErrorAs(t, err, &notServed)

	_, err = c.Apply(ctx, crd("come.example.com"), manager)
	require.NoError(t, err)
	require.Eventually(t, func() bool { _, err = c.Apply(ctx, thing, manager); return err == nil }, 15*time.Second, 20*time.Millisecond, "%v", err)

	definition := cluster.RefOf(crd("come.example.com"))
	result, err := c.Delete(ctx, definition, cluster.DeleteOptions{})
	require.NoError(t, err)
	require.NoError(t, c.AwaitDeleted(ctx, definition, result.Object, nil))
	t.Run("the definition is gone and discovery still remembers it [O18]", func(t *testing.T) {
		require.Eventually(t, func() bool {
			_, err := c.Get(ctx, cluster.RefOf(thing))
			// Meanwhile, discovery still lists a kind whose path no longer exists, and the error does not say that the
			// kind is gone.
			return err != nil && (apierrors.IsNotFound(err) || errors.As(err, &notServed))
		}, 15*time.Second, 50*time.Millisecond)
		gone, err := c.Delete(ctx, cluster.RefOf(thing), cluster.DeleteOptions{})
		require.NoError(t, err)
		assert.True(t, gone.Gone)
	})
}

func TestFindTakesAnotherVersionOfTheGroup(t *testing.T) {
	seen := &counter{}
	c := admin(t, cluster.WithTransport(seen.wrap))
	t.Run("a version that is served is taken as it is", func(t *testing.T) {
		found, err := c.Find(t.Context(), "autoscaling/v1", "HorizontalPodAutoscaler", "prod", "web")
		require.NoError(t, err)
		assert.Equal(t, "autoscaling/v1", found.APIVersion)
		assert.Equal(t, []string{"GET /apis/autoscaling/v1"}, seen.take())
	})
	t.Run("one that is not served gives way to one that is [O18]", func(t *testing.T) {
		found, err := c.Find(t.Context(), "autoscaling/v2beta1", "HorizontalPodAutoscaler", "", "web")
		require.NoError(t, err)
		assert.Equal(t, cluster.Ref{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler", Namespace: "default", Name: "web"}, found.Ref)
	})
	t.Run("another group is no other version", func(t *testing.T) {
		var notServed *cluster.KindNotServedError
		_, err := c.Find(t.Context(), "extensions/v1beta1", "Deployment", "", "web")
		require.ErrorAs(t, err, &notServed)
		assert.Equal(t, "extensions/v1beta1", notServed.APIVersion)
	})
	t.Run("where that cannot be found out, the kind is not said to be gone", func(t *testing.T) {
		deny := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if strings.Contains(r.Header.Get("Accept"), "APIGroupDiscoveryList") {
					return answer(r, 403, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden"}`), nil
				}
				return next.RoundTrip(r)
			})
		}
		var notServed *cluster.KindNotServedError
		_, err := admin(t, cluster.WithTransport(deny)).Find(t.Context(), "autoscaling/v2beta1", "HorizontalPodAutoscaler", "", "web")
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.NotErrorAs(t, err, &notServed)
	})
}

func TestAFailedDiscoveryIsNotAnAbsentKind(t *testing.T) {
	for _, code := range []int{401, 403, 404, 500, 503} {
		t.Run(http.StatusText(code)+" [O60]", func(t *testing.T) {
			var fail atomic.Bool
			fail.Store(true)
			broken := func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if fail.Load() {
						return answer(r, code, "no"), nil
					}
					return next.RoundTrip(r)
				})
			}
			c := admin(t, cluster.WithTransport(broken))
			ref := cluster.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "web"}
			_, err := c.Get(t.Context(), ref)
			require.Error(t, err)
			var notServed *cluster.KindNotServedError
			assert.False(t, assert.ObjectsAreEqual(true, apierrors.IsNotFound(err)), "%v", err)
			assert.NotErrorAs(t, err, &notServed)
			_, err = c.Delete(t.Context(), ref, cluster.DeleteOptions{})
			require.Error(t, err, "never \"deleted\"")
			assert.Equal(t, failure.NotSent, failure.Outcome(err))
			fail.Store(false)
			_, err = c.Resource(t.Context(), "apps/v1", "Deployment")
			require.NoError(t, err, "a failure is not kept")
		})
	}
}

func TestResolveFillsTheDefaultNamespace(t *testing.T) {
	connection := adminConnection(t)
	connection.Namespace = "prod"
	c := get(t, connection)
	t.Run("namespaced without a namespace [O3]", func(t *testing.T) {
		resolved, err := c.Resolve(t.Context(), "v1", "ConfigMap", "", "web")
		require.NoError(t, err)
		assert.Equal(t, "ConfigMap prod/web", resolved.Ref.String())
	})
	t.Run("cluster-scoped with a namespace [O4]", func(t *testing.T) {
		resolved, err := c.Resolve(t.Context(), "v1", "Namespace", "x", "web")
		require.NoError(t, err)
		assert.True(t, resolved.NamespaceIgnored)
		assert.Equal(t, "Namespace web", resolved.Ref.String())
	})
	_, err := c.Get(t.Context(), cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "a/b", Name: ".."})
	assert.Equal(t, failure.NotSent, failure.Outcome(err))
	_, err = c.Get(t.Context(), cluster.Ref{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "system:node"})
	require.NoError(t, err)
}

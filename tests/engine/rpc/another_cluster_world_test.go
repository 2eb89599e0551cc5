package rpc_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// side is one of two clusters.
type side struct {
	world
	user cluster.User
	id   string
}

// name is how messages call the cluster.
func (s side) name() string { return s.user.Host + " (cluster " + s.id + ")" }

// two are two clusters with a namespace of one name, and a kubeconfig file that leads to either.
type two struct {
	t        testing.TB
	one, two side
	file     string
}

func newTwo(t testing.TB) two {
	t.Helper()
	w := newWorld(t)
	clusters := two{t: t, file: filepath.Join(t.TempDir(), "kubeconfig"), one: sideOf(t, shared.Get(t), w.namespace), two: sideOf(t, second.Get(t), w.namespace)}
	_, err := clusters.two.objects("Namespace").Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": w.namespace},
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NotEqual(t, clusters.one.id, clusters.two.id)
	return clusters
}

func sideOf(t testing.TB, c *cluster.Cluster, namespace string) side {
	t.Helper()
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	s := side{world: world{t, client, namespace}, user: c.Admin()}
	eventually(t, func() bool { return s.exists("Namespace", "kube-system") }, "the cluster has begun")
	s.id = string(s.get("Namespace", "kube-system").GetUID())
	return s
}

// to is a provider of a new run, with the kubeconfig file leading to a cluster. The configuration is always the same, as
// it is after kubectl config use-context.
func (c two) to(s side, more ...map[string]any) *process {
	c.t.Helper()
	require.NoError(c.t, os.WriteFile(c.file, []byte(kubeconfig(s.user, s.namespace)), 0o600))
	config := map[string]any{"kubeconfig": c.file}
	for _, further := range more {
		maps.Copy(config, further)
	}
	return start(c.t, config)
}

// forgetting is the provider's configuration for clusters that are gone for good.
func forgetting(ids ...any) map[string]any { return map[string]any{"forgetClusters": ids} }

// untouched looks at an object, and later requires that nobody has written it since.
func (w world) untouched(t testing.TB, kind, name string) (verify func()) {
	t.Helper()
	before := w.get(kind, name)
	return func() {
		t.Helper()
		live := w.get(kind, name)
		assert.Equal(t, before.GetUID(), live.GetUID())
		assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion(), "%s %s was touched", kind, name)
	}
}

// requireNamed requires that a text names both clusters.
func (c two) requireNamed(t testing.TB, text string) {
	t.Helper()
	assert.Contains(t, text, c.one.name())
	assert.Contains(t, text, c.two.name())
}

// origin is what the state says of the cluster.
func origin(t testing.TB, s *session) map[string]any {
	t.Helper()
	origin, _ := at(t, s.outputs, "__cluster").(map[string]any)
	return origin
}

// withoutOrigin is the state as older versions have left it.
func withoutOrigin(s *session) *session {
	s.outputs = s.outputs.Copy()
	delete(s.outputs, "__cluster")
	return s
}

var replacedElsewhere = map[string]string{"__cluster": "update-replace"}

// requireKept requires that a state is as it was before, marked as not looked at, and that a refresh does not call it
// unchanged.
func requireKept(t testing.TB, before resource.PropertyMap, s *session) {
	t.Helper()
	requireMarked(t, before, s)
	assert.Equal(t, map[string]string{"__staleRead": "update"}, kinds(t, s.refreshed))
}

// requireMarked requires that a state is as it was before, marked as not looked at.
func requireMarked(t testing.TB, before resource.PropertyMap, s *session) {
	t.Helper()
	require.NotEmpty(t, s.id, "it is in the state")
	assert.Equal(t, true, at(t, s.outputs, "__staleRead"))
	kept := s.outputs.Copy()
	delete(kept, "__staleRead")
	assert.Equal(t, plain(resource.NewProperty(before)), plain(resource.NewProperty(kept)))
}

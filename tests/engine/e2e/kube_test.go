package e2e

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// patience is how long a test waits for what has to happen; it is used up by failures only.
const patience = 2 * time.Minute

// kube looks at the cluster, and disturbs it, as an administrator who knows nothing of Pulumi.
// Objects are named by the IDs of their resources, such as apps/v1/Deployment/prod/web.
type kube struct {
	client dynamic.Interface
	mapper meta.ResettableRESTMapper
}

func kubeOf(t testing.TB, c *cluster.Cluster) *kube {
	t.Helper()
	client, err := dynamic.NewForConfig(c.RESTConfig())
	require.NoError(t, err)
	disco, err := discovery.NewDiscoveryClientForConfig(c.RESTConfig())
	require.NoError(t, err)
	return &kube{client, restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(disco))}
}

var coreVersion = regexp.MustCompile(`^v\d+[a-z0-9]*$`)

// locate finds the client of an object and its name.
func (k *kube) locate(id string) (dynamic.ResourceInterface, string, error) {
	parts := strings.Split(id, "/")
	version := schema.GroupVersion{}
	if coreVersion.MatchString(parts[0]) {
		version, parts = schema.GroupVersion{Version: parts[0]}, parts[1:]
	} else if len(parts) > 2 {
		version, parts = schema.GroupVersion{Group: parts[0], Version: parts[1]}, parts[2:]
	}
	if len(parts) < 2 || len(parts) > 3 {
		return nil, "", fmt.Errorf("%q is not an ID", id)
	}
	kind := version.WithKind(parts[0])
	mapping, err := k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) { // the kind may be new
		k.mapper.Reset()
		mapping, err = k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	}
	if err != nil {
		return nil, "", err
	}
	if len(parts) == 2 {
		return k.client.Resource(mapping.Resource), parts[1], nil
	}
	return k.client.Resource(mapping.Resource).Namespace(parts[1]), parts[2], nil
}

func (k *kube) must(t testing.TB, id string) (dynamic.ResourceInterface, string) {
	t.Helper()
	client, name, err := k.locate(id)
	require.NoError(t, err)
	return client, name
}

// find returns the object, or nil if there is none.
func (k *kube) find(t testing.TB, id string) *unstructured.Unstructured {
	t.Helper()
	client, name := k.must(t, id)
	object, err := client.Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(t, err)
	return object
}

// get returns the object, which must be there.
func (k *kube) get(t testing.TB, id string) *unstructured.Unstructured {
	t.Helper()
	object := k.find(t, id)
	require.NotNil(t, object, "%s is not in the cluster", id)
	return object
}

// value is a value in the live object; nil where there is nothing.
func (k *kube) value(t testing.TB, id string, path ...any) any {
	t.Helper()
	return at(k.get(t, id).Object, path...)
}

// gone wants that there is no such object.
func (k *kube) gone(t testing.TB, id string) {
	t.Helper()
	require.Nil(t, k.find(t, id), "%s is still in the cluster", id)
}

// merge changes an object behind Pulumi's back by a merge patch, written in YAML.
func (k *kube) merge(t testing.TB, id, patch string) {
	t.Helper()
	k.patch(t, id, types.MergePatchType, patch, "someone")
}

// jsonPatch changes an object behind Pulumi's back by a JSON patch, written in YAML.
func (k *kube) jsonPatch(t testing.TB, id, patch string) {
	t.Helper()
	k.patch(t, id, types.JSONPatchType, patch, "someone")
}

// apply takes fields of an object over by server-side apply with force.
func (k *kube) apply(t testing.TB, id, manager, manifest string) {
	t.Helper()
	k.patch(t, id, types.ApplyPatchType, manifest, manager)
}

func (k *kube) patch(t testing.TB, id string, kind types.PatchType, patch, manager string) {
	t.Helper()
	client, name := k.must(t, id)
	body, err := yaml.YAMLToJSON([]byte(patch))
	require.NoError(t, err)
	options := metav1.PatchOptions{FieldManager: manager}
	if kind == types.ApplyPatchType {
		force := true
		options.Force = &force
	}
	_, err = client.Patch(t.Context(), name, kind, body, options)
	require.NoError(t, err)
}

// delete deletes an object behind Pulumi's back and waits until it is gone.
func (k *kube) delete(t testing.TB, id string) {
	t.Helper()
	client, name := k.must(t, id)
	require.NoError(t, client.Delete(t.Context(), name, metav1.DeleteOptions{}))
	eventually(t, id+" is gone", func() bool { return k.find(t, id) == nil })
}

// remove deletes what a test has left behind, finalizers or not.
func (k *kube) remove(t testing.TB, id string) {
	client, name, err := k.locate(id)
	if meta.IsNoMatchError(err) {
		return
	}
	if err == nil {
		// The test's own context is over.
		ctx := context.Background()
		background := metav1.DeletePropagationBackground // the pods of a Job too
		err = retry.OnError(retry.DefaultBackoff, apierrors.IsTimeout, func() error {
			if err := client.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
				return err
			}
			_, err := client.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			return err
		})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		t.Errorf("tidying up %s: %v", id, err)
	}
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, patience, 50*time.Millisecond, what)
}

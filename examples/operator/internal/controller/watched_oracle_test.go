package controller_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/drift"
)

// deployed is what a program applies.
const deployed = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s, labels: {team: a}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: web, image: "web:1", env: [{name: A, value: "1"}]}]
`

// TestTheAPIServerAgreesWithWhatIsDrift asks the API server whether another apply of what the program has applied would change the object.
// Where it would, the digest is another one. Where others have changed what the program does not set, it is not.
func TestTheAPIServerAgreesWithWhatIsDrift(t *testing.T) { // [X65]
	t.Parallel()
	const merge, strategic = types.MergePatchType, types.StrategicMergePatchType
	for name, c := range map[string]struct {
		kind            types.PatchType
		patch           string
		subresource     string
		forced, isQuiet bool
	}{
		"another value":               {kind: merge, patch: `{"spec":{"replicas":5}}`},
		"a scale":                     {kind: merge, patch: `{"spec":{"replicas":5}}`, subresource: "scale"},
		"a value taken over by force": {patch: `{"spec":{"replicas":5}}`, forced: true},
		"a value taken away":          {kind: merge, patch: `{"metadata":{"labels":{"team":null}}}`},
		"another value in an item":    {kind: strategic, patch: `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}}`},
		"an item taken away":          {kind: strategic, patch: `{"spec":{"template":{"spec":{"containers":[{"name":"web","env":[{"name":"A","$patch":"delete"}]}]}}}}`},
		"a list that is one value":    {kind: merge, patch: `{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists","effect":"NoSchedule"}]}}}}`},
		"the same value":              {kind: merge, patch: `{"spec":{"replicas":2}}`, isQuiet: true},
		"the same value by another":   {patch: `{"spec":{"replicas":2}}`, forced: true, isQuiet: true},
		"a further label":             {kind: merge, patch: `{"metadata":{"labels":{"of":"others"}}}`, isQuiet: true},
		"a further field":             {kind: merge, patch: `{"spec":{"minReadySeconds":3}}`, isQuiet: true},
		"a further item":              {kind: strategic, patch: `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"}]}}}}`, isQuiet: true},
		"a status":                    {kind: merge, patch: `{"status":{"replicas":1}}`, subresource: "status", isQuiet: true},
		"a finalizer":                 {kind: merge, patch: `{"metadata":{"finalizers":["example.com/hold"]}}`, isQuiet: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatching(t)
			object := w.applied("web")
			w.applied("marker")
			before := w.sees("web")
			switch {
			case c.forced:
				theirs := w.manifest("web")
				theirs.Object = map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "web", "namespace": w.namespace}}
				require.NoError(t, yaml.Unmarshal([]byte(c.patch), &theirs.Object))
				require.NoError(t, w.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(theirs), client.FieldOwner("others"), client.ForceOwnership))
			case c.subresource != "":
				require.NoError(t, w.SubResource(c.subresource).Patch(t.Context(), object.DeepCopy(), client.RawPatch(c.kind, []byte(c.patch)), client.FieldOwner("others")))
			default:
				require.NoError(t, w.Patch(t.Context(), object.DeepCopy(), client.RawPatch(c.kind, []byte(c.patch)), client.FieldOwner("others")))
			}
			w.told()
			require.Equal(t, c.isQuiet, !w.wouldChange("web"), "by the API server")
			require.Equal(t, c.isQuiet, w.sees("web") == before, "by the watch")
		})
	}
}

// watchingOf are watches of one namespace.
type watchingOf struct {
	*testing.T
	client.Client

	namespace string
	watcher   *drift.Watcher
}

func newWatching(t *testing.T) *watchingOf {
	t.Helper()
	shared, err := connect()
	require.NoError(t, err)
	w := &watchingOf{T: t, namespace: "default"}
	w.Client, err = client.New(shared, client.Options{})
	require.NoError(t, err)
	space := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"generateName": "drift-"}}}
	require.NoError(t, w.Create(t.Context(), space))
	w.namespace = space.GetName()
	http, err := rest.HTTPClientFor(shared)
	require.NoError(t, err)
	mapper, err := apiutil.NewDynamicRESTMapper(shared, http)
	require.NoError(t, err)
	w.watcher, err = drift.New(shared, mapper, w.namespace, func(context.Context, types.NamespacedName) {})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = w.watcher.Start(ctx) }()
	t.Cleanup(func() { stop(); <-ended })
	return w
}

func (w *watchingOf) manifest(name string) *unstructured.Unstructured {
	w.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(w, yaml.Unmarshal(fmt.Appendf(nil, deployed, name), &object.Object))
	object.SetNamespace(w.namespace)
	return object
}

// applied applies a Deployment as the provider does, and has it watched.
func (w *watchingOf) applied(name string) *unstructured.Unstructured {
	w.Helper()
	object := w.apply(name)
	w.watcher.Want(types.NamespacedName{Name: name}, []drift.Object{{GroupVersionKind: object.GroupVersionKind(), NamespacedName: client.ObjectKeyFromObject(object)}})
	return object
}

func (w *watchingOf) apply(name string, options ...client.ApplyOption) *unstructured.Unstructured {
	w.Helper()
	object := w.manifest(name)
	options = append(options, client.FieldOwner("k8sconnect-shop.dev."+name+"-01234567"), client.ForceOwnership)
	require.NoError(w, w.Apply(w.Context(), client.ApplyConfigurationFromUnstructured(object), options...))
	return object
}

// sees is the digest of an object.
func (w *watchingOf) sees(name string) (digest string) {
	w.Helper()
	require.Eventually(w, func() bool {
		seen, known := w.watcher.See(types.NamespacedName{Name: name})
		digest = seen.Digest
		return known && !seen.Missing
	}, eventually, moment)
	return digest
}

// told waits until the watch has told of all changes so far: it tells of them in their order.
func (w *watchingOf) told() {
	w.Helper()
	before := w.sees("marker")
	require.NoError(w, w.Patch(w.Context(), w.manifest("marker"), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":9}}`)), client.FieldOwner("others")))
	require.Eventually(w, func() bool { return w.sees("marker") != before }, eventually, moment)
}

// wouldChange asks the API server whether another apply would change the object.
func (w *watchingOf) wouldChange(name string) bool {
	w.Helper()
	live := w.manifest(name)
	require.NoError(w, w.Get(w.Context(), client.ObjectKeyFromObject(live), live))
	answer := w.apply(name, client.DryRunAll)
	for _, object := range []*unstructured.Unstructured{live, answer} {
		object.SetManagedFields(nil)
		object.SetResourceVersion("")
		object.SetGeneration(0)
	}
	return !reflect.DeepEqual(live.Object, answer.Object)
}

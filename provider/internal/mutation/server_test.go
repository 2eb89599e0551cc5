package mutation

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared = cluster.Shared{}

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

var deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}

const applied = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      tolerations: [{key: a, operator: Exists}]
      containers:
      - name: web
        image: web
        args: [a, b]
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
        ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]
`

// live creates a Deployment, and returns it with the client for it.
func live(t *testing.T) (dynamic.ResourceInterface, *unstructured.Unstructured) {
	t.Helper()
	server := shared.Get(t)
	client, err := dynamic.NewForConfig(server.RESTConfig())
	require.NoError(t, err)
	resource := client.Resource(deployments).Namespace(server.Namespace(t))
	created, err := resource.Apply(t.Context(), "web", object(t, applied), metav1.ApplyOptions{FieldManager: "kubectl"})
	require.NoError(t, err)
	return resource, created
}

func send(ctx context.Context, r dynamic.ResourceInterface, kind types.PatchType, body []byte) (*unstructured.Unstructured, error) {
	return r.Patch(ctx, "web", kind, body, metav1.PatchOptions{FieldManager: "k8sconnect-patch-p.s.n-01234567"})
}

func TestTheServerAnswersWithAConflictForAnotherVersionOrObject(t *testing.T) {
	for kind, encode := range map[types.PatchType]func(types.UID, string) ([]byte, error){
		types.JSONPatchType:  jsonPatch(t, `[{op: add, path: /spec/paused, value: true}]`).Encode,
		types.MergePatchType: mergePatch(t, `{spec: {paused: true}}`).Encode,
	} {
		t.Run(string(kind), func(t *testing.T) {
			resource, before := live(t)
			patch, err := encode(before.GetUID(), before.GetResourceVersion())
			require.NoError(t, err)
			_, err = send(t.Context(), resource, types.MergePatchType, []byte(`{"spec":{"minReadySeconds":1}}`))
			require.NoError(t, err)
			_, err = send(t.Context(), resource, kind, patch)
			assert.True(t, apierrors.IsConflict(err), "changed in between: %v", err)

			require.NoError(t, resource.Delete(t.Context(), "web", metav1.DeleteOptions{}))
			again, err := resource.Apply(t.Context(), "web", object(t, applied), metav1.ApplyOptions{FieldManager: "kubectl"})
			require.NoError(t, err)
			_, err = send(t.Context(), resource, kind, patch)
			assert.True(t, apierrors.IsConflict(err), "made again in between: %v", err)

			// This cannot happen, since no two objects have the same resourceVersion; but it would be refused as well.
			patch, err = encode(before.GetUID(), again.GetResourceVersion())
			require.NoError(t, err)
			_, err = send(t.Context(), resource, kind, patch)
			require.Error(t, err)
			assert.True(t, apierrors.IsInvalid(err), "another uid alone: %v", err)

			after, err := resource.Get(t.Context(), "web", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, again.Object, after.Object, "nothing has changed")

			patch, err = encode(again.GetUID(), again.GetResourceVersion())
			require.NoError(t, err)
			_, err = send(t.Context(), resource, kind, patch)
			require.NoError(t, err, "what is right is accepted")
		})
	}
}

func TestTheServerDoesWhatTheEvaluationSays(t *testing.T) {
	for _, test := range []struct{ name, patch string }{
		{"each operation [P12]", `[{op: test, path: /spec/replicas, value: 0}, {op: replace, path: /spec/replicas, value: 1}, {op: add, path: /metadata/annotations, value: {a/b: "", d: "1"}},
			{op: copy, from: /metadata/annotations/d, path: /metadata/annotations/e}, {op: move, from: /metadata/annotations/d, path: /metadata/annotations/f},
			{op: remove, path: /spec/template/spec/containers/0/args}, {op: add, path: /spec/paused, value: true}]`},
		{"list items [P10] [P13]", `[{op: add, path: /spec/template/spec/containers/0/env/0, value: {name: Z, value: "0"}}, {op: replace, path: /spec/template/spec/containers/0/env/1/value, value: "7"},
			{op: add, path: /spec/template/spec/containers/0/args/-, value: c}, {op: replace, path: /spec/template/spec/containers/0/args/0, value: z},
			{op: add, path: /spec/template/spec/containers/0/ports/1/name, value: dns}, {op: replace, path: /spec/template/spec/tolerations/0/key, value: b}]`},
		{"tildes and slashes [P14]", `[{op: add, path: /metadata/labels, value: {}}, {op: add, path: /metadata/labels/example.com~1a, value: "1"}, {op: test, path: /metadata/labels/example.com~1a, value: "1"}]`},
		{"a null that says that there is nothing [P11]", `[{op: replace, path: /spec/template/spec/containers/0/args, value: null}, {op: test, path: /metadata/labels, value: null}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			resource, before := live(t)
			patch := jsonPatch(t, test.patch)
			effect, err := patch.Evaluate(before)
			require.NoError(t, err)
			body, err := patch.Encode(before.GetUID(), before.GetResourceVersion())
			require.NoError(t, err)
			after, err := send(t.Context(), resource, types.JSONPatchType, body)
			require.NoError(t, err)
			wanted := ownership.Project(effect.Object, effect.Set, nil)
			assert.Empty(t, ownership.Compare(wanted, ownership.Project(after.Object, effect.Set, nil), effect.Set))

			// Restoring undoes what someone does to these fields, and nothing else.
			_, err = resource.Apply(t.Context(), "web", object(t, applied), metav1.ApplyOptions{FieldManager: "kubectl", Force: true})
			require.NoError(t, err)
			drifted, err := send(t.Context(), resource, types.MergePatchType, []byte(`{"metadata":{"labels":null,"annotations":null},"spec":{"replicas":0}}`))
			require.NoError(t, err)
			left := Left{Values: wanted, Fields: effect.Set, Unchanged: unchanged}
			restoring, err := JSONPatch{}.Restore(drifted, left, drifted.GetUID(), drifted.GetResourceVersion())
			require.NoError(t, err)
			if restoring.Body == nil {
				return
			}
			restored, err := send(t.Context(), resource, types.JSONPatchType, restoring.Body)
			require.NoError(t, err)
			assert.Empty(t, ownership.Compare(wanted, ownership.Project(restored.Object, effect.Set, nil), effect.Set))
		})
	}
}

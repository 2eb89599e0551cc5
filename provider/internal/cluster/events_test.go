package cluster_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestRecordWritesAnEventThatIsFoundByTheObject(t *testing.T) {
	server, ns := shared.Get(t), shared.Get(t).Namespace(t)
	requests := &counter{}
	ctx, c := t.Context(), admin(t, cluster.WithTransport(requests.wrap))
	namespace := cluster.Ref{APIVersion: "v1", Kind: "Namespace", Name: ns}
	role := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": map[string]any{"name": "Test:" + ns},
	}}
	for _, test := range []struct {
		name   string
		object func() *unstructured.Unstructured
		at     string
	}{
		{"of a namespace, in it", func() *unstructured.Unstructured {
			result, err := c.Apply(ctx, configMap(ns, "web", nil), manager)
			require.NoError(t, err)
			return result.Object
		}, ns},
		{"of the cluster, in the namespace default", func() *unstructured.Unstructured {
			live, err := c.Get(ctx, namespace)
			require.NoError(t, err)
			return live
		}, metav1.NamespaceDefault},
		{"whose name no event can have", func() *unstructured.Unstructured {
			result, err := c.Apply(ctx, role, manager)
			require.NoError(t, err)
			t.Cleanup(func() { _, _ = c.Delete(t.Context(), cluster.RefOf(role), cluster.DeleteOptions{}) })
			return result.Object
		}, metav1.NamespaceDefault},
	} {
		t.Run("about an object "+test.name, func(t *testing.T) {
			object := test.object()
			requests.take()
			for range 2 {
				require.NoError(t, c.Record(ctx, cluster.RefOf(object), object.GetUID(),
					cluster.Event{Reason: "PatchReleased", Message: strings.Repeat("é", 1000)}))
			}
			path := "POST /api/v1/namespaces/" + test.at + "/events"
			assert.Equal(t, []string{path, path}, requests.take(), "one request each")

			events, err := server.Client().CoreV1().Events(test.at).List(ctx, metav1.ListOptions{
				FieldSelector: "involvedObject.uid=" + string(object.GetUID()) + ",reason=PatchReleased",
			})
			require.NoError(t, err)
			require.Len(t, events.Items, 2)
			event := events.Items[0]
			assert.Equal(t, object.GetAPIVersion(), event.InvolvedObject.APIVersion)
			assert.Equal(t, object.GetKind(), event.InvolvedObject.Kind)
			assert.Equal(t, object.GetNamespace(), event.InvolvedObject.Namespace)
			assert.Equal(t, object.GetName(), event.InvolvedObject.Name)
			assert.Equal(t, "Normal", event.Type)
			assert.Equal(t, "k8sconnect", event.Source.Component)
			assert.Equal(t, strings.Repeat("é", 512), event.Message)
			assert.EqualValues(t, 1, event.Count)
			assert.WithinDuration(t, time.Now(), event.FirstTimestamp.Time, time.Minute)
			assert.Equal(t, event.FirstTimestamp, event.LastTimestamp)
		})
	}

	t.Run("a message is not cut inside of a character", func(t *testing.T) {
		object, err := c.Get(ctx, namespace)
		require.NoError(t, err)
		require.NoError(t, c.Record(ctx, namespace, object.GetUID(), cluster.Event{Reason: "Odd", Message: "x" + strings.Repeat("é", 1000)}))
		events, err := server.Client().CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{
			FieldSelector: "involvedObject.uid=" + string(object.GetUID()) + ",reason=Odd",
		})
		require.NoError(t, err)
		require.Len(t, events.Items, 1)
		assert.Len(t, events.Items[0].Message, 1023)
		assert.True(t, utf8.ValidString(events.Items[0].Message))
	})
	t.Run("an error is an answer", func(t *testing.T) {
		err := c.Record(ctx, cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "no-such-namespace", Name: "web"}, "u", cluster.Event{Reason: "X"})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
		err = c.Record(ctx, cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "a/b", Name: "web"}, "u", cluster.Event{Reason: "X"})
		assert.Equal(t, failure.NotSent, failure.Outcome(err))
	})
}

package rpc_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var forcing = map[string]any{"forceDestroy": true}

func TestForceDestroy(t *testing.T) {
	t.Parallel()
	held := func(w world, name string, more ...map[string]any) resource.PropertyMap {
		manifest := w.configMap(name, nil)
		manifest["metadata"].(map[string]any)["finalizers"] = []any{"example.com/hold", "example.com/keep"}
		return program(manifest, more...)
	}
	t.Run("removes the finalizers after the timeout, says so, and the object is gone [O59]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "stuck").mustUp("create", held(w, "stuck", forcing))
		w.patch("ConfigMap", "stuck", map[string]any{"metadata": map[string]any{"labels": map[string]any{"theirs": "yes"}}})
		s.timeout = 1
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "stuck"))
		require.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), "example.com/hold, example.com/keep")
	})
	t.Run("is saved by an update that touches nothing, also of an object whose deletion is stuck [O58] [O59]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "stuck").mustUp("create", held(w, "stuck"))
		s.timeout = 1
		require.ErrorContains(t, s.destroy(), "set forceDestroy to true and run `pulumi up`")
		asked, outputs := g.watchRequests(), s.outputs
		did, planned, err := s.preview(held(w, "stuck", forcing))
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Equal(t, plain(resource.NewProperty(outputs)), plain(resource.NewProperty(planned)), "nothing becomes unknown, so what depends on it is not run again")
		s.mustUp("update", held(w, "stuck", forcing))
		assert.Equal(t, map[string]int{"GET": 2}, tally(asked()), "the reads before the program")
		assert.Equal(t, plain(resource.NewProperty(outputs)), plain(resource.NewProperty(s.outputs)))
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "stuck"))
	})
	t.Run("an object that changes in between is looked at again [O59]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "stuck").mustUp("create", held(w, "stuck", forcing))
		g.next(isJSONPatch, meanwhile(func() {
			w.patch("ConfigMap", "stuck", map[string]any{"metadata": map[string]any{"labels": map[string]any{"busy": "yes"}}})
		}))
		s.timeout = 1
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "stuck"))
	})
	t.Run("does nothing to an object that goes by itself [O59]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		asked := g.watchRequests()
		s := start(t, g.connection()).resource(t, "quick").mustUp("create", program(w.configMap("quick", nil), forcing))
		require.NoError(t, s.destroy())
		assert.NotContains(t, asked(), "json patch")
		assert.Empty(t, s.warned())
	})
	t.Run("a cancelled destroy removes nothing [O59] [O76]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "stuck").mustUp("create", held(w, "stuck", forcing))
		s.timeout = 600
		done := make(chan error)
		go func() { done <- s.destroy() }()
		eventually(t, func() bool { return len(s.process.log.statuses()) > 0 }, "it waits")
		require.NoError(t, s.process.SignalCancellation(context.WithoutCancel(t.Context())))
		require.Error(t, <-done)
		assert.Equal(t, []string{"example.com/hold", "example.com/keep"}, w.get("ConfigMap", "stuck").GetFinalizers())
		assert.Empty(t, s.warned())
		assert.NotEmpty(t, s.id)
	})
	t.Run("without it they stay, and it is offered [O58] [O59]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "stuck").mustUp("create", held(w, "stuck"))
		s.timeout = 1
		require.ErrorContains(t, s.destroy(), "forceDestroy")
		assert.Len(t, w.get("ConfigMap", "stuck").GetFinalizers(), 2)
	})
}

func TestDiagnosisOfADeletionThatHangs(t *testing.T) {
	t.Parallel()
	t.Run("what finalizers stand for [O58]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "claim").mustUp("create", program(object(t, `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim, namespace: %s, finalizers: [example.com/hold]}
spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}
`, w.namespace)))
		s.timeout = 1
		err := s.destroy()
		require.ErrorContains(t, err, "kubernetes.io/pvc-protection: a pod still uses the claim")
		assert.ErrorContains(t, err, "example.com/hold: its controller has not removed it")
		assert.ErrorContains(t, err, "run the command again")
		assert.ErrorContains(t, err, "marked for deletion: held by the finalizers ")
	})
	t.Run("what remains in a namespace [O63]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "ns").mustUp("create", program(object(t, `
apiVersion: v1
kind: Namespace
metadata: {name: %s-inner}
`, w.namespace)))
		name := w.namespace + "-inner"
		s.timeout = 1
		err := s.destroy()
		require.ErrorContains(t, err, "marked for deletion: what is in it is being deleted.")
		require.ErrorContains(t, err, "kubernetes: the namespace is being emptied")
		assert.NotContains(t, err.Error(), "held by", "it has no finalizers of its own")
		live := w.get("Namespace", name)
		condition := func(kind, message string) any {
			return map[string]any{
				"type": kind, "status": "True", "reason": "Some", "message": message, "lastTransitionTime": "2024-01-01T00:00:00Z",
			}
		}
		require.NoError(t, unstructured.SetNestedSlice(live.Object, []any{
			condition("NamespaceContentRemaining", "Some resources are remaining: widgets.example.com has 3 resource instances"),
			condition("NamespaceFinalizersRemaining", "Some content in the namespace has finalizers remaining: example.com/hold in 3 resource instances"),
		}, "status", "conditions"))
		_, err = w.objects("Namespace").UpdateStatus(t.Context(), live, metav1.UpdateOptions{})
		require.NoError(t, err)
		err = s.destroy()
		require.ErrorContains(t, err, "widgets.example.com has 3 resource instances")
		assert.ErrorContains(t, err, "example.com/hold in 3 resource instances")
		assert.LessOrEqual(t, strings.Count(err.Error(), "widgets.example.com"), 1)
	})
}

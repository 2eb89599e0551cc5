package rpc_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func init() {
	resources["HorizontalPodAutoscaler"] = schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
	resources["Socket"] = schema.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "sockets"}
	resources["OldSocket"] = schema.GroupVersionResource{Group: "example.org", Version: "v1beta1", Resource: "sockets"}
	resources["Lamp"] = schema.GroupVersionResource{Group: "example.net", Version: "v1", Resource: "lamps"}
}

// requireOneEntry proves that one manager, this resource, has applied the object.
func requireOneEntry(t *testing.T, w world, s *session, kind, name string) {
	t.Helper()
	managers := w.get(kind, name).GetManagedFields()
	require.Len(t, managers, 1)
	assert.Equal(t, at(t, s.outputs, "__fieldManager"), managers[0].Manager)
}

// defineInTwoVersions makes a kind that is served as v1beta1 and v1.
func (w world) defineInTwoVersions(t *testing.T, group, kind string) {
	t.Helper()
	singular := strings.ToLower(kind)
	definition := object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]ss.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: %[3]s, plural: %[2]ss, singular: %[2]s, listKind: %[3]sList}
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`, group, singular, kind)
	_, err := w.client.Resource(definitions).Create(t.Context(), &unstructured.Unstructured{Object: definition}, metav1.CreateOptions{})
	require.NoError(t, err)
	eventually(t, func() bool {
		_, err := w.objects(kind).List(t.Context(), listAll)
		return err == nil
	}, "the kind is served")
}

func TestAnotherVersionOfTheSameKind(t *testing.T) {
	t.Parallel()
	t.Run("autoscaling/v1 to v2 is an update in place [O43]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(object(t, `
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: %s, labels: {old: "yes"}}
spec:
  minReplicas: 1
  maxReplicas: 4
  targetCPUUtilizationPercentage: 50
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`, w.namespace)))
		uid := w.get("HorizontalPodAutoscaler", "web").GetUID()
		in := program(object(t, `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: %s}
spec:
  minReplicas: 2
  maxReplicas: 4
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`, w.namespace))
		diff, err := s.mustRead().diff(in)
		require.NoError(t, err)
		assert.False(t, diff.Replace())
		s.mustUp("update", in).mustUp("same", in)
		live := w.get("HorizontalPodAutoscaler", "web")
		assert.Equal(t, uid, live.GetUID())
		assert.EqualValues(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Equal(t, "autoscaling/v2", at(t, s.outputs, "resourceRef.apiVersion"))
		assert.Empty(t, live.GetLabels(), "what was dropped on the way is gone")
		assert.EqualValues(t, 2, w.value("HorizontalPodAutoscaler", "web", "spec", "minReplicas"))
		requireOneEntry(t, w, s, "HorizontalPodAutoscaler", "web")
		s.mustUp("update", with(t, in, "manifest.spec.minReplicas", 3))
		assert.Equal(t, uid, w.get("HorizontalPodAutoscaler", "web").GetUID())
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("HorizontalPodAutoscaler", "web"))
	})
	t.Run("v1beta1 to v1 of a custom kind, and nothing else, is in place [O43]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.defineInTwoVersions(t, "example.net", "Lamp")
		lamp := func(version string) resource.PropertyMap {
			return program(object(t, `
apiVersion: example.net/%s
kind: Lamp
metadata: {name: lamp, namespace: %s}
spec: {color: red, watts: 7}
`, version, w.namespace))
		}
		s := start(t, inline(newUser(t))).resource(t, "lamp").mustUp("create", lamp("v1beta1"))
		uid := w.get("Lamp", "lamp").GetUID()
		did, err := s.up(lamp("v1"))
		require.NoError(t, err)
		assert.NotEqual(t, "replace", did)
		s.mustUp("same", lamp("v1"))
		in := with(t, lamp("v1"), "manifest.spec.color", "blue")
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, uid, w.get("Lamp", "lamp").GetUID())
		assert.Equal(t, "blue", w.value("Lamp", "lamp", "spec", "color"))
		requireOneEntry(t, w, s, "Lamp", "lamp")
		assert.Empty(t, s.warned())
	})
}

func TestAVersionThatIsNoLongerServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.defineInTwoVersions(t, "example.org", "Socket")
	// Another process, so that it asks again which kinds there are.
	process := func() *process { return start(t, inline(newUser(t))) }
	served := func(kind string) func() bool {
		return func() bool {
			_, err := w.objects(kind).List(t.Context(), listAll)
			return err == nil
		}
	}
	eventually(t, served("OldSocket"), "the old version is served")
	in := program(object(t, `
apiVersion: example.org/v1beta1
kind: Socket
metadata: {name: socket, namespace: %s}
spec: {volts: 230}
`, w.namespace), map[string]any{"deletionPropagation": "Background"})
	s := process().resource(t, "socket").mustUp("create", in)
	uid := w.get("Socket", "socket").GetUID()

	unserve := []byte(`[{"op": "replace", "path": "/spec/versions/0/served", "value": false}]`)
	_, err := w.client.Resource(definitions).Patch(t.Context(), "sockets.example.org", types.JSONPatchType, unserve, metav1.PatchOptions{})
	require.NoError(t, err)
	eventually(t, func() bool { return !served("OldSocket")() }, "the old version is no longer served")

	t.Run("its objects are not gone at read [O18]", func(t *testing.T) {
		s.in(process()).mustRead()
		assert.EqualValues(t, uid, at(t, s.outputs, "resourceRef.uid"))
		s.mustUp("same", in)
	})
	t.Run("a preview of a change in it says where the kind is, since it may come back [O56]", func(t *testing.T) {
		did, _, err := s.in(process()).preview(with(t, in, "manifest.spec.volts", 110))
		require.NoError(t, err)
		assert.Equal(t, "update", did)
		assert.Contains(t, s.warned(), "example.org/v1")
	})
	t.Run("a version that comes in the same run is waited for, and the object is updated in place [O15]", func(t *testing.T) {
		s := s.in(process())
		serve := bytes.Replace(unserve, []byte("false"), []byte("true"), 1)
		time.AfterFunc(time.Second, func() {
			_, _ = w.client.Resource(definitions).Patch(context.Background(), "sockets.example.org", types.JSONPatchType, serve, metav1.PatchOptions{})
		})
		in = with(t, in, "manifest.spec.volts", 110)
		s.mustUp("update", in).mustUp("same", in)
		live := w.get("Socket", "socket")
		assert.Equal(t, uid, live.GetUID())
		assert.EqualValues(t, 110, w.value("Socket", "socket", "spec", "volts"))
		_, err = w.client.Resource(definitions).Patch(t.Context(), "sockets.example.org", types.JSONPatchType, unserve, metav1.PatchOptions{})
		require.NoError(t, err)
		eventually(t, func() bool { return !served("OldSocket")() }, "the old version is no longer served")
	})
	t.Run("its objects are deleted, and not merely forgotten [O18]", func(t *testing.T) {
		require.NoError(t, s.in(process()).destroy())
		assert.False(t, w.exists("Socket", "socket"))
	})
}

// An alias gives a resource another name and leaves it its state. That its field manager follows is proven by
// TestTheManagerFollowsTheURN.
func TestARenamedResourceKeepsItsObject(t *testing.T) {
	t.Parallel()
	renamed := func(t *testing.T, more ...map[string]any) (w world, s *session, manager any, in resource.PropertyMap) {
		w = newWorld(t)
		in = program(w.configMap("web", nil), more...)
		s = start(t, inline(newUser(t))).resource(t, "before").mustUp("create", in)
		manager = at(t, s.outputs, "__fieldManager")
		s.urn = urnOf("after")
		return w, s.in(start(t, inline(newUser(t)))), manager, in
	}
	t.Run("nothing of the object changes by it but who manages it [O64] [O89]", func(t *testing.T) {
		w, s, manager, in := renamed(t)
		before := w.get("ConfigMap", "web")
		s.mustUp("update", in).mustUp("same", in)
		after := w.get("ConfigMap", "web")
		assert.Equal(t, before.GetUID(), after.GetUID())
		assert.Equal(t, before.Object["data"], after.Object["data"])
		assert.NotEqual(t, manager, at(t, s.outputs, "__fieldManager"))
		w.patch("ConfigMap", "web", map[string]any{"data": map[string]any{"a": "drift"}})
		assert.Equal(t, map[string]string{"manifest.data.a": "update"}, drifted(s, in))
		repaired(s, in)
	})
	t.Run("a field that is dropped is removed, and one manager remains [O64]", func(t *testing.T) {
		w, s, manager, _ := renamed(t)
		in := program(w.configMap("web", map[string]any{"a": "9"}))
		assert.Equal(t, map[string]string{"manifest.data.a": "update", "manifest.data.b": "delete"}, s.mustRead().mustDiff(in))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "9"}, w.value("ConfigMap", "web", "data"))
		assert.NotEqual(t, manager, at(t, s.outputs, "__fieldManager"))
		requireOneEntry(t, w, s, "ConfigMap", "web")
		assert.Empty(t, s.warned())
	})
	t.Run("fields that are ignored from then on are released [O64]", func(t *testing.T) {
		w, s, manager, _ := renamed(t)
		in := program(w.configMap("web", map[string]any{"a": "9", "b": "3"}), ignoring("data.b"))
		s.mustUp("update", in)
		assert.Equal(t, map[string]any{"a": "9", "b": "2"}, w.value("ConfigMap", "web", "data"))
		assert.NotEqual(t, manager, at(t, s.outputs, "__fieldManager"))
		assert.NotContains(t, w.ours(t, s, "ConfigMap", "web"), "f:b")
	})
	t.Run("a lost reply after it is continued [O64] [O70]", func(t *testing.T) {
		g := newGateway(t)
		w, s, manager, _ := renamed(t)
		in := program(w.configMap("web", map[string]any{"a": "9"}))
		s.in(start(t, g.connection()))
		g.next(isRealApply, loseReply)
		_, err := s.up(in)
		requirePending(t, s, err)
		s.in(start(t, g.connection())).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, map[string]any{"a": "9"}, w.value("ConfigMap", "web", "data"))
		assert.NotEqual(t, manager, at(t, s.outputs, "__fieldManager"))
		requireOneEntry(t, w, s, "ConfigMap", "web")
	})
	t.Run("destroyed under the new name, the object is gone [O64]", func(t *testing.T) {
		w, s, _, _ := renamed(t)
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("without the alias, neither resource deletes the live object [O64]", func(t *testing.T) {
		w, s, _, in := renamed(t)
		s.urn = urnOf("before")
		s.mustRead()
		again := s.process.resource(t, "after")
		err := again.create(in)
		require.ErrorContains(t, err, `managed by the KubeObject "before"`)
		assert.ErrorContains(t, err, "aliases")
		assert.True(t, w.exists("ConfigMap", "web"))
	})
}

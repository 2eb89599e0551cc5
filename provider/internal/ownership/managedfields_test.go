package ownership_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// Release and ReleaseExcept rely on what the API server makes of edited managedFields, so these tests ask it.

var shared = cluster.Shared{}

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

const patchManager = "k8sconnect-patch-shop.prod.tune-00000000"

// subject is an object that several managers work on.
type subject struct {
	t       *testing.T
	objects dynamic.ResourceInterface
	name    string
}

// on is the object called name of a resource, in namespace unless that is empty.
func on(t *testing.T, resource schema.GroupVersionResource, namespace, name string) subject {
	t.Helper()
	client, err := dynamic.NewForConfig(shared.Get(t).RESTConfig())
	require.NoError(t, err)
	if namespace == "" {
		return subject{t, client.Resource(resource), name}
	}
	return subject{t, client.Resource(resource).Namespace(namespace), name}
}

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	daemonSets  = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "daemonsets"}
	roles       = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	widgets     = schema.GroupVersionResource{Group: "handback.example.net", Version: "v1", Resource: "widgets"}
)

func manifest(t testing.TB, format string, args ...any) map[string]any {
	t.Helper()
	var result map[string]any
	require.NoError(t, yaml.Unmarshal(fmt.Appendf(nil, format, args...), &result))
	return result
}

func configMap(t testing.TB, namespace, name, data string) map[string]any {
	return manifest(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}, data: %s}`, name, namespace, data)
}

func (s subject) get() *unstructured.Unstructured {
	s.t.Helper()
	live, err := s.objects.Get(s.t.Context(), s.name, metav1.GetOptions{})
	require.NoError(s.t, err)
	return live
}

func (s subject) apply(manager string, force bool, wanted map[string]any) error {
	_, err := s.objects.Apply(s.t.Context(), s.name, &unstructured.Unstructured{Object: wanted},
		metav1.ApplyOptions{FieldManager: manager, Force: force})
	return err
}

func (s subject) jsonPatch(manager string, patch []byte) error {
	_, err := s.objects.Patch(s.t.Context(), s.name, types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: manager})
	return err
}

// handBack does it, and proves that nothing but managedFields and resourceVersion changed.
func (s subject) handBack(keep ownership.Kept) {
	s.t.Helper()
	before := s.get()
	patch, err := ownership.ReleaseExcept(patchManager, keep).Patch(before)
	require.NoError(s.t, err)
	require.NotNil(s.t, patch)
	require.NoError(s.t, s.jsonPatch(patchManager, patch))
	after := s.get()
	again, err := ownership.ReleaseExcept(patchManager, keep).Patch(after)
	require.NoError(s.t, err)
	assert.Nil(s.t, again, "there is nothing left to do")
	assert.Equal(s.t, content(before), content(after), "values stay")
	assert.Equal(s.t, before.GetGeneration(), after.GetGeneration())
}

// content is the object without what every write changes, and without what controllers report.
func content(live *unstructured.Unstructured) map[string]any {
	live = live.DeepCopy()
	live.SetManagedFields(nil)
	live.SetResourceVersion("")
	delete(live.Object, "status")
	return live.Object
}

func ofPrefix(live *unstructured.Unstructured, prefix string) []string {
	return slices.DeleteFunc(ownership.Managers(live), func(manager string) bool { return !strings.HasPrefix(manager, prefix) })
}

func workload(t testing.TB, kind, namespace, image, color string) map[string]any {
	return manifest(t, `
apiVersion: apps/v1
kind: %s
metadata: {name: web, namespace: %s, labels: {color: %s}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "%s", env: [{name: COLOR, value: %s}]}]}
`, kind, namespace, color, image, color)
}

func TestHandingBackToAPreviousOwner(t *testing.T) {
	t.Parallel()
	namespace := shared.Get(t).Namespace(t)
	s := on(t, deployments, namespace, "web")
	require.NoError(t, s.apply("eks", false, workload(t, "Deployment", namespace, "a", "red")))
	require.NoError(t, s.apply(patchManager, true, manifest(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: %s, labels: {color: blue}}
spec: {template: {spec: {containers: [{name: web, image: b, env: [{name: COLOR, value: blue}]}]}}}
`, namespace)))
	// An entry of another operation under the same name.
	require.NoError(t, s.jsonPatch(patchManager, []byte(`[{"op":"add","path":"/spec/minReadySeconds","value":5}]`)))
	require.Len(t, ofEntries(s.get(), patchManager), 2)

	t.Run("a path that is dropped keeps its value, and the others stay ours [P24]", func(t *testing.T) {
		color := fieldpath.MakePathOrDie("metadata", "labels", "color")
		applied, _, err := ownership.Applied(s.get(), patchManager)
		require.NoError(t, err)
		s.handBack(ownership.Kept{
			Applied: applied.Difference(fieldpath.NewSet(color)), Updated: fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "minReadySeconds")),
		})
		assert.Equal(t, "blue", s.get().GetLabels()["color"])
		owners, err := ownership.NewOwnership(s.get())
		require.NoError(t, err)
		assert.Empty(t, owners.Of(color))
		image, err := ownership.ParsePath("spec.template.spec.containers[name=web].image")
		require.NoError(t, err)
		assert.Equal(t, []ownership.Owner{{Manager: patchManager, Operation: metav1.ManagedFieldsOperationApply}}, owners.Of(image))
		// The next apply, without it, does not delete it.
		require.NoError(t, s.apply(patchManager, true, manifest(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: %s}
spec: {template: {spec: {containers: [{name: web, image: b, env: [{name: COLOR, value: blue}]}]}}}
`, namespace)))
		assert.Equal(t, "blue", s.get().GetLabels()["color"])
	})

	t.Run("a required field is released, which an apply without it cannot do [P29]", func(t *testing.T) {
		err := s.apply(patchManager, true, manifest(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: %s}}`, namespace))
		require.True(t, apierrors.IsInvalid(err), "%v", err)
		s.handBack(ownership.Kept{})
		assert.Empty(t, ofPrefix(s.get(), "k8sconnect-"))
	})

	t.Run("the previous owner applies again without a conflict [P25]", func(t *testing.T) {
		require.NoError(t, s.apply("eks", false, workload(t, "Deployment", namespace, "c", "green")))
		live := s.get()
		assert.Equal(t, "green", live.GetLabels()["color"])
		containers, _, err := unstructured.NestedSlice(live.Object, "spec", "template", "spec", "containers")
		require.NoError(t, err)
		assert.Equal(t, "c", containers[0].(map[string]any)["image"])
		seconds, _, err := unstructured.NestedInt64(live.Object, "spec", "minReadySeconds")
		require.NoError(t, err)
		assert.EqualValues(t, 5, seconds, "what the update added stays")
		assert.NotContains(t, ownership.Managers(live), "before-first-apply")
	})
}

func ofEntries(live *unstructured.Unstructured, manager string) []metav1.ManagedFieldsEntry {
	return slices.DeleteFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager != manager })
}

func TestHandingBackAsTheSoleManager(t *testing.T) {
	t.Parallel()
	namespace := shared.Get(t).Namespace(t)
	defineWidgets(t)
	for kind, c := range map[string]struct {
		subject  subject
		manifest func(color string) map[string]any
	}{
		"ConfigMap": {on(t, configMaps, namespace, "web"), func(color string) map[string]any {
			return manifest(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: %s, labels: {color: %s}}, data: {color: %[2]s}}`,
				namespace, color)
		}},
		"DaemonSet": {on(t, daemonSets, namespace, "web"), func(color string) map[string]any {
			return workload(t, "DaemonSet", namespace, color, color)
		}},
		"ClusterRole": {on(t, roles, "", namespace), func(color string) map[string]any {
			return manifest(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s, labels: {color: %s}},
				rules: [{apiGroups: [""], resources: [%[2]s], verbs: [get]}]}`, namespace, color)
		}},
		"Widget": {on(t, widgets, namespace, "web"), func(color string) map[string]any {
			return manifest(t, `{apiVersion: handback.example.net/v1, kind: Widget, metadata: {name: web, namespace: %s, labels: {color: %s}},
				spec: {color: %[2]s}}`, namespace, color)
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			s := c.subject
			s.t = t
			if kind == "ClusterRole" {
				t.Cleanup(func() { _ = s.objects.Delete(context.Background(), s.name, metav1.DeleteOptions{}) })
			}
			require.NoError(t, s.apply(patchManager, true, c.manifest("red")))
			s.handBack(ownership.Kept{})
			live := s.get()
			assert.Empty(t, ofPrefix(live, "k8sconnect-"), "our manager is gone [P26]")
			require.Len(t, live.GetManagedFields(), 1, "an entry stands in")
			intended, reported, err := ownership.Imported(live)
			require.NoError(t, err)
			assert.True(t, intended.Empty() && reported.Empty(), "which is nobody's intent")

			// An update by someone leaves it there.
			require.NoError(t, s.jsonPatch("someone", []byte(`[{"op":"add","path":"/metadata/annotations","value":{"a":"b"}}]`)))
			require.NoError(t, s.apply("previous", false, c.manifest("blue")), "another manager applies other values without a conflict [P25]")
			live = s.get()
			assert.Equal(t, map[string]string{"color": "blue"}, live.GetLabels())
			assert.NotContains(t, ownership.Managers(live), "before-first-apply")

			less := c.manifest("blue")
			delete(less["metadata"].(map[string]any), "labels")
			require.NoError(t, s.apply("previous", false, less))
			assert.Empty(t, s.get().GetLabels(), "and it alone owns them: what it drops is deleted")

			require.NoError(t, s.apply(patchManager, true, c.manifest("green")), "a Patch may come again, and go")
			s.handBack(ownership.Kept{})
			assert.Empty(t, ofPrefix(s.get(), "k8sconnect-"))
		})
	}

	t.Run("the alternatives do not do: the server drops an entry that owns nothing", func(t *testing.T) {
		for name, list := range map[string]string{
			"no-entry":       `[]`,
			"empty-entry":    `[{}]`,
			"without-fields": `[{"manager":"any","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}]`,
		} {
			s := on(t, configMaps, namespace, name)
			require.NoError(t, s.apply(patchManager, true, configMap(t, namespace, name, "{k: '1'}")))
			require.NoError(t, s.jsonPatch("", []byte(`[{"op":"add","path":"/metadata/managedFields","value":`+list+`}]`)))
			require.Empty(t, s.get().GetManagedFields(), name)
			err := s.apply("previous", false, configMap(t, namespace, name, "{k: '2'}"))
			assert.True(t, apierrors.IsConflict(err), "%s: %v", name, err)
			assert.ErrorContains(t, err, "before-first-apply", name)
		}
	})
}

func TestFinalizersAreRemovedFromTheObjectThatWasRead(t *testing.T) {
	t.Parallel()
	namespace := shared.Get(t).Namespace(t)
	s := on(t, configMaps, namespace, "web")
	require.NoError(t, s.apply("first", false, manifest(t, `
apiVersion: v1
kind: ConfigMap
metadata: {name: web, namespace: %s, finalizers: [example.com/a, example.com/b]}
`, namespace)))
	held := s.get()
	patch, err := ownership.WithoutFinalizers(held, held.GetFinalizers())
	require.NoError(t, err)
	require.NoError(t, s.jsonPatch("", patch))
	assert.Empty(t, s.get().GetFinalizers())
	err = s.jsonPatch("", patch)
	assert.True(t, apierrors.IsConflict(err), "they are gone already: %v", err)
	patch, err = ownership.WithoutFinalizers(s.get(), held.GetFinalizers())
	require.NoError(t, err)
	assert.Nil(t, patch)
}

func TestReleasingAllThatIsThereLeavesItToWhoeverAppliesNext(t *testing.T) {
	t.Parallel()
	namespace := shared.Get(t).Namespace(t)
	const manager = "k8sconnect-shop.prod.web-00000000"
	s := on(t, configMaps, namespace, "web")
	require.NoError(t, s.apply(manager, true, configMap(t, namespace, "web", "{ignored: '1'}")))
	patch, err := ownership.Release(manager, fieldpath.NewSet(fieldpath.MakePathOrDie("data", "ignored"))).Patch(s.get())
	require.NoError(t, err)
	require.NoError(t, s.jsonPatch(manager, patch))
	require.NoError(t, s.apply("other", false, configMap(t, namespace, "web", "{ignored: '2'}")))
	require.NoError(t, s.apply(manager, false, configMap(t, namespace, "web", "{ours: '1'}")))
	require.NoError(t, s.apply(manager, false, configMap(t, namespace, "web", "{}")))
	data, _, err := unstructured.NestedStringMap(s.get().Object, "data")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"ignored": "2"}, data)
}

func defineWidgets(t *testing.T) {
	t.Helper()
	s := on(t, definitions, "", "widgets.handback.example.net")
	require.NoError(t, s.apply("someone", true, manifest(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.handback.example.net}
spec:
  group: handback.example.net
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}}}}}}
`)))
	require.Eventually(t, func() bool {
		_, err := on(t, widgets, "default", "").objects.List(t.Context(), metav1.ListOptions{})
		return err == nil
	}, time.Minute, 50*time.Millisecond, "the kind is served")
}

func TestAnEditOfAnObjectThatHasChangedIsAConflict(t *testing.T) {
	t.Parallel()
	namespace := shared.Get(t).Namespace(t)
	for name, change := range map[string]func(s subject) error{
		"value": func(s subject) error {
			return s.jsonPatch("someone", []byte(`[{"op":"add","path":"/data/other","value":"1"}]`))
		},
		"fewer-managers": func(s subject) error {
			return s.apply("first", false, manifest(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s}}`, s.name, namespace))
		},
		"no-managers": func(s subject) error {
			return s.jsonPatch("", []byte(`[{"op":"add","path":"/metadata/managedFields","value":[]}]`))
		},
		"recreated": func(s subject) error {
			err := s.objects.Delete(t.Context(), s.name, metav1.DeleteOptions{})
			if err == nil {
				err = s.apply("other", false, configMap(t, namespace, s.name, "{z: '1'}"))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := on(t, configMaps, namespace, name)
			require.NoError(t, s.apply("first", false, configMap(t, namespace, name, "{a: '1'}")))
			require.NoError(t, s.apply(patchManager, false, configMap(t, namespace, name, "{b: '1'}")))
			stale := s.get()
			require.NoError(t, change(s))
			before := s.get()

			handBack, err := ownership.ReleaseExcept(patchManager, ownership.Kept{}).Patch(stale)
			require.NoError(t, err)
			release, err := ownership.Release(patchManager, fieldpath.NewSet(fieldpath.MakePathOrDie("data", "b"))).Patch(stale)
			require.NoError(t, err)
			for _, patch := range [][]byte{handBack, release} {
				err = s.jsonPatch(patchManager, patch)
				assert.True(t, apierrors.IsConflict(err), "%s: %v", fmt.Sprint(before.GetManagedFields()), err)
			}
			assert.Equal(t, before.Object, s.get().Object)
		})
	}
}

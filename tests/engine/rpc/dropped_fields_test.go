package rpc_test

import (
	"context"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// dropping is a policy that drops data.gated of the ConfigMaps of the namespace, as a feature that is off does. It returns how to
// switch the feature on.
func (w world) dropping() (open func()) {
	w.t.Helper()
	name := "gated-" + w.namespace
	w.install("mutatingadmissionpolicies", object(w.t, `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[2]s}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
  matchConditions: [{name: gated, expression: "has(object.data) && 'gated' in object.data"}]
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'remove', path: '/data/gated'}]"}}]
`, name, w.namespace))
	w.install("mutatingadmissionpolicybindings", object(w.t, `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: %[1]s}
spec: {policyName: %[1]s}
`, name))
	isOpen := func() bool {
		probe := w.configMap("probe", nil)
		probe["data"] = map[string]any{"gated": "on"}
		answer, err := w.objects("ConfigMap").Create(w.t.Context(), &unstructured.Unstructured{Object: probe},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		require.NoError(w.t, err)
		_, kept, _ := unstructured.NestedString(answer.Object, "data", "gated")
		return kept
	}
	eventually(w.t, func() bool { return !isOpen() }, "the gate is closed")
	return func() {
		w.t.Helper()
		require.NoError(w.t, w.client.Resource(admission("mutatingadmissionpolicybindings")).Delete(context.Background(), name, metav1.DeleteOptions{}))
		eventually(w.t, isOpen, "the gate is open")
	}
}

const notKept = "did not keep them: data.gated"

func TestAValueThatTheAPIServerDrops(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]func(w world) (values func(gated string) resource.PropertyMap){
		"of an object": func(w world) func(string) resource.PropertyMap {
			return func(gated string) resource.PropertyMap {
				manifest := w.configMap("it", nil)
				manifest["data"] = map[string]any{"a": "1", "gated": gated}
				return program(manifest)
			}
		},
		"of a patch": func(w world) func(string) resource.PropertyMap {
			w.apply("owner", w.configMap("it", nil))
			return func(gated string) resource.PropertyMap {
				return patching(w.configMap("it", nil), setting("patch", data("gated", gated)))
			}
		},
		"of a merge patch": func(w world) func(string) resource.PropertyMap {
			w.apply("owner", w.configMap("it", nil))
			return func(gated string) resource.PropertyMap {
				return patching(w.configMap("it", nil), setting("mergePatch", data("gated", gated)))
			}
		},
		"of a JSON patch": func(w world) func(string) resource.PropertyMap {
			w.apply("owner", w.configMap("it", nil))
			return func(gated string) resource.PropertyMap {
				return patching(w.configMap("it", nil), m{"jsonPatch": []any{m{"op": "add", "path": "/data", "value": m{"kept": "1", "gated": gated}}}})
			}
		},
	} {
		t.Run(name+" is said, and applied when it would be kept [D56]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			open := w.dropping()
			g := newGateway(t)
			s := start(t, g.connection())
			if name == "of an object" {
				it := s.resource(t, "it")
				dropped(t, w, g, it, c(w), open)
				return
			}
			it := patched(t, w, s, "it")
			dropped(t, w, g, it, c(w), open)
		})
	}
	t.Run("zero values are not dropped", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: %s},
spec: {replicas: 0, paused: false, minReadySeconds: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},
spec: {hostNetwork: false, nodeSelector: {}, containers: [{name: web, image: "web:1", stdin: false, env: [], ports: [{containerPort: 1}]}]}}}}`, w.namespace)))
		assert.NotContains(t, s.warned(), "did not keep")
		assert.NotContains(t, s.outputs, resource.PropertyKey("__droppedFields"))
	})
}

func TestADroppedValueOfAJSONPatchIsTriedAgainWithoutTheOtherOperations(t *testing.T) { // [D56]
	t.Parallel()
	w := newWorld(t)
	it := w.configMap("it", nil)
	it["data"] = m{"a": "1", "old": "x"}
	w.apply("owner", it)
	open := w.dropping()
	s := patched(t, w, start(t, inline(newUser(t))), "it")
	in := patching(it, m{"jsonPatch": []any{
		operation("test", "/data/a", "1"), operation("replace", "/data/a", "2"), m{"op": "remove", "path": "/data/old"}, operation("add", "/data/gated", "on"),
	}})
	s.previewed("create", in)
	assert.Contains(t, s.warned(), notKept)
	s.mustUp("create", in)
	assert.Contains(t, s.warned(), notKept)
	s = s.in(s.process.again(t)).mustUp("same", in)
	assert.Contains(t, s.warned(), notKept)

	w.edit("ConfigMap", "it", func(object map[string]any) { object["data"].(map[string]any)["a"] = "drifted" })
	s = s.in(s.process.again(t)).mustUp("update", in)
	assert.Contains(t, s.warned(), notKept)
	assert.Equal(t, "2", w.value("ConfigMap", "it", "data", "a"))

	open()
	s = s.in(s.process.again(t)).mustUp("update", in)
	assert.NotContains(t, s.warned(), notKept)
	assert.Equal(t, "on", w.value("ConfigMap", "it", "data", "gated"))
	s.in(s.process.again(t)).mustUp("same", in)
}

func dropped(t *testing.T, w world, g *gateway, s *session, values func(gated string) resource.PropertyMap, open func()) {
	t.Helper()
	s.mustUp("create", values("on"))
	assert.Contains(t, s.warned(), notKept)

	s = s.in(s.process.again(t))
	asked := g.watchRequests()
	s.mustUp("same", values("on"))
	assert.Contains(t, s.warned(), notKept, "as long as it is not there")
	requests := asked()
	assert.LessOrEqual(t, len(requests), 3, "%v", requests)

	s = s.in(s.process.again(t)).mustUp("same", values("off"))
	assert.Contains(t, s.warned(), notKept)

	open()
	s = s.in(s.process.again(t)).mustUp("update", values("off"))
	assert.Equal(t, "off", w.value("ConfigMap", "it", "data", "gated"))
	assert.NotContains(t, s.warned(), notKept)
	assert.NotContains(t, s.outputs, resource.PropertyKey("__droppedFields"))
	s.in(s.process.again(t)).mustUp("same", values("off"))
}

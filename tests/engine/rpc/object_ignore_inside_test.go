package rpc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func init() {
	resources["NetworkPolicy"] = schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"}
}

// TestIgnoredPartsOfWhatIsOwnedAsAWhole is about ignoreFields below lists and maps that the API server replaces as a whole,
// and of items that are named by something else than their merge keys.
func TestIgnoredPartsOfWhatIsOwnedAsAWhole(t *testing.T) {
	t.Parallel()
	label := func(t *testing.T, in map[string]any) map[string]any {
		t.Helper()
		in["metadata"].(map[string]any)["labels"] = map[string]any{"round": "2"}
		return in
	}

	t.Run("the ports of a NetworkPolicy stay closed [D2]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		policy := func() map[string]any {
			return object(t, `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: %s}
spec:
  podSelector: {}
  ingress:
  - from: [{podSelector: {}}]
    ports: [{port: 443}]
`, w.namespace)
		}
		ignored := ignoring("spec.ingress[*].ports")
		s := start(t, g.connection()).resource(t, "closed").mustUp("create", program(policy(), ignored))
		w.jsonPatch("NetworkPolicy", "closed", map[string]any{"op": "replace", "path": "/spec/ingress/0/ports/0/port", "value": 8443})
		s.mustUp("same", program(policy(), ignored))
		ports := func() any {
			ingress := w.value("NetworkPolicy", "closed", "spec", "ingress").([]any)
			return ingress[0].(map[string]any)["ports"]
		}
		want := []any{map[string]any{"port": int64(8443), "protocol": "TCP"}}
		// The object changes once while the apply is on its way.
		g.next(isRealApply, meanwhile(func() {
			w.patch("NetworkPolicy", "closed", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"busy": "yes"}}})
		}))
		in := program(label(t, policy()), ignored)
		assert.Equal(t, map[string]string{"manifest.metadata.labels": "add"}, s.mustDiff(in))
		s.mustUp("update", in)
		assert.Equal(t, want, ports())
		assert.Equal(t, "yes", w.value("NetworkPolicy", "closed", "metadata", "annotations", "busy"))
		s.mustUp("same", in)

		t.Run("and where it is not clear which item is which, nothing is written", func(t *testing.T) {
			w.jsonPatch("NetworkPolicy", "closed", map[string]any{"op": "add", "path": "/spec/ingress/-", "value": map[string]any{
				"from": []any{map[string]any{"podSelector": map[string]any{"matchLabels": map[string]any{"a": "b"}}}}}})
			changed := label(t, policy())
			changed["spec"].(map[string]any)["ingress"].([]any)[0].(map[string]any)["from"] = []any{map[string]any{"namespaceSelector": map[string]any{}}}
			version := w.get("NetworkPolicy", "closed").GetResourceVersion()
			_, err := s.up(program(changed, ignored))
			require.ErrorContains(t, err, `ignoreFields: ["spec.ingress"]`)
			assert.Equal(t, version, w.get("NetworkPolicy", "closed").GetResourceVersion())

			live, in := w.value("NetworkPolicy", "closed", "spec", "ingress"), program(label(t, changed), pasted(t, err.Error(), "ignoreFields"))
			s.mustUp("update", in).mustUp("same", in)
			assert.Equal(t, live, w.value("NetworkPolicy", "closed", "spec", "ingress"), "the line that the message offers works")
		})
	})
	t.Run("the weights of a custom kind with a plain list stay what its controller made them [D2] [O39]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.define(definitionOf(t, w.group(), "Way", "{type: object, x-kubernetes-preserve-unknown-fields: true}"))
		w.served(w.group(), "Way")
		ways := w.client.Resource(customKind(w.group(), "Way")).Namespace(w.namespace)
		way := func() map[string]any {
			return object(t, `
apiVersion: %s/v1
kind: Way
metadata: {name: canary, namespace: %s}
spec:
  http:
  - route:
    - {destination: {host: old}, weight: 100}
    - {destination: {host: new}, weight: 0}
`, w.group(), w.namespace)
		}
		in := program(way(), ignoring("spec.http[*].route[*].weight"))
		s := start(t, inline(newUser(t))).resource(t, "canary").mustUp("create", in)
		shift := func(old, fresh int) []any {
			route := []any{
				map[string]any{"destination": map[string]any{"host": "old"}, "weight": int64(old)},
				map[string]any{"destination": map[string]any{"host": "new"}, "weight": int64(fresh)},
			}
			http := []any{map[string]any{"route": route}}
			body, err := json.Marshal(map[string]any{"spec": map[string]any{"http": http}})
			require.NoError(t, err)
			_, err = ways.Patch(t.Context(), "canary", types.MergePatchType, body, metav1.PatchOptions{FieldManager: "controller"})
			require.NoError(t, err)
			return http
		}
		shift(80, 20)
		s.mustUp("same", in)
		want := shift(60, 40)
		s.mustUp("same", in)
		in = program(label(t, way()), ignoring("spec.http[*].route[*].weight"))
		s.mustUp("update", in)
		live, err := ways.Get(t.Context(), "canary", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"http": want}, live.Object["spec"])
		s.mustUp("same", in)
	})
	t.Run("a port is the one of its name [D2]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := func(image string) map[string]any {
			d := w.deployment(t, "web")
			container := d["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["containers"].([]any)[0].(map[string]any)
			container["ports"] = []any{map[string]any{"name": "http", "containerPort": 80, "hostPort": 8080}}
			container["image"] = image
			return d
		}
		ignored := ignoring("spec.template.spec.containers[name=web].ports[name=http].hostPort")
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(made("nginx:1"), ignored))
		s.mustUp("update", program(made("nginx:2"), ignored))
		port := containerOf(t, w, "web")["ports"].([]any)[0].(map[string]any)
		assert.EqualValues(t, 8080, port["hostPort"])
		assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:hostPort")
		s.mustUp("same", program(made("nginx:2"), ignored))
	})
	t.Run("the seconds of a toleration [D2]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := func(image string) map[string]any {
			d := w.deployment(t, "web")
			spec := d["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
			spec["tolerations"] = []any{map[string]any{"key": "down", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}}
			spec["containers"].([]any)[0].(map[string]any)["image"] = image
			return d
		}
		ignored := ignoring("spec.template.spec.tolerations[*].tolerationSeconds")
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(made("nginx:1"), ignored))
		w.jsonPatch("Deployment", "web", map[string]any{"op": "replace", "path": "/spec/template/spec/tolerations/0/tolerationSeconds", "value": 90})
		s.mustUp("update", program(made("nginx:2"), ignored))
		tolerations := w.value("Deployment", "web", "spec", "template", "spec", "tolerations").([]any)
		assert.EqualValues(t, 90, tolerations[0].(map[string]any)["tolerationSeconds"])
		s.mustUp("same", program(made("nginx:2"), ignored))
	})
}

package rpc_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func admission(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: resource}
}

// install makes a cluster-scoped object of admission for the time of the test.
func (w world) install(resource string, object map[string]any) {
	w.t.Helper()
	body, err := json.Marshal(object)
	require.NoError(w.t, err)
	created := &unstructured.Unstructured{}
	require.NoError(w.t, json.Unmarshal(body, created))
	_, err = w.client.Resource(admission(resource)).Create(w.t.Context(), created, metav1.CreateOptions{})
	require.NoError(w.t, err)
	w.t.Cleanup(func() {
		// The test's own context is over.
		_ = w.client.Resource(admission(resource)).Delete(context.Background(), created.GetName(), metav1.DeleteOptions{})
	})
}

// probe waits until what was installed denies a dry-run of a ConfigMap with a label.
func (w world) probe(label, says string) {
	w.t.Helper()
	probe := w.configMap("probe", nil)
	probe["metadata"].(map[string]any)["labels"] = map[string]any{label: "yes"}
	eventually(w.t, func() bool {
		_, err := w.objects("ConfigMap").Create(w.t.Context(), &unstructured.Unstructured{Object: probe},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), says)
	}, "it is in force")
}

// deny runs a webhook that denies the operations on every ConfigMap of the namespace that has the label denied, dry-runs
// included, with this status. It returns how to stop its server.
func (w world) deny(name string, status map[string]any, operations ...string) (stop func()) {
	w.t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID       string         `json:"uid"`
				Operation string         `json:"operation"`
				Object    map[string]any `json:"object"`
				OldObject map[string]any `json:"oldObject"`
			} `json:"request"`
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(rw, "not a review", http.StatusBadRequest)
			return
		}
		about := review.Request.Object
		if about == nil {
			about = review.Request.OldObject
		}
		labels := (&unstructured.Unstructured{Object: about}).GetLabels()
		_, denied := labels["denied"]
		_, probed := labels["probe"]
		denied = (denied && slices.Contains(operations, review.Request.Operation)) || probed
		response := map[string]any{"uid": review.Request.UID, "allowed": !denied}
		if denied {
			response["status"] = status
		}
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response,
		})
	}))
	w.t.Cleanup(server.Close)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	configuration := object(w.t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
- name: %[1]s
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[2]s}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [configmaps]}]
  clientConfig: {url: "%[3]s"}
`, name, w.namespace, server.URL)
	hook := configuration["webhooks"].([]any)[0].(map[string]any)
	hook["clientConfig"].(map[string]any)["caBundle"] = authority
	w.install("validatingwebhookconfigurations", configuration)
	w.probe("probe", "denied the request")
	return func() {
		server.CloseClientConnections()
		server.Close()
	}
}

// denied is a ConfigMap that the webhook denies.
func (w world) denied(name string) map[string]any {
	manifest := w.configMap(name, nil)
	manifest["metadata"].(map[string]any)["labels"] = map[string]any{"denied": "yes"}
	return manifest
}

func TestADenialByAWebhook(t *testing.T) {
	t.Parallel()
	rules := map[string]any{"message": "the house rules forbid it"}
	t.Run("fails the preview and says who denied it and why [O54]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		hook := "house-rules." + w.group()
		w.deny(hook, rules, "CREATE", "UPDATE")
		good := program(w.configMap("web", nil))
		invalidity{
			good: good, bad: with(t, good, "manifest.metadata.labels", map[string]any{"denied": "yes"}),
			says:  []string{"ConfigMap", "web", `admission webhook "` + hook + `" denied`, "the house rules forbid it", "ask whoever runs the webhook"},
			never: []string{"CEL"},
		}.run(t)
	})
	t.Run("an update that is denied as if it were invalid never replaces [O46]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.deny("updates."+w.group(), map[string]any{"message": "no updates", "code": 422, "reason": "Invalid"}, "UPDATE")
		requireUpdateDenied(t, w, "no updates")
	})
	for _, code := range []int{404, 409, 500} {
		t.Run("with "+http.StatusText(code)+" to a create is a denial, and nothing is saved", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.deny("codes."+w.group(), map[string]any{"message": "no", "code": code}, "CREATE")
			s := start(t, inline(newUser(t))).resource(t, "web")
			err := s.create(program(w.denied("web")))
			require.ErrorContains(t, err, "denied the request")
			assert.NotContains(t, err.Error(), "not known whether")
			assert.Empty(t, s.id)
		})
	}
	t.Run("a delete that is denied with 404 is not a deleted object [O60]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.deny("deletes."+w.group(), map[string]any{"message": "keep it", "code": 404, "reason": "NotFound"}, "DELETE")
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(w.denied("web")))
		require.ErrorContains(t, s.destroy(), "keep it")
		assert.NotEmpty(t, s.id)
		assert.True(t, w.exists("ConfigMap", "web"))
	})
	t.Run("one that cannot be asked is named, and nothing is saved", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		hook := "down." + w.group()
		w.deny(hook, rules, "CREATE")()
		s := start(t, inline(newUser(t))).resource(t, "web")
		s.timeout = 1
		err := s.create(program(w.configMap("web", nil)))
		require.ErrorContains(t, err, `admission webhook "`+hook+`" could not be called`)
		require.ErrorContains(t, err, "connection refused")
		assert.Empty(t, s.id)
		assert.False(t, w.exists("ConfigMap", "web"))
	})
}

// requireUpdateDenied has an update denied that would be accepted as a new object, and wants it to be an error: who
// denies a change has not said that it may be had by deleting the object.
func requireUpdateDenied(t *testing.T, w world, says string) {
	t.Helper()
	manifest := w.denied("kept")
	s := start(t, inline(newUser(t))).resource(t, "kept").mustUp("create", program(manifest))
	before := w.get("ConfigMap", "kept")
	changed := with(t, program(manifest), "manifest.data.a", "changed")
	did, _, err := s.preview(changed)
	require.ErrorContains(t, err, says)
	assert.Equal(t, "update", did)
	did, err = s.up(changed)
	require.ErrorContains(t, err, says)
	assert.Equal(t, "update", did)
	live := w.get("ConfigMap", "kept")
	assert.Equal(t, before.GetUID(), live.GetUID())
	assert.Equal(t, before.GetResourceVersion(), live.GetResourceVersion())
}

// policy puts a ValidatingAdmissionPolicy in force for the ConfigMaps of the namespace.
func (w world) policy(name, expression, message string) {
	w.t.Helper()
	w.install("validatingadmissionpolicies", object(w.t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[2]s}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
  validations:
  - {expression: "!has(object.metadata.labels) || !('probe' in object.metadata.labels)", message: probed}
  - {expression: "%[3]s", message: "%[4]s"}
`, name, w.namespace, expression, message))
	w.install("validatingadmissionpolicybindings", object(w.t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: %[1]s-here}
spec: {policyName: %[1]s, validationActions: [Deny]}
`, name))
	w.probe("probe", "probed")
}

func TestADenialByAPolicy(t *testing.T) {
	t.Parallel()
	t.Run("names the policy and says why, at the preview", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		name := "no-denied-" + w.namespace
		w.policy(name, "!has(object.metadata.labels) || !('denied' in object.metadata.labels)", "that label is bad")
		good := program(w.configMap("web", nil))
		invalidity{
			good: good, bad: with(t, good, "manifest.metadata.labels", map[string]any{"denied": "yes"}),
			says:  []string{`cannot `, `ConfigMap ` + w.namespace + `/web: ValidatingAdmissionPolicy "` + name + `" denied the request`, "that label is bad", name + "-here"},
			never: []string{"invalid", "CEL"},
		}.run(t)
	})
	t.Run("an update that is denied never replaces [O46]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.policy("no-updates-"+w.namespace, "request.operation != 'UPDATE'", "no updates here")
		requireUpdateDenied(t, w, "no updates here")
	})
}

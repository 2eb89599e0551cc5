package rpc_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var webhooks = schema.GroupVersionResource{
	Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations",
}

// invalidity has one mistake in a manifest refused in the preview of a create, in a create, in the preview of an update,
// and in an update, and wants all of what is said each time.
type invalidity struct {
	good, bad resource.PropertyMap
	// says are what the user is told, and never what he is not.
	says, never []string
}

func (i invalidity) run(t *testing.T) {
	t.Helper()
	told := func(t *testing.T, err error) {
		t.Helper()
		require.Error(t, err)
		for _, text := range i.says {
			assert.ErrorContains(t, err, text)
		}
		for _, text := range append(i.never, "initialization", "continues in place", "rpc error", "report this") {
			assert.NotContains(t, strings.ToLower(err.Error()), strings.ToLower(text))
		}
	}
	p := start(t, inline(newUser(t)))
	fresh := p.resource(t, "fresh")
	_, _, err := fresh.preview(i.bad)
	told(t, err)
	told(t, fresh.create(i.bad))
	assert.Empty(t, fresh.id, "nothing is saved")

	s := p.resource(t, "existing").mustUp("create", i.good)
	s.mustRead()
	before := s.stored
	did, _, err := s.preview(i.bad)
	told(t, err)
	assert.Equal(t, "diff", did, "the preview says so")
	inputs, err := s.check(i.bad, false)
	require.NoError(t, err)
	told(t, s.update(inputs))
	assert.Equal(t, before, s.stored, "nothing is saved")
	s.mustUp("same", i.good)
}

func TestTypos(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("one is named with its place", func(t *testing.T) {
		good := program(w.deployment(t, "one"))
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.replcas", 3),
			says: []string{"Deployment", "spec.replcas"}, never: []string{"CEL"},
		}.run(t)
	})
	t.Run("several in different places are all listed", func(t *testing.T) {
		good := program(w.deployment(t, "several"))
		bad := with(t, good, "manifest.spec.strategy", map[string]any{"tpye": "Recreate"})
		bad = with(t, bad, "manifest.spec.template.spec.containers[0].imagePullPolcy", "Always")
		bad = with(t, bad, "manifest.metadata.lables", map[string]any{"a": "b"})
		invalidity{
			good: good, bad: bad,
			says: []string{"spec.strategy.tpye", "imagePullPolcy", "metadata.lables"}, never: []string{"CEL"},
		}.run(t)
	})
	t.Run("one in a custom kind is named with its place", func(t *testing.T) {
		group := w.group()
		w.define(definitionOf(t, group, "Gadget", sized))
		w.served(group, "Gadget")
		good := program(custom(t, group, "Gadget", w.namespace, "{size: 3}"))
		invalidity{
			good: good, bad: program(custom(t, group, "Gadget", w.namespace, "{sise: 3}")),
			says: []string{"Gadget", "spec.sise"},
		}.run(t)
	})
}

func TestQuantities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("a bad one in a workload is the user's mistake", func(t *testing.T) {
		good := with(t, program(w.deployment(t, "workload")), "manifest.spec.template.spec.containers[0].resources",
			map[string]any{"limits": map[string]any{"memory": "64Mi"}})
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.template.spec.containers[0].resources.limits.memory", "64 megs"),
			says: []string{"Deployment", "quantit", "does not fit the kind's schema"},
		}.run(t)
	})
	t.Run("a bad one in a quota is the user's mistake", func(t *testing.T) {
		good := program(object(t, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: %s}, spec: {hard: {memory: 1Gi}}}`, w.namespace))
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.hard.memory", "1 gig"),
			says: []string{"ResourceQuota", "quantit"},
		}.run(t)
	})
}

func TestEnums(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("of a built-in kind, with the allowed values [O51]", func(t *testing.T) {
		good := with(t, program(w.deployment(t, "builtin")), "manifest.spec.template.spec.containers[0].imagePullPolicy", "Always")
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.template.spec.containers[0].imagePullPolicy", "Sometimes"),
			says:  []string{"spec.template.spec.containers[0].imagePullPolicy", `"Sometimes"`, `"Always"`, `"IfNotPresent"`, `"Never"`},
			never: []string{"CEL"},
		}.run(t)
	})
	t.Run("of a custom kind, with the allowed values [O51]", func(t *testing.T) {
		group := w.group()
		w.define(definitionOf(t, group, "Gadget", `{type: object, properties: {tier: {type: string, enum: [small, large]}}}`))
		w.served(group, "Gadget")
		invalidity{
			good: program(custom(t, group, "Gadget", w.namespace, "{tier: small}")),
			bad:  program(custom(t, group, "Gadget", w.namespace, "{tier: medium}")),
			says: []string{"Gadget", "spec.tier", `"medium"`, `"small"`, `"large"`}, never: []string{"CEL"},
		}.run(t)
	})
}

func TestRulesOfADefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group()
	w.define(definitionOf(t, group, "Gadget", `{type: object, properties: {min: {type: integer}, max: {type: integer}, names: {type: integer}},
		x-kubernetes-validations: [{rule: "self.min <= self.max", message: "min must not exceed max"},
			{rule: "self.names < 10", message: "fewer than ten names, please", fieldPath: .names}]}`))
	w.served(group, "Gadget")
	good := func(t *testing.T, name string) resource.PropertyMap {
		return with(t, program(custom(t, group, "Gadget", w.namespace, "{min: 1, max: 2, names: 3}")), "manifest.metadata.name", name)
	}
	t.Run("one that is broken is told in its own words [O52]", func(t *testing.T) {
		in := good(t, "one")
		invalidity{
			good: in, bad: with(t, in, "manifest.spec.min", 5),
			says: []string{"Gadget", "spec", "min must not exceed max"}, never: []string{"fewer than ten names"},
		}.run(t)
	})
	t.Run("several that are broken are all told [O52]", func(t *testing.T) {
		in := good(t, "several")
		invalidity{
			good: in, bad: with(t, with(t, in, "manifest.spec.min", 5), "manifest.spec.names", 50),
			says: []string{"min must not exceed max", "spec.names", "fewer than ten names"},
		}.run(t)
	})
}

func TestBuiltInValidationIsNotCalledARule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	never := []string{"CEL", "expression", "CustomResourceDefinition", "policy"}
	t.Run("a port out of range [O53]", func(t *testing.T) {
		good := program(object(t, `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: %s}, spec: {ports: [{port: 80}]}}`, w.namespace))
		bad := program(object(t, `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: %s}, spec: {ports: [{port: 70000}]}}`, w.namespace))
		invalidity{good: good, bad: bad, says: []string{"Service", "spec.ports[0].port", "70000", "between 1 and 65535"}, never: never}.run(t)
	})
	t.Run("several mistakes are all listed [O53]", func(t *testing.T) {
		good := program(w.configMap("keys", nil))
		bad := with(t, with(t, good, `manifest.data["no/key"]`, "x"), `manifest.metadata.labels`, map[string]any{"a": "no value!"})
		invalidity{good: good, bad: bad, says: []string{"data[no/key]", "metadata.labels", "no value!"}, never: never}.run(t)
	})
}

// deny runs a webhook that denies every ConfigMap of the namespace that has the label denied, dry-runs included.
func (w world) deny(name string) {
	w.t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID    string         `json:"uid"`
				Object map[string]any `json:"object"`
			} `json:"request"`
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(rw, "not a review", http.StatusBadRequest)
			return
		}
		_, denied := (&unstructured.Unstructured{Object: review.Request.Object}).GetLabels()["denied"]
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
			"response": map[string]any{
				"uid": review.Request.UID, "allowed": !denied, "status": map[string]any{"message": "the house rules forbid it"},
			},
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
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
  clientConfig: {url: "%[3]s"}
`, name, w.namespace, server.URL)
	hook := configuration["webhooks"].([]any)[0].(map[string]any)
	hook["clientConfig"].(map[string]any)["caBundle"] = authority
	body, err := json.Marshal(configuration)
	require.NoError(w.t, err)
	created := &unstructured.Unstructured{}
	require.NoError(w.t, json.Unmarshal(body, created))
	_, err = w.client.Resource(webhooks).Create(w.t.Context(), created, metav1.CreateOptions{})
	require.NoError(w.t, err)
	w.t.Cleanup(func() {
		// The test's own context is over.
		_ = w.client.Resource(webhooks).Delete(context.Background(), name, metav1.DeleteOptions{})
	})
	probe := w.configMap("probe", nil)
	probe["metadata"].(map[string]any)["labels"] = map[string]any{"denied": "yes"}
	eventually(w.t, func() bool {
		_, err := w.objects("ConfigMap").Create(w.t.Context(), &unstructured.Unstructured{Object: probe},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "house rules")
	}, "the webhook is called")
}

func TestADenialByAWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hook := "house-rules." + w.group()
	w.deny(hook)
	t.Run("fails the preview and says who denied it and why [O54]", func(t *testing.T) {
		good := program(w.configMap("web", nil))
		invalidity{
			good: good, bad: with(t, good, "manifest.metadata.labels", map[string]any{"denied": "yes"}),
			says:  []string{"ConfigMap", "web", `admission webhook "` + hook + `" denied`, "the house rules forbid it"},
			never: []string{"CEL"},
		}.run(t)
	})
}

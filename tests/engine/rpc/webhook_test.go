package rpc_test

import (
	"encoding/json"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// guard is an admission webhook that has to be asked about every ConfigMap of the namespace that has the label guarded.
type guard struct {
	world
	*cluster.Webhook
	name string
}

// newGuard installs a guard that is asked about these operations and does not answer.
func (w world) newGuard(operations ...string) *guard {
	w.t.Helper()
	g := &guard{world: w, Webhook: cluster.NewWebhook(w.t), name: "guard." + w.group()}
	g.install(operations, g.at(g.URL), "Fail")
	return g
}

// at is how the API server calls a server with the certificate of the guard.
func (g *guard) at(address string) map[string]any { return m{"url": address, "caBundle": g.CABundle} }

func (g *guard) install(operations []string, client map[string]any, failurePolicy string) {
	g.t.Helper()
	configuration := object(g.t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: %[1]s}
webhooks:
- name: %[1]s
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: %[3]s
  timeoutSeconds: 2
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[2]s}}
  objectSelector: {matchLabels: {guarded: "yes"}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [%[4]s], resources: [configmaps]}]
`, g.name, g.namespace, failurePolicy, strings.Join(operations, ", "))
	configuration["webhooks"].([]any)[0].(map[string]any)["clientConfig"] = client
	g.world.install("validatingwebhookconfigurations", configuration)
	if failurePolicy == "Fail" {
		g.inForce(operations)
	}
}

// inForce waits until the API server calls the webhook.
func (g *guard) inForce(operations []string) {
	g.t.Helper()
	probe := g.configMap("probe", nil)
	probe["metadata"].(map[string]any)["labels"] = m{"guarded": "yes"}
	dryRun := []string{metav1.DryRunAll}
	if operations[0] != "CREATE" {
		g.Answers.Store(true)
		g.create(probe)
		g.Answers.Store(false)
	}
	eventually(g.t, func() bool {
		var err error
		switch operations[0] {
		case "CREATE":
			_, err = g.objects("ConfigMap").Create(g.t.Context(), &unstructured.Unstructured{Object: probe}, metav1.CreateOptions{DryRun: dryRun})
		case "UPDATE":
			_, err = g.objects("ConfigMap").Patch(g.t.Context(), "probe", types.MergePatchType, []byte(`{"data": {"p": "q"}}`),
				metav1.PatchOptions{DryRun: dryRun})
		default:
			err = g.objects("ConfigMap").Delete(g.t.Context(), "probe", metav1.DeleteOptions{DryRun: dryRun})
		}
		return err != nil && strings.Contains(err.Error(), "failed calling webhook")
	}, "the webhook is called")
}

// configure changes how the API server calls the webhook.
func (g *guard) configure(client map[string]any) {
	g.t.Helper()
	body, err := json.Marshal([]any{m{"op": "replace", "path": "/webhooks/0/clientConfig", "value": client}})
	require.NoError(g.t, err)
	_, err = g.client.Resource(admission("validatingwebhookconfigurations")).
		Patch(g.t.Context(), g.name, types.JSONPatchType, body, metav1.PatchOptions{})
	require.NoError(g.t, err)
}

// guarded is a ConfigMap that the webhook is asked about.
func (g *guard) guarded(name string, data map[string]any) map[string]any {
	manifest := g.configMap(name, data)
	manifest["metadata"].(map[string]any)["labels"] = m{"guarded": "yes"}
	return manifest
}

// whileUnasked runs a write that waits for the webhook, does something meanwhile, has the webhook answer, and returns what
// the write came to.
func (g *guard) whileUnasked(write func() error, meanwhile func()) error {
	g.t.Helper()
	done := make(chan error, 1)
	before := g.Asked()
	go func() { done <- write() }()
	eventually(g.t, func() bool { return g.Asked() >= before+3 || len(done) > 0 }, "the webhook is called again and again")
	require.Empty(g.t, done, "the write waits")
	meanwhile()
	g.Answers.Store(true)
	return <-done
}

func nothingElse() {}

// patchingGuarded is a Patch of an object that the webhook is asked about, and is waited for no longer than a test has time.
func patchingGuarded(target map[string]any, kind string, values ...any) resource.PropertyMap {
	return patching(target, setting(kind, data(values...)))
}

package e2e

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// guardedBy is a program of a webhook that has to be asked about the ConfigMaps of the namespace that have the label
// guarded, and of one of them, which does not depend on it. client is the webhook's clientConfig, options are those of
// the ConfigMap.
func guardedBy(space, client, value, options string) string {
	return fmt.Sprintf(`
resources:
  rules:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingWebhookConfiguration
        metadata: {name: %[1]s}
        webhooks:
          - name: rules.%[1]s.example.com
            admissionReviewVersions: [v1]
            sideEffects: None
            failurePolicy: Fail
            timeoutSeconds: 2
            namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[1]s}}
            objectSelector: {matchLabels: {guarded: "yes"}}
            rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [configmaps], scope: "*"}]
            clientConfig: %[2]s
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: web, namespace: %[1]s, labels: {guarded: "yes"}}
        data: {a: "%[3]s"}
    options: {%[4]s}
`, space, client, value, options)
}

// unrelated is a resource that no webhook is asked about.
func unrelated(space, value string) string {
	return fmt.Sprintf(`
  zz-other:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: %s}, data: {a: "%s"}}}
`, space, value)
}

func TestAWebhookThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	begin := func(t *testing.T) (k *kube, s *stack, space string, hook *cluster.Webhook, trusted string) {
		t.Helper()
		hook = cluster.NewWebhook(t)
		hook.Answers.Store(true)
		return kubeOf(t, c), newStack(t), c.Namespace(t), hook,
			fmt.Sprintf("{url: %q, caBundle: %s}", hook.URL, base64.StdEncoding.EncodeToString(hook.CABundle))
	}
	web := func(space string) string { return "v1/ConfigMap/" + space + "/web" }

	t.Run("and its repair are in one program: the preview warns, the up repairs [D34 a]", func(t *testing.T) {
		t.Parallel()
		k, s, space, _, trusted := begin(t)
		s.program(t, "%s", guardedBy(space, trusted, "1", ""))
		s.up(t)
		k.jsonPatch(t, "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration/"+space,
			`[{op: replace, path: /webhooks/0/clientConfig/url, value: "https://127.0.0.1:1/"}]`)
		s.program(t, "%s", guardedBy(space, trusted, "2", ""))
		// The API server takes a moment until it calls the other address.
		eventually(t, "the preview warns", func() bool {
			preview := s.exec(t, "preview").succeeded(t)
			return containsAll(preview.out, "could not be called", "connection refused", "~ 2 to update")
		})
		out := s.run(t, "up", "--yes")
		assert.Contains(t, out, "~ 2 updated")
		assert.Equal(t, "2", k.value(t, web(space), "data", "a"))
		s.previewEmpty(t)
		s.destroy(t)
		k.gone(t, web(space))
	})
	t.Run("and starts during the up: the up waits for it [D34 b]", func(t *testing.T) {
		t.Parallel()
		k, s, space, hook, trusted := begin(t)
		s.program(t, "%s", guardedBy(space, trusted, "1", ""))
		s.up(t)
		hook.Answers.Store(false)
		s.program(t, "%s", guardedBy(space, trusted, "2", ""))
		before := hook.Asked()
		up := s.start(t, "up", "--yes", "--skip-preview")
		eventually(t, "it is asked again and again", func() bool { return hook.Asked() > before+3 })
		assert.Equal(t, "1", k.value(t, web(space), "data", "a"))
		hook.Answers.Store(true)
		assert.Contains(t, up.wait(t).succeeded(t).out, "~ 1 updated")
		assert.Equal(t, "2", k.value(t, web(space), "data", "a"))

		hook.Answers.Store(false)
		before = hook.Asked()
		destroy := s.start(t, "destroy", "--yes", "--skip-preview", "--target", "**web")
		eventually(t, "it is asked again and again", func() bool { return hook.Asked() > before+3 })
		hook.Answers.Store(true)
		destroy.wait(t).succeeded(t)
		k.gone(t, web(space))
		s.destroy(t)
	})
	t.Run("whose certificate is trusted only later: the error says so, and the up waits for it [D34 c]", func(t *testing.T) {
		t.Parallel()
		k, s, space, hook, trusted := begin(t)
		untrusted := fmt.Sprintf("{url: %q}", hook.URL)
		s.program(t, "%s", guardedBy(space, trusted, "1", ""))
		s.up(t)
		s.program(t, "%s", guardedBy(space, untrusted, "1", ""))
		s.up(t)
		s.program(t, "%s", guardedBy(space, untrusted, "2", "customTimeouts: {update: 3s}"))
		out := s.upFails(t)
		for _, says := range []string{"could not be called", "x509", "is not trusted by clientConfig.caBundle", "cainjector"} {
			assert.Contains(t, out, says)
		}
		assert.NotContains(t, out, "server runs")
		assert.Equal(t, "1", k.value(t, web(space), "data", "a"))

		s.program(t, "%s", guardedBy(space, untrusted, "2", ""))
		before := hook.Asked()
		up := s.start(t, "up", "--yes")
		eventually(t, "it is called again and again", func() bool { return hook.Asked() > before+4 })
		k.jsonPatch(t, "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration/"+space,
			`[{op: add, path: /webhooks/0/clientConfig/caBundle, value: `+base64.StdEncoding.EncodeToString(hook.CABundle)+`}]`)
		up.wait(t).succeeded(t)
		assert.Equal(t, "2", k.value(t, web(space), "data", "a"))
		s.destroy(t)
	})
	t.Run("holds up nothing but the resources that it is asked about [D34 d]", func(t *testing.T) {
		t.Parallel()
		k, s, space, hook, trusted := begin(t)
		s.program(t, "%s", guardedBy(space, trusted, "1", "")+unrelated(space, "1"))
		s.up(t)
		hook.Answers.Store(false)
		s.program(t, "%s", guardedBy(space, trusted, "2", "customTimeouts: {update: 3s}")+unrelated(space, "2"))
		out := s.runFails(t, "up", "--yes")
		assert.Contains(t, out, "could not be called")
		assert.Equal(t, "1", k.value(t, web(space), "data", "a"))
		assert.Equal(t, "2", k.value(t, "v1/ConfigMap/"+space+"/other", "data", "a"))
		hook.Answers.Store(true)
		s.up(t)
		assert.Equal(t, "2", k.value(t, web(space), "data", "a"))
		s.previewEmpty(t)
		s.destroy(t)
	})
}

func containsAll(text string, parts ...string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text, part) })
}

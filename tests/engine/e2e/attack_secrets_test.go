package e2e

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestSecretsThatAnAttackFound is about ways in which a secret became readable.
func TestSecretsThatAnAttackFound(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	t.Run("a secret that a JSON patch adds to a list is nowhere readable: preview, log, state, drift, events [D4]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		k.define(t, "hidden.example", `{type: object, properties: {spec: {type: object, properties: {
      args: {type: array, items: {type: string}},
      tokens: {type: array, items: {type: string}, x-kubernetes-list-type: set},
      env: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
        items: {type: object, required: [name], properties: {name: {type: string}, value: {type: string}}}}}}}}`)
		k = kubeOf(t, c)
		safe := "hidden.example/v1/Widget/" + space + "/safe"
		k.create(t, safe, `{apiVersion: hidden.example/v1, kind: Widget, metadata: {name: safe, namespace: `+space+`},
spec: {args: [--user=x], tokens: [open], env: [{name: MODE, value: open}]}}`)
		s.config(t, "password", "swordfish-one", "--secret")
		s.program(t, "%s", "config: {password: {type: string, secret: true}}\nresources:"+
			patchOf("added", "{apiVersion: hidden.example/v1, kind: Widget, name: safe, namespace: "+space+"}", `jsonPatch:
        - {op: add, path: /spec/env/-, value: {name: TOKEN, value: "${password}"}}
        - {op: add, path: /spec/args/-, value: "--password=${password}"}
        - {op: add, path: /spec/tokens/-, value: "${password}"}`))
		unreadable(t, "preview", s.preview(t))
		unreadable(t, "log", withoutWire(s.up(t, "--logtostderr", "--logflow", "-v=9")))
		assert.Equal(t, map[string]any{
			"args":   []any{"--user=x", "--password=swordfish-one"},
			"tokens": []any{"open", "swordfish-one"},
			"env":    []any{map[string]any{"name": "MODE", "value": "open"}, map[string]any{"name": "TOKEN", "value": "swordfish-one"}},
		}, k.value(t, safe, "spec"))
		unreadable(t, "export", s.exported(t))
		s.previewEmpty(t)

		k.jsonPatch(t, safe, `[{op: add, path: /spec/args/0, value: "--new"}, {op: replace, path: /spec/env/1/value, value: swordfish-drifted}]`)
		unreadable(t, "refresh", s.refresh(t, "--diff"))
		unreadable(t, "export after drift", s.exported(t))
		unreadable(t, "preview of drift", s.preview(t))
		unreadable(t, "destroy", s.destroy(t))
		unreadable(t, "backend", s.everythingSaved(t))
		events, err := c.Client().CoreV1().Events(space).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=PatchReleased"})
		require.NoError(t, err)
		require.NotEmpty(t, events.Items, "the release is noted in the cluster")
		for _, event := range events.Items {
			unreadable(t, "event", event.String())
		}
		assert.Contains(t, k.value(t, safe, "spec", "tokens"), "swordfish-one", "the values stay")
	})
	t.Run("a kubeconfig in base64 works, and one that is cut off is in no error [D5]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		content, err := os.ReadFile(c.KubeconfigFile())
		require.NoError(t, err)
		encoded := base64.StdEncoding.EncodeToString(content)
		s.env["KUBECONFIG"] = "/nonexistent"
		declare := func(kubeconfig string) {
			s.program(t, "%s", replaceAll(configMap("settings", "settings", space), "properties:",
				"properties:\n      clusterConnection: {kubeconfig: {'fn::secret': '"+kubeconfig+"'}}"))
		}
		declare(encoded)
		s.up(t)
		assert.Equal(t, "1", k.value(t, "v1/ConfigMap/"+space+"/settings", "data", "a"))
		saved := s.export(t).get(t, "settings").Outputs
		declare(encoded[:len(encoded)-40] + "%")
		for _, out := range []string{s.previewFails(t), s.upFails(t), s.upFails(t, "--logtostderr", "-v=3")} {
			assert.Contains(t, out, "kubeconfig")
			for from := 0; from+60 < len(encoded); from += 1000 {
				require.NotContains(t, out, encoded[from:from+60])
			}
		}
		assert.NotContains(t, s.everythingSaved(t), encoded[:60])
		assert.Equal(t, saved["resourceRef"], s.export(t).get(t, "settings").Outputs["resourceRef"], "what failed saved nothing")
		declare(encoded)
		s.destroy(t)
		k.gone(t, "v1/ConfigMap/"+space+"/settings")
	})
}

// indented is a text of which each line begins with so many spaces more.
func indented(text string, by int) string {
	space := strings.Repeat(" ", by)
	return space + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+space) + "\n"
}

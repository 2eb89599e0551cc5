package e2e

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// expired answers as an API server whose token has expired.
func expired(_ *faulty, reply *http.Response) error {
	_ = reply.Body.Close()
	reply.StatusCode, reply.Status = http.StatusUnauthorized, ""
	return answer(reply, metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: http.StatusUnauthorized, Reason: metav1.StatusReasonUnauthorized, Message: "Unauthorized",
	})
}

func everything(*http.Request) bool { return true }

// deploymentOf is a program of one Deployment. strategy and cpu are parts of its spec, as YAML.
func deploymentOf(space, strategy, cpu string) string {
	return `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: ` + space + `}
        spec:
          replicas: 0
          ` + strategy + `
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec: {containers: [{name: web, image: "nginx:1", resources: {limits: {cpu: ` + cpu + `}}}]}
`
}

func TestWhatAnAttackFoundFromOutside(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	t.Run("a strategy of Recreate is an update in place [D1]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		web := "apps/v1/Deployment/" + space + "/web"
		s.program(t, "%s", deploymentOf(space, "", `"1"`))
		s.up(t)
		uid := k.get(t, web).GetUID()
		s.program(t, "%s", deploymentOf(space, "strategy: {type: Recreate}", `"1"`))
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		assert.NotContains(t, out, "replace")
		s.up(t)
		assert.Equal(t, uid, k.get(t, web).GetUID())
		assert.Equal(t, map[string]any{"type": "Recreate"}, k.value(t, web, "spec", "strategy"))
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("a change without effect, and then another token, leaves every command working [D3]", func(t *testing.T) {
		t.Parallel()
		k, s, space, former, renewed := kubeOf(t, c), newStack(t), c.Namespace(t), newFaulty(t, c), newFaulty(t, c)
		web := "apps/v1/Deployment/" + space + "/web"
		use := func(f *faulty) {
			s.config(t, "k8sconnect:host", f.User.Host)
			s.config(t, "k8sconnect:clusterCaCertificate", base64.StdEncoding.EncodeToString(f.User.CACertificate))
			s.config(t, "k8sconnect:token", f.User.Token, "--secret")
		}
		use(former)
		s.program(t, "%s", deploymentOf(space, "", "1000m"))
		s.up(t)
		s.program(t, "%s", deploymentOf(space, "", `"1"`))
		assert.Contains(t, s.up(t), "2 unchanged")
		former.strike(everything, expired)
		use(renewed)
		assert.Contains(t, s.preview(t, "--expect-no-changes"), "NOT CHECKED", "the read before the program, by the connection of the last run")
		s.up(t)
		k.merge(t, web, `{spec: {minReadySeconds: 1, replicas: 1}}`)
		assert.Contains(t, s.preview(t), "replicas")
		s.up(t)
		assert.EqualValues(t, 0, k.value(t, web, "spec", "replicas"))
		s.destroy(t)
		k.gone(t, web)
	})
	t.Run("what was not read is not unchanged [D30] [O85]", func(t *testing.T) {
		t.Parallel()
		k, s, space, proxy := kubeOf(t, c), newStack(t), c.Namespace(t), newFaulty(t, c)
		s.connectAs(t, proxy.User)
		s.program(t, "%s", configMap("settings", "settings", space))
		s.up(t)
		k.merge(t, "v1/ConfigMap/"+space+"/settings", `{data: {a: "drift"}}`)
		proxy.strike(everything, expired)
		for _, command := range [][]string{
			{"preview", "--expect-no-changes"}, {"preview"}, {"up", "--yes"}, {"up", "--yes", "--skip-preview"},
			{"refresh", "--yes", "--expect-no-changes"}, {"destroy", "--yes"},
		} {
			out := s.runFails(t, command...)
			assert.Contains(t, out, "401", strings.Join(command, " "))
		}
		assert.Contains(t, s.run(t, "refresh", "--yes"), "~ 1 updated", "a refresh has no program to ask again")
		proxy.heal()
		assert.Contains(t, s.preview(t), `data.a: "drift" -> "1"`)
		s.up(t)
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("a Wait runs again when its object was put right [D10]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		s.program(t, "%s", configMap("settings", "settings", space)+`
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${settings.resourceRef}", waitFor: {field: data.a}}
`)
		s.up(t)
		s.previewEmpty(t)
		k.merge(t, "v1/ConfigMap/"+space+"/settings", `{data: {a: "drift"}}`)
		assert.Contains(t, s.up(t), "~ 2 updated")
		s.previewEmpty(t)
		s.destroy(t)
	})
	t.Run("a JSON patch is not put right where its tests no longer hold [D7]", func(t *testing.T) {
		t.Parallel()
		k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
		web := "apps/v1/Deployment/" + space + "/web"
		args := func(list string) string {
			return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: ` + space + `}, spec: {replicas: 0,
selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "nginx:1", args: ` + list + `}]}}}}`
		}
		k.apply(t, web, "owner", args(`["-conf", /etc/x]`))
		s.program(t, "%s", "resources:"+patchOf("web", `{apiVersion: apps/v1, kind: Deployment, name: web, namespace: `+space+`}`, `jsonPatch:
        - {op: test, path: /spec/template/spec/containers/0/args/0, value: "-conf"}
        - {op: replace, path: /spec/template/spec/containers/0/args/1, value: /etc/y}`))
		s.up(t)
		k.patch(t, web, types.JSONPatchType, `[{"op": "replace", "path": "/spec/template/spec/containers/0/args", "value": ["-log", "-conf", "/etc/x"]}]`, "owner")
		assert.Contains(t, s.upFails(t), "has drifted and is not corrected")
		live := k.value(t, web, "spec", "template", "spec", "containers").([]any)[0].(map[string]any)
		assert.Equal(t, []any{"-log", "-conf", "/etc/x"}, live["args"])
		s.destroy(t)
	})
}

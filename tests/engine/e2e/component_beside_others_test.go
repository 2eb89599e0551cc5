package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What happens beside a component says the cause once, first, and the component nothing of being interrupted.
func TestAComponentIsQuietWhenAnotherResourceFails(t *testing.T) { // [D80]
	t.Parallel()
	c := workloads.Get(t)
	kube := kubeOf(t, c)
	s := newStackIn(t, kube, c.KubeconfigFile())
	space := c.Namespace(t)
	story := chartStory{s, kube, c, space}
	story.chart(t, "1.0.0", webChart(nil))
	declare := func(name string) {
		s.program(t, `
resources:
  bad:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: %[2]s, namespace: %[1]s } } }
  shop:
    type: k8sconnect:Chart
    properties: { chart: ./web, namespace: %[1]s }
  set:
    type: k8sconnect:Manifests
    properties:
      manifests:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: %[1]s}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: two, namespace: %[1]s}}
`, space, name)
	}
	declare("Not_A_Name")
	for _, run := range map[string]func(testing.TB, ...string) string{"preview": s.previewFails, "up": s.upFails} {
		out := run(t)
		require.Contains(t, out, "Not_A_Name")
		assert.NotContains(t, out, "[Interrupted]")
		assert.NotContains(t, out, "client connection is closing")
	}
	declare("good")
	s.up(t)
	s.previewEmpty(t)
}

// The engine asks a provider nothing whose configuration it does not know. The pages say what to do, and this does it.
func TestAComponentWhoseProviderIsNotKnownYetLosesNothing(t *testing.T) { // [D78]
	t.Parallel()
	c := shared.Get(t)
	kube, s := kubeOf(t, c), newStack(t)
	space := c.Namespace(t)
	s.file(t, "config", string(c.Kubeconfig()))
	declare := func(resources string) {
		s.program(t, "%s", strings.ReplaceAll(`
resources:
  one:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: one, namespace: SPACE } } }
`+resources+`
  set:
    type: k8sconnect:Manifests
    properties: { manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: SPACE}}] }
    options: { provider: "${there}" }
`, "SPACE", space))
	}
	provider := func(of string) string {
		return `  there: { type: "pulumi:providers:k8sconnect", properties: { kubeconfig: { fn::join: ["", [{ fn::readFile: ./config }, "\n# ${` +
			of + `.resourceRef.uid}\n"]] } } }`
	}
	declare(provider("one"))
	s.up(t)
	settings := "v1/ConfigMap/" + space + "/settings"
	uid := kube.get(t, settings).GetUID()
	declare(`  two:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: two, namespace: SPACE } } }
` + provider("two"))
	t.Log(s.preview(t)) // shows the object as deleted
	s.up(t, "--skip-preview")
	assert.Equal(t, uid, kube.get(t, settings).GetUID())
	s.previewEmpty(t)
}

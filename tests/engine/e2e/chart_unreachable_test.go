package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestALookupInAClusterThatCannotBeReachedSaysSo(t *testing.T) { // [D115]
	t.Parallel()
	for name, template := range map[string]string{
		"one object":               `{{ with lookup "v1" "Namespace" "" .Release.Namespace }}found{{ end }}`,
		"all objects of a kind":    `{{ len ((lookup "v1" "ConfigMap" .Release.Namespace "").items | default list) }}`,
		"in a text that is a part": `{{ tpl "{{ with lookup \"v1\" \"Namespace\" \"\" .Release.Namespace }}found{{ end }}" . }}`,
		"in another template":      `{{ include "looks" . }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := shared.Get(t)
			kube, space := kubeOf(t, c), c.Namespace(t)
			s := chartStory{newStackIn(t, kube, c.KubeconfigFile()), kube, c, space}
			s.chart(t, "1.0.0", map[string]string{
				"templates/_looks.tpl":  `{{ define "looks" }}{{ with lookup "v1" "Namespace" "" .Release.Namespace }}found{{ end }}{{ end }}`,
				"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { found: '" + template + "' }\n",
			})
			declare := func(t *testing.T, value, lookup string) {
				t.Helper()
				s.program(t, `
resources:
  there: { type: "pulumi:providers:k8sconnect", properties: { kubeconfig: { fn::readFile: ./there } } }
  shop:
    type: k8sconnect:Chart
    properties: { chart: ./web, namespace: %s, lookup: %s }
    options: { provider: "${there}" }
  here:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: here, namespace: %s }, data: { k: %s } } }
`, space, lookup, space, value)
			}
			s.file(t, "there", string(c.Kubeconfig()))
			declare(t, "one", "live")
			s.up(t)

			s.file(t, "there", strings.ReplaceAll(string(c.Kubeconfig()), c.RESTConfig().Host, "https://127.0.0.1:1"))
			declare(t, "two", "live")
			target := "urn:pulumi:test::" + s.project + "::k8sconnect:index:KubeObject::here"
			out := s.upFails(t, "--target", target)
			assert.Contains(t, out, "the chart of \"shop\" cannot be rendered: cannot look up ")
			assert.Contains(t, out, "the API server cannot be reached [ClusterUnreachable]")
			assert.Contains(t, out, " at https://127.0.0.1:1: ")
			assert.Contains(t, out, "set `lookup: none`")
			assert.NotContains(t, out, "[Invalid]")

			declare(t, "three", "none")
			s.up(t, "--target", target)
			require.Equal(t, "three", kube.value(t, "v1/ConfigMap/"+space+"/here", "data", "k"))
		})
	}
}

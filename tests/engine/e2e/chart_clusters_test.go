package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// chartElsewhere is a program with a Chart in a cluster that is not the default one.
const chartElsewhere = `
resources:
  here:
    type: k8sconnect:KubeObject
    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: NAME, namespace: HERE } } }
`

func TestAChartIsInAClusterOfItsOwn(t *testing.T) { // [M17] [H9] [H10]
	t.Parallel()
	for name, program := range map[string]string{
		"that of its provider": `
  there: { type: "pulumi:providers:k8sconnect", properties: { kubeconfig: { fn::readFile: ./there } } }
  shop:
    type: k8sconnect:Chart
    properties: { chart: ./web, namespace: SPACE }
    options: { provider: "${there}" }
`,
		// A value of an object in the default cluster is a part of this one.
		"that of its connection, which is known only after the apply": `
  shop:
    type: k8sconnect:Chart
    properties:
      chart: ./web
      namespace: SPACE
      clusterConnection: { kubeconfig: { fn::join: ["", [{ fn::readFile: ./there }, "\n# ${here.resourceRef.uid}\n"]] } }
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chartInAClusterOfItsOwn(t, chartElsewhere+program)
		})
	}
}

func chartInAClusterOfItsOwn(t *testing.T, program string) {
	home := shared.Get(t)
	here, c := kubeOf(t, home), workloads.Get(t)
	space, homeSpace := c.Namespace(t), home.Namespace(t)
	s := chartStory{newStackIn(t, here, home.KubeconfigFile()), kubeOf(t, c), c, space}
	s.chart(t, "1.0.0", webChart(map[string]string{
		"templates/config.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data:
  here: "{{ with lookup "v1" "Namespace" "" "` + homeSpace + `" }}found{{ end }}"
  there: "{{ with lookup "v1" "Namespace" "" .Release.Namespace }}found{{ end }}"
`,
	}))
	s.file(t, "there", string(c.Kubeconfig()))
	declare := func(t *testing.T, name string) {
		t.Helper()
		s.program(t, "%s", strings.NewReplacer("NAME", name, "HERE", homeSpace, "SPACE", space).Replace(program))
	}
	config, secret := "v1/ConfigMap/"+space+"/shop", "v1/Secret/"+space+"/shop-auth"
	everything := []string{config, secret, "apps/v1/Deployment/" + space + "/shop", "batch/v1/Job/" + space + "/shop-migrate", "batch/v1/Job/" + space + "/shop-welcome"}
	uids := func(t *testing.T) (found []types.UID) {
		t.Helper()
		for _, id := range everything {
			found = append(found, s.kube.get(t, id).GetUID())
		}
		return found
	}
	var first []types.UID

	step(t, "it is installed there, and only there", func(t *testing.T) {
		declare(t, "one")
		s.preview(t)
		for _, id := range everything {
			s.kube.gone(t, id)
		}
		s.up(t)
		first = uids(t)
		for _, id := range everything {
			here.gone(t, id)
		}
		assert.Equal(t, map[string]any{"here": "", "there": "found"}, s.kube.value(t, config, "data"), "what a template looks up is there, too")
		s.previewEmpty(t)
	})
	step(t, "later, nothing is shown as deleted, and nothing is drawn or run again", func(t *testing.T) {
		declare(t, "two")
		out := s.preview(t)
		assert.NotContains(t, out, "- k8sconnect:index:KubeObject: (delete)\n        [urn=urn:pulumi:test::"+s.project+"::k8sconnect:index:Chart$")
		assert.NotContains(t, out, "- k8sconnect:index:Task")
		password := s.kube.value(t, secret, "data", "password")
		s.up(t)
		assert.Equal(t, first, uids(t))
		assert.Equal(t, password, s.kube.value(t, secret, "data", "password"))
		s.previewEmpty(t)
	})
	step(t, "one that does not answer fails the run, and changes nothing", func(t *testing.T) {
		before := s.export(t)
		s.file(t, "there", strings.ReplaceAll(string(c.Kubeconfig()), c.RESTConfig().Host, "https://127.0.0.1:1"))
		for _, out := range []string{s.previewFails(t), s.upFails(t, "--skip-preview")} {
			assert.Contains(t, out, "127.0.0.1:1")
			assert.NotContains(t, out, "- k8sconnect:index:")
		}
		assert.Equal(t, first, uids(t))
		assert.Len(t, s.export(t).all, len(before.all))
		s.file(t, "there", string(c.Kubeconfig()))
		s.up(t)
		assert.Equal(t, first, uids(t))
		s.previewEmpty(t)
	})
	step(t, "its hooks of the end run there", func(t *testing.T) {
		s.destroy(t)
		require.NotNil(t, s.job(t, "shop-cleanup"))
		for _, id := range everything {
			s.kube.gone(t, id)
		}
	})
}

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// partedChart has hooks of all phases and two objects that know nothing of each other.
var partedChart = map[string]string{
	"values.yaml":            "size: 1\n",
	"templates/secret.yaml":  chartSecret,
	"templates/one.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: one }\ndata: { size: {{ .Values.size | quote }} }\n",
	"templates/two.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: two }\ndata: { size: {{ .Values.size | quote }} }\n",
	"templates/first.yaml":   jobOf("first", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
	"templates/only.yaml":    jobOf("only", "kwok", `helm.sh/hook: pre-install`),
	"templates/last.yaml":    jobOf("last", "kwok", `helm.sh/hook: "post-install,post-upgrade"`),
	"templates/kept.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: kept, annotations: { helm.sh/hook: pre-install } }\n",
	"templates/cleanup.yaml": jobOf("cleanup", "kwok", "helm.sh/hook: pre-delete"),
}

func TestPartsOfARelease(t *testing.T) { // [H8] [H14]
	t.Parallel()
	s := newChartStory(t)
	size := func(t *testing.T, name string) any {
		return s.kube.value(t, "v1/ConfigMap/"+s.space+"/"+name, "data", "size")
	}
	s.chart(t, "1.0.0", partedChart)
	s.declare(t, "")
	s.up(t)
	ran := s.succeeded(t)
	require.Len(t, ran, 3)
	password := s.kube.value(t, "v1/Secret/"+s.space+"/shop-auth", "data", "password")
	step(t, "a refresh changes nothing", func(t *testing.T) {
		s.refresh(t, "--expect-no-changes")
		s.previewEmpty(t)
	})
	step(t, "an object alone is updated", func(t *testing.T) {
		s.declare(t, "values: { size: 2 }")
		s.up(t, "--target", "**shop:ConfigMap.one")
		assert.Equal(t, ran, s.succeeded(t), "no hook runs")
		assert.Equal(t, "2", size(t, "one"))
		assert.Equal(t, "1", size(t, "two"))
	})
	step(t, "the next update does the rest, and runs the hooks of upgrades once", func(t *testing.T) {
		s.up(t)
		now := s.succeeded(t)
		assert.Equal(t, "2", size(t, "one"))
		assert.Equal(t, "2", size(t, "two"))
		assert.NotEqual(t, ran["shop-first"], now["shop-first"])
		assert.NotEqual(t, ran["shop-last"], now["shop-last"])
		assert.Equal(t, ran["shop-only"], now["shop-only"])
		ran = now
		s.previewEmpty(t)
	})
	step(t, "a hook of installs that the state has lost is found again, by its Job", func(t *testing.T) {
		s.run(t, "state", "delete", s.export(t).get(t, "shop:batch/Job.shop-only").URN, "--yes", "--force", "--target-dependents")
		s.up(t)
		now := s.succeeded(t)
		assert.Equal(t, ran["shop-only"], now["shop-only"])
		assert.Equal(t, ran["shop-first"], now["shop-first"])
		assert.Equal(t, password, s.kube.value(t, "v1/Secret/"+s.space+"/shop-auth", "data", "password"))
		s.previewEmpty(t)
	})
	step(t, "a pattern destroys all children: the hook of deletions runs, and what is kept stays", func(t *testing.T) {
		s.destroy(t, "--target", "urn:pulumi:"+s.name+"::"+s.project+"::k8sconnect:index:Chart$**")
		assert.Contains(t, s.succeeded(t), "shop-cleanup")
		assert.Empty(t, s.export(t).named("k8sconnect:index:KubeObject"))
		s.kube.gone(t, "v1/ConfigMap/"+s.space+"/one")
		s.kube.get(t, "v1/ConfigMap/"+s.space+"/kept")
		s.up(t)
		assert.NotEqual(t, password, s.kube.value(t, "v1/Secret/"+s.space+"/shop-auth", "data", "password"))
		s.previewEmpty(t)
	})
}

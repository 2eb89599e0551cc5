package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inNamespace writes a namespace, that of the value "elsewhere", into a template.
func inNamespace(template string) string {
	return strings.Replace(template, "metadata:\n", "metadata:\n  namespace: {{ .Values.elsewhere }}\n", 1)
}

func TestHooksOfAChartInAnotherNamespace(t *testing.T) { // [H6] [H7]
	t.Parallel()
	s := newChartStory(t)
	there := s
	there.space = s.cluster.Namespace(t)
	config := func(name, hook string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n  annotations: { " + hook + " }\ndata: { size: {{ .Values.size | quote }} }\n"
	}
	settings, run := "v1/ConfigMap/"+there.space+"/settings", "v1/ConfigMap/"+there.space+"/run"
	s.chart(t, "1.0.0", map[string]string{
		"values.yaml":             "size: 1\nelsewhere: " + there.space + "\n",
		"templates/migrate.yaml":  inNamespace(jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`)),
		"templates/cleanup.yaml":  inNamespace(jobOf("cleanup", "kwok", "helm.sh/hook: pre-delete")),
		"templates/settings.yaml": inNamespace(config("settings", "helm.sh/hook: pre-install")),
		"templates/run.yaml":      inNamespace(config("run", `helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-weight: "-1", helm.sh/hook-delete-policy: hook-succeeded`)),
		"templates/object.yaml":   config("object", "size: {{ .Values.size | quote }}"),
	})
	s.declare(t, "")
	kept := there.uids
	step(t, "an install runs them there", func(t *testing.T) {
		assert.Contains(t, s.preview(t), "Job "+there.space+"/shop-migrate will run: it is new.")
		s.up(t)
		require.Contains(t, there.succeeded(t), "shop-migrate")
		assert.Empty(t, s.succeeded(t))
		s.kube.get(t, settings)
		s.kube.gone(t, run)
		s.previewEmpty(t)
	})
	before, object := there.succeeded(t)["shop-migrate"], kept(t, settings)
	step(t, "an upgrade runs them again", func(t *testing.T) {
		s.declare(t, "values: { size: 2 }")
		s.up(t)
		require.Contains(t, there.succeeded(t), "shop-migrate")
		assert.NotEqual(t, before, there.succeeded(t)["shop-migrate"])
		assert.Len(t, there.succeeded(t), 1, "the Job of the last run is gone")
		assert.Equal(t, "1", s.kube.value(t, settings, "data", "size"))
		s.kube.gone(t, run)
		s.previewEmpty(t)
	})
	step(t, "the end runs them there, and what stays is found by the next install", func(t *testing.T) {
		s.destroy(t)
		assert.Contains(t, there.succeeded(t), "shop-cleanup")
		assert.NotContains(t, there.succeeded(t), "shop-migrate")
		assert.Equal(t, object, kept(t, settings))
		s.kube.gone(t, "v1/ConfigMap/"+s.space+"/object")
		s.up(t)
		assert.Equal(t, object, kept(t, settings))
		assert.Equal(t, "2", s.kube.value(t, settings, "data", "size"))
		s.previewEmpty(t)
	})
}

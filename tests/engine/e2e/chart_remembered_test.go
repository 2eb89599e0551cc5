package e2e

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAFailedUpgradeForgetsNoPassword(t *testing.T) { // [H8]
	t.Parallel()
	s := newChartStory(t)
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n"
	one := map[string]string{"templates/secret.yaml": chartSecret, "templates/config.yaml": config}
	s.chart(t, "1.0.0", one)
	s.declare(t, "")
	s.up(t)
	secret := "v1/Secret/" + s.space + "/shop-auth"
	before := s.kube.value(t, secret, "data", "password")

	s.chart(t, "2.0.0", map[string]string{
		"templates/config.yaml": config, "templates/bad.yaml": "apiVersion: v1\nkind: Service\nmetadata: { name: bad }\nspec: { type: Nonsense }\n",
	})
	s.upFails(t)
	assert.Equal(t, before, s.kube.value(t, secret, "data", "password"), "the failed update has not touched it")
	s.chart(t, "1.0.0", one)
	assert.NotContains(t, s.preview(t), "will be drawn")
	s.up(t)
	assert.Equal(t, before, s.kube.value(t, secret, "data", "password"), "the former program has the former password")
	s.previewEmpty(t)
}

func TestWhatIsLookedUpMayChange(t *testing.T) { // [H9]
	t.Parallel()
	s := newChartStory(t)
	shared, mine := "v1/Secret/"+s.space+"/shared", "v1/Secret/"+s.space+"/mine"
	s.kube.apply(t, shared, "kubectl", "apiVersion: v1\nkind: Secret\nmetadata: {name: shared, namespace: "+s.space+"}\nstringData: {password: hunter2}\n")
	s.chart(t, "1.0.0", map[string]string{"templates/s.yaml": `
{{- $s := lookup "v1" "Secret" .Release.Namespace "shared" }}
apiVersion: v1
kind: Secret
metadata: { name: mine }
stringData:
  password: {{ if $s }}{{ $s.data.password | b64dec | quote }}{{ else }}{{ randAlphaNum 16 | quote }}{{ end }}
`})
	s.declare(t, "")
	s.up(t)
	found := s.kube.value(t, mine, "data", "password")
	s.previewEmpty(t)
	s.kube.delete(t, shared)
	assert.Contains(t, s.preview(t), "New random values will be drawn")
	s.up(t)
	drawn := s.kube.value(t, mine, "data", "password")
	assert.NotEqual(t, found, drawn)
	s.previewEmpty(t)
	s.up(t)
	assert.Equal(t, drawn, s.kube.value(t, mine, "data", "password"))
}

func TestATemplateThatLooksForItsOwnObjectKeepsIt(t *testing.T) { // [H9]
	t.Parallel()
	s := newChartStory(t)
	const guarded = `
{{- if not (lookup "v1" "Secret" .Release.Namespace "auth") }}
apiVersion: v1
kind: Secret
metadata: { name: auth }
stringData: { password: {{ randAlphaNum 16 | quote }} }
{{- end }}
`
	secret := "v1/Secret/" + s.space + "/auth"
	s.chart(t, "1.0.0", map[string]string{"templates/a.yaml": guarded})
	s.declare(t, "")
	s.up(t)
	before := s.uids(t, secret)
	s.previewEmpty(t)
	s.up(t)
	assert.Equal(t, before, s.uids(t, secret))
	s.chart(t, "2.0.0", map[string]string{
		"templates/a.yaml": guarded, "templates/b.yaml": `{{ if and .Release.IsInstall (lookup "v1" "Secret" .Release.Namespace "auth") }}{{ fail "it is there" }}{{ end }}`,
	})
	s.up(t)
	assert.Equal(t, before, s.uids(t, secret))
	s.previewEmpty(t)
}

func TestAReleaseStaysWhereTheDefaultNamespaceWas(t *testing.T) {
	t.Parallel()
	s := newChartStory(t)
	other := s.cluster.Namespace(t)
	s.chart(t, "1.0.0", map[string]string{
		"templates/a.yaml": "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: data, namespace: {{ .Release.Namespace }} }\n" +
			"spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }\n",
		"templates/b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n",
	})
	s.program(t, "%s", "\nresources:\n  shop:\n    type: k8sconnect:Chart\n    properties: { chart: ./web }\n")
	s.config(t, "k8sconnect:namespace", s.space)
	s.up(t)
	ids := []string{"v1/PersistentVolumeClaim/" + s.space + "/data", "v1/ConfigMap/" + s.space + "/settings"}
	before := s.uids(t, ids...)
	s.config(t, "k8sconnect:namespace", other)
	for _, out := range []string{s.preview(t), s.up(t)} {
		assert.Contains(t, out, `The release stays in namespace "`+s.space+`". The default namespace is now "`+other+`"`)
	}
	assert.Equal(t, before, s.uids(t, ids...))
	s.up(t)
	assert.Equal(t, before, s.uids(t, ids...))
}

func TestAReleaseThatMovesIsInstalledThere(t *testing.T) { // [H6]
	t.Parallel()
	s := newChartStory(t)
	object := "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\n"
	s.chart(t, "1.0.0", map[string]string{"templates/object.yaml": object})
	s.declare(t, "")
	s.up(t)
	s.chart(t, "2.0.0", map[string]string{
		"templates/object.yaml":  object,
		"templates/welcome.yaml": jobOf("welcome", "kwok", "helm.sh/hook: post-install"),
		"templates/migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
	})
	s.up(t)
	assert.ElementsMatch(t, []string{"shop-migrate"}, slices.Collect(maps.Keys(s.succeeded(t))), "an upgrade runs the hooks of upgrades")

	there := s
	there.space = s.cluster.Namespace(t)
	there.declare(t, "")
	assert.Contains(t, there.preview(t), "Job "+there.space+"/shop-welcome will run: it is new.")
	assert.Contains(t, there.preview(t), "Job "+there.space+"/shop-migrate will run: the release has another name or namespace, so it is installed.")
	there.up(t)
	assert.ElementsMatch(t, []string{"shop-migrate", "shop-welcome"}, slices.Collect(maps.Keys(there.succeeded(t))), "another namespace has an install")
	s.kube.gone(t, "v1/ConfigMap/"+s.space+"/shop")
	there.previewEmpty(t)
	before := there.succeeded(t)
	there.up(t)
	assert.Equal(t, before, there.succeeded(t))

	there.declare(t, "releaseName: web")
	there.up(t)
	assert.Contains(t, there.succeeded(t), "web-welcome", "so has another name")
	assert.Contains(t, there.succeeded(t), "web-migrate")
	there.previewEmpty(t)
}

func TestAReleaseThatDidNotMoveIsNotInstalledAgain(t *testing.T) { // [H6] [H14]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"values.yaml":         "bad: false\n",
		"templates/init.yaml": jobOf("init", "kwok", "helm.sh/hook: pre-install"),
		"templates/a.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n",
		"templates/pvc.yaml": "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: data }\n" +
			"spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }\n",
		"templates/bad.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: z, annotations: " +
			"{ config.kubernetes.io/depends-on: /namespaces/{{ .Release.Namespace }}/ConfigMap/a } }\n{{ if .Values.bad }}data: { \"not a key\": x }{{ end }}\n",
	})
	s.declare(t, "")
	s.up(t)
	assert.Contains(t, s.succeeded(t), "shop-init")
	ids := []string{"v1/ConfigMap/" + s.space + "/a", "v1/PersistentVolumeClaim/" + s.space + "/data"}
	before := s.uids(t, ids...)
	there := s
	there.space = s.cluster.Namespace(t)
	there.declare(t, "values: { bad: true }")
	there.upFails(t)
	assert.Contains(t, there.succeeded(t), "shop-init", "it was being installed there")

	s.declare(t, "")
	assert.NotContains(t, s.preview(t), "will run")
	s.up(t)
	assert.Empty(t, s.succeeded(t), "the data are those that it has initialized")
	assert.Equal(t, before, s.uids(t, ids...))
	s.kube.gone(t, "v1/ConfigMap/"+there.space+"/a")
	s.previewEmpty(t)
	s.destroy(t)
	assert.Empty(t, there.succeeded(t), "the Job of the last run goes with the release")
}

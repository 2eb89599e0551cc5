package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDefinitionsOfAChart(t *testing.T) { // [H5]
	t.Parallel()
	s := newChartStory(t)
	group := "h5-" + s.space + ".example.com"
	files := map[string]string{
		"crds/crates.yaml": strings.ReplaceAll(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crates.GROUP }
spec:
  group: GROUP
  scope: Namespaced
  names: { kind: Crate, plural: crates }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { size: { type: integer } } } } }]
`, "GROUP", group),
		"templates/crate.yaml": "apiVersion: " + group + "/v1\nkind: Crate\nmetadata: { name: big }\nsize: 3\n",
	}
	definition := "apiextensions.k8s.io/v1/CustomResourceDefinition/crates." + group
	step(t, "are applied before everything else, in one update and without a warning", func(t *testing.T) {
		s.chart(t, "1.0.0", files)
		s.declare(t, "deletionPropagation: Background") // with Foreground, the garbage collector takes half a minute to notice a new kind
		assert.NotContains(t, s.preview(t), "warning:")
		assert.NotContains(t, s.up(t), "warning:")
		s.kube.get(t, definition)
		assert.InDelta(t, 3, s.kube.value(t, group+"/v1/Crate/"+s.space+"/big", "size"), 0)
		s.previewEmpty(t)
	})
	step(t, "are updated with the chart", func(t *testing.T) {
		files["crds/crates.yaml"] = strings.Replace(files["crds/crates.yaml"], "size: {", "color: { type: string }, size: {", 1)
		s.chart(t, "1.1.0", files)
		s.up(t)
		assert.Contains(t, s.kube.get(t, definition).Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["properties"], "color")
	})
	step(t, "are left to the first release of two, as the refusal advises [D86]", func(t *testing.T) {
		second := newChartStory(t)
		second.chart(t, "1.1.0", files)
		second.declare(t, "deletionPropagation: Background")
		assert.Contains(t, second.upFails(t), "leaves its definitions to the first release with `crds: skip`.")
		second.declare(t, "deletionPropagation: Background\ncrds: skip")
		second.up(t)
		second.previewEmpty(t)
		second.destroy(t)
		s.kube.get(t, definition)
	})
	step(t, "go with the release, after their objects", func(t *testing.T) {
		s.destroy(t)
		s.kube.gone(t, definition)
	})
	step(t, "are left out if the program says so", func(t *testing.T) {
		s.declare(t, "crds: skip")
		assert.NotContains(t, s.preview(t), "CustomResourceDefinition.crates")
	})
}

func TestWhatATemplateLooksUp(t *testing.T) { // [H9]
	t.Parallel()
	s := newChartStory(t)
	const template = `
apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data:
  color: {{ with lookup "v1" "ConfigMap" .Release.Namespace "foreign" }}{{ .data.color }}{{ else }}none{{ end }}
  own: {{ with lookup "v1" "ConfigMap" .Release.Namespace .Release.Name }}found{{ else }}none{{ end }}
  kind: {{ with lookup "there.is.no/v1" "Such" "" "kind" }}found{{ else }}none{{ end }}
  names: {{ range (lookup "v1" "ConfigMap" .Release.Namespace "").items }}{{ .metadata.name }} {{ end }}
`
	shop := "v1/ConfigMap/" + s.space + "/shop"
	s.kube.apply(t, "v1/ConfigMap/"+s.space+"/foreign", "kubectl", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: foreign, namespace: "+s.space+"}\ndata: {color: red}\n")
	s.chart(t, "1.0.0", map[string]string{"templates/config.yaml": template})
	step(t, "is what is in the cluster, but for the release itself", func(t *testing.T) {
		s.declare(t, "")
		s.up(t)
		data := s.kube.value(t, shop, "data").(map[string]any)
		assert.Equal(t, "red", data["color"])
		assert.Equal(t, "none", data["own"])
		assert.Equal(t, "none", data["kind"])
		assert.Contains(t, data["names"], "foreign")
		s.previewEmpty(t)
	})
	step(t, "changes with it, and the preview shows that", func(t *testing.T) {
		s.kube.merge(t, "v1/ConfigMap/"+s.space+"/foreign", `{"data":{"color":"blue"}}`)
		assert.Contains(t, s.preview(t), `color: "red" => "blue"`)
		s.up(t)
		assert.Equal(t, "blue", s.kube.value(t, shop, "data", "color"))
	})
	step(t, "is nothing if the program says so", func(t *testing.T) {
		s.declare(t, "lookup: none")
		s.up(t)
		data := s.kube.value(t, shop, "data").(map[string]any)
		assert.Equal(t, "none", data["color"])
	})
}

func TestAnObjectThatAChartKeeps(t *testing.T) { // [H11]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"templates/kept.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: kept, annotations: { helm.sh/resource-policy: keep } }\ndata: { a: b }\n",
		"templates/gone.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: gone }\n",
	})
	s.declare(t, "")
	s.up(t)
	s.destroy(t)
	s.kube.gone(t, "v1/ConfigMap/"+s.space+"/gone")
	assert.Equal(t, "b", s.kube.value(t, "v1/ConfigMap/"+s.space+"/kept", "data", "a"), "it stays, as in Helm")
}

func TestValuesThatAChartDoesNotAllow(t *testing.T) { // [H2]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", webChart(map[string]string{
		"values.schema.json": `{"type": "object", "properties": {"replicas": {"type": "integer", "minimum": 1}, "auth": {"type": "object", "properties": {"mode": {"enum": ["none", "basic"]}}}}}`,
	}))
	step(t, "are named with their paths, in the preview", func(t *testing.T) {
		s.declare(t, "values: { replicas: 0, auth: { mode: hunter2 } }")
		out := s.previewFails(t)
		assert.Contains(t, out, "values.replicas")
		assert.Contains(t, out, "values.auth.mode")
	})
	step(t, "and so is what is wrong with the other inputs", func(t *testing.T) {
		s.declare(t, "values: { replicas: 1 }\nreleaseName: Not_A_Name\nhooks: walk\nvalueFiles: [missing.yaml]")
		out := s.previewFails(t)
		for _, wrong := range []string{`"Not_A_Name" cannot be the name of a release`, "hooks: The value must be one of run, skip.", "valueFiles[0]: The file cannot be read"} {
			assert.Contains(t, out, wrong)
		}
	})
	step(t, "a template that fails says where, and shows no secret", func(t *testing.T) {
		s.chart(t, "1.0.0", map[string]string{"templates/a.yaml": "{{ fail (printf \"%s is too short\" .Values.password) }}"})
		s.config(t, "password", "hunter2secret", "--secret")
		s.declare(t, "values: { password: \"${pw}\" }")
		s.program(t, "%s", strings.Replace(s.programText(t), "resources:", "configuration: { password: { type: string, secret: true } }\nvariables: { pw: \"${password}\" }\nresources:", 1))
		out := s.previewFails(t)
		assert.Contains(t, out, "web/templates/a.yaml, line 1")
		assert.Contains(t, out, "is too short")
		assert.NotContains(t, out, "hunter2secret")
	})
}

func TestAFileOfValuesIsBelowTheProgram(t *testing.T) { // [H2]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"values.yaml":         "a: chart\nb: chart\nc: chart\nd: { x: chart, v: chart }\n",
		"templates/test.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: values }\ndata: { all: {{ .Values | toJson | quote }} }\n",
	})
	s.file(t, "first.yaml", "b: first\nc: first\nd: { x: first }\n")
	s.file(t, "second.yaml", "c: second\n")
	s.declare(t, "valueFiles: [first.yaml, second.yaml]\nvalues: { d: { z: program } }")
	s.up(t)
	assert.JSONEq(t, `{"a": "chart", "b": "first", "c": "second", "d": {"x": "first", "v": "chart", "z": "program"}}`,
		s.kube.value(t, "v1/ConfigMap/"+s.space+"/values", "data", "all").(string))
}

func TestEditsAndOverridesOfAChart(t *testing.T) { // [M13] [M14]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", webChart(nil))
	s.declare(t, strings.Join([]string{
		"edits: { labels: { team: shop }, images: [{ name: hook, newTag: \"2\" }, { name: web, newTag: \"2\" }] }",
		"overrides: [{ select: { kind: Deployment }, ignoreFields: [spec.replicas] }]",
	}, "\n"))
	s.up(t)
	web := s.kube.get(t, "apps/v1/Deployment/"+s.space+"/shop")
	assert.Equal(t, "shop", web.GetLabels()["team"])
	assert.Equal(t, "hook:2", s.job(t, "shop-migrate").Spec.Template.Spec.Containers[0].Image, "hooks are edited, too")
	s.kube.merge(t, "apps/v1/Deployment/"+s.space+"/shop", `{"spec":{"replicas":4}}`)
	s.previewEmpty(t)
}

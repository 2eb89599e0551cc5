package chart

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type m = map[string]any

func TestRender(t *testing.T) {
	t.Parallel()
	t.Run("templates see the release, always as an install [H4]", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, templated(configMap("a", `
name: {{ .Release.Name }}
namespace: {{ .Release.Namespace }}
service: {{ .Release.Service }}
revision: {{ .Release.Revision | quote }}
upgrade: {{ .Release.IsUpgrade | quote }}
install: {{ .Release.IsInstall | quote }}
kube: {{ .Capabilities.KubeVersion.Version }}
apps: {{ .Capabilities.APIVersions.Has "apps/v1" | quote }}
monitors: {{ .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" | quote }}
chart: {{ .Chart.Name }}-{{ .Chart.Version }}
template: {{ .Template.Name }} {{ .Template.BasePath }}
missing: "{{ .Values.nothing }}"
`)), nil)
		assert.Equal(t, m{
			"name": "web", "namespace": "prod", "service": "Helm", "revision": "1", "upgrade": "false", "install": "true",
			"kube": "v1.36", "apps": "true", "monitors": "false", "chart": "shop-1.2.3",
			"template": "shop/templates/it.yaml shop/templates", "missing": "",
		}, dataOf(rendered)["a"])
		assert.Equal(t, "shop/templates/it.yaml", rendered.Objects[0].File)
	})
	t.Run("numbers are as in a file of values, whatever the program has", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("a", `
same: {{ eq .Values.given .Values.default | quote }}
kinds: {{ kindOf .Values.given }} {{ kindOf (index .Values.list 0) }} {{ kindOf .Values.int }}
`)).with(folder{"values.yaml": "default: 80"})
		assert.Equal(t, m{"same": "true", "kinds": "float64 float64 float64"},
			dataOf(render(t, chart, m{"given": int64(80), "list": []any{int64(1)}, "int": 3}))["a"])
	})
	t.Run("neither values nor the chart are changed", func(t *testing.T) {
		t.Parallel()
		chart := loaded(t, templated(`{{ $_ := set .Values.a "b" "changed" }}{{ $_ := set .Values "c" 1 }}{{ $_ := unset .Values.a "d" }}`).
			with(folder{"values.yaml": "a: {d: 1}"}))
		values := m{"a": m{"b": "x"}, "n": nil}
		for range 2 {
			_, err := chart.Render(t.Context(), release, values, Functions{})
			require.NoError(t, err)
		}
		assert.Equal(t, m{"a": m{"b": "x"}, "n": nil}, values)
		assert.Equal(t, m{"a": m{"d": 1.0}}, chart.loaded.Values)
	})
	t.Run("the text is the same each time: keys, values, subcharts", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("a", `
keys: {{ keys .Values.many (dict "z" 1) | join "," }}
values: {{ values .Values.many | join "," }}
`)).with(folder{"values.yaml": "many: {e: 5, d: 4, c: 3, b: 2, a: 1, f: 6, g: 7}"})
		for _, name := range []string{"z", "b", "x", "a"} {
			chart = chart.with(named(name).with(folder{"crds/x.yaml": "kind: CustomResourceDefinition\nmetadata: {name: " + name + "}"}).in("charts/" + name))
		}
		for range 20 {
			rendered := render(t, chart, nil)
			assert.Equal(t, m{"keys": "a,b,c,d,e,f,g,z", "values": "1,2,3,4,5,6,7"}, dataOf(rendered)["a"])
			var files []string
			for _, crd := range rendered.CRDs {
				files = append(files, crd.File)
			}
			assert.Equal(t, []string{"shop/charts/a/crds/x.yaml", "shop/charts/b/crds/x.yaml", "shop/charts/x/crds/x.yaml", "shop/charts/z/crds/x.yaml"}, files)
		}
	})
	t.Run("the environment and the network are out of reach [H16]", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{`{{ env "HOME" }}`, `{{ expandenv "$HOME" }}`} {
			_, err := loaded(t, templated(text)).Render(t.Context(), release, nil, Functions{})
			require.ErrorContains(t, err, "not defined")
		}
		assert.Equal(t, m{"a": ""}, dataOf(render(t, templated(configMap("a", `a: "{{ getHostByName "localhost" }}"`)), nil))["a"])
	})
	t.Run("lookup finds what it is told, and nothing without [H9]", func(t *testing.T) {
		t.Parallel()
		chart := loaded(t, templated(configMap("a", `a: {{ (lookup "v1" "Secret" "ns" "name").data | toJson | quote }}`)))
		rendered, err := chart.Render(t.Context(), release, nil, Functions{})
		require.NoError(t, err)
		assert.Equal(t, m{"a": "null"}, dataOf(rendered)["a"])
		rendered, err = chart.Render(t.Context(), release, nil, Functions{Lookup: func(apiVersion, kind, namespace, name string) (m, error) {
			return m{"data": []any{apiVersion, kind, namespace, name}}, nil
		}})
		require.NoError(t, err)
		assert.Equal(t, m{"a": `["v1","Secret","ns","name"]`}, dataOf(rendered)["a"])
		forbidden := errors.New("forbidden")
		_, err = chart.Render(t.Context(), release, nil, Functions{Lookup: func(string, string, string, string) (m, error) { return nil, forbidden }})
		require.ErrorIs(t, err, forbidden)
	})
	t.Run("a chart for another version of Kubernetes is refused", func(t *testing.T) {
		t.Parallel()
		chart := loaded(t, folder{"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\nkubeVersion: '>=1.40'\n"})
		_, err := chart.Render(t.Context(), release, nil, Functions{})
		require.EqualError(t, err, "the chart shop needs Kubernetes >=1.40, and this is v1.36")
	})
	t.Run("a release that Helm does not allow is refused", func(t *testing.T) {
		t.Parallel()
		for _, wrong := range []Release{{}, {Name: "A_b"}, {Name: strings.Repeat("a", 54)}, {Name: "a", KubeVersion: "new"}} {
			_, err := loaded(t, named("shop")).Render(t.Context(), wrong, nil, Functions{})
			require.Error(t, err, "%+v", wrong)
		}
	})
}

func TestNotes(t *testing.T) {
	t.Parallel()
	t.Run("notes are those of the chart, not of its subcharts, and never an object [H15]", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, named("shop").with(folder{
			"templates/NOTES.txt":           "Open {{ .Release.Name }}.\n",
			"templates/sub/NOTES.txt":       "Others.",
			"charts/b/Chart.yaml":           "name: b\nversion: 1.0.0",
			"charts/b/templates/NOTES.txt":  "Notes of b.",
			"charts/b/templates/object.txt": configMap("b", "a: b"),
		}), nil)
		assert.Equal(t, "Open web.\n", rendered.Notes)
		assert.Len(t, rendered.Objects, 1)
	})
	t.Run("without NOTES.txt there are none", func(t *testing.T) {
		t.Parallel()
		assert.Empty(t, render(t, named("shop"), nil).Notes)
	})
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	chart := templated("kind: CustomResourceDefinition\nmetadata: {name: in-a-template}").with(folder{
		"crds/a.yaml":           "# {{ not a template }}\nkind: CustomResourceDefinition\nmetadata: {name: a}\n---\nkind: CustomResourceDefinition\nmetadata: {name: b}\n",
		"crds/README.md":        "no object",
		"charts/x/Chart.yaml":   "name: x\nversion: 1.0.0",
		"charts/x/crds/c.json":  `{"kind": "CustomResourceDefinition", "metadata": {"name": "c"}}`,
		"charts/x/values.yaml":  "",
		"charts/w/Chart.yaml":   "name: w\nversion: 1.0.0",
		"charts/w/crds/no.yaml": "kind: CustomResourceDefinition\nmetadata: {name: disabled}",
		"Chart.yaml":            "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies: [{name: w, condition: w.enabled}]",
		"values.yaml":           "w: {enabled: false}",
	})
	t.Run("the files of crds/ are objects as they are, with those of enabled subcharts [H5]", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, chart, nil)
		var found []string
		for _, crd := range rendered.CRDs {
			found = append(found, crd.File+" "+nameOf(crd.Object))
		}
		assert.Equal(t, []string{
			"shop/crds/a.yaml CustomResourceDefinition/a", "shop/crds/a.yaml CustomResourceDefinition/b",
			"shop/charts/x/crds/c.json CustomResourceDefinition/c",
		}, found)
		assert.Equal(t, "CustomResourceDefinition/in-a-template", nameOf(rendered.Objects[0].Object))
	})
	t.Run("what is changed in one rendering is not changed in the next [H5]", func(t *testing.T) {
		t.Parallel()
		shop := loaded(t, chart)
		for range 2 {
			rendered, err := shop.Render(t.Context(), release, nil, Functions{})
			require.NoError(t, err)
			first := rendered.CRDs[0].Object["metadata"].(map[string]any)
			assert.Equal(t, map[string]any{"name": "a"}, first)
			first["labels"] = "changed"
		}
	})
	t.Run("they can be skipped, those in templates cannot [H5]", func(t *testing.T) {
		t.Parallel()
		skipping := release
		skipping.SkipCRDs = true
		rendered, err := loaded(t, chart).Render(t.Context(), skipping, nil, Functions{})
		require.NoError(t, err)
		assert.Empty(t, rendered.CRDs)
		assert.Len(t, rendered.Objects, 1)
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	t.Run("objects are in Helm's order of kinds, then of files and of documents", func(t *testing.T) {
		t.Parallel()
		object := func(kind, name string) string {
			return fmt.Sprintf("\n---\nkind: %s\nmetadata: {name: %s}\n", kind, name)
		}
		rendered := render(t, named("shop").with(folder{
			"templates/a.yaml": object("Deployment", "a") + object("Widget", "b") + object("Namespace", "c"),
			"templates/b.yaml": object("Service", "d") + object("Deployment", "e") + object("Gadget", "f"),
		}), nil)
		var found []string
		for _, document := range rendered.Objects {
			found = append(found, nameOf(document.Object))
		}
		assert.Equal(t, []string{"Namespace/c", "Service/d", "Deployment/a", "Deployment/e", "Gadget/f", "Widget/b"}, found)
	})
	t.Run("a key that is there twice is warned about, and its last value counts", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, templated("kind: A\nmetadata: {name: a}\nspec:\n  x: 1\n  x: 2\n"), nil)
		assert.Equal(t, m{"x": int64(2)}, rendered.Objects[0].Object["spec"])
		assert.Equal(t, []string{
			`shop/templates/it.yaml: YAML: the key "x" is there twice, in lines 4 and 5: remove one of them. The last one counts, as for Helm`,
		}, rendered.Warnings)
	})
	t.Run("what Helm would not merge is warned about, without values", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, named("shop").with(folder{"values.yaml": "a: {b: 1}\nc: 1"}), m{"a": "secret", "c": m{"d": "secret"}})
		assert.Equal(t, []string{"values: skipped value for shop.c: Not a table."}, rendered.Warnings)
	})
	for name, test := range map[string]struct{ text, says string }{
		"no YAML":                     {"a: b\nb: [secret", "shop/templates/it.yaml: not readable as objects: document 1: YAML: line 1: did not find expected ',' or ']'"},
		"no object":                   {"secret", "shop/templates/it.yaml: not readable as objects: document 1: YAML: the document holds text, not an object"},
		"a later document":            {"a: b\n---\n# nothing\n---\nc: [", "shop/templates/it.yaml: not readable as objects: document 3: YAML: line 1: did not find expected node content"},
		"an annotation that is a map": {"metadata: {name: a, annotations: {b: {c: secret}}}", "shop/templates/it.yaml: the annotation \"b\" of a is no text: put it in quotes"},
		"an alias that is none":       {"a: *secret", "shop/templates/it.yaml: not readable as objects: document 1: YAML: line 1: a value that begins with *"},
	} {
		t.Run(name+" is an error that quotes no value", func(t *testing.T) {
			t.Parallel()
			_, err := loaded(t, templated(test.text)).Render(t.Context(), release, nil, Functions{})
			var failed *TemplateError
			require.ErrorAs(t, err, &failed)
			require.ErrorContains(t, err, test.says)
			assert.NotContains(t, strings.Split(err.Error(), "refers to")[0], "secret")
		})
	}
}

func TestTemplateErrors(t *testing.T) {
	t.Parallel()
	helpers := folder{"templates/_helpers.tpl": "\n{{define \"a\"}}\n{{ fail \"too small\" }}\n{{end}}\n{{define \"b\"}}{{ .x.y.z }}{{end}}"}
	for name, test := range map[string]struct {
		text string
		want TemplateError
	}{
		"fail": {"\n\n{{ fail (printf \"not %d\" 3) }}", TemplateError{File: "shop/templates/it.yaml", Line: 3, Message: "not 3"}},
		"fail in another template": {"a: b\nb: {{ include \"a\" . }}", TemplateError{
			File: "shop/templates/_helpers.tpl", Line: 3, Message: "too small", Through: []string{"shop/templates/it.yaml:2"}}},
		"fail in a text": {"\n{{ tpl \"\\n\\n\\n{{ fail `no` }}\" . }}", TemplateError{File: "shop/templates/it.yaml", Line: 2, Message: "no"}},
		"required":       {"{{ required \"say a\" .Values.a }}", TemplateError{File: "shop/templates/it.yaml", Line: 1, Message: "say a"}},
		"required with an empty text": {"{{ required \"say a\" \"\" }}", TemplateError{
			File: "shop/templates/it.yaml", Line: 1, Message: "say a"}},
		"a missing map": {"{{ .Values.a.b.c }}", TemplateError{
			File: "shop/templates/it.yaml", Line: 1, At: ".Values.a.b.c", Message: "nil pointer evaluating interface {}.b"}},
		"a missing map elsewhere": {"{{ include \"b\" (dict) }}", TemplateError{
			File: "shop/templates/_helpers.tpl", Line: 5, At: ".x.y.z", Message: "nil pointer evaluating interface {}.y", Through: []string{"shop/templates/it.yaml:1"}}},
		"a template that is not there": {"\n{{ include \"none\" . }}", TemplateError{
			File: "shop/templates/it.yaml", Line: 2, At: "include \"none\" .", Message: "error calling include: there is no template \"none\""}},
		"a function that is not there": {"\n{{ none }}", TemplateError{File: "shop/templates/it.yaml", Line: 2, Message: "function \"none\" not defined"}},
		"an action without an end":     {"\n{{ if true }}", TemplateError{File: "shop/templates/it.yaml", Line: 2, Message: "unexpected EOF"}},
		"a text that is no template": {"\n{{ tpl \"{{ secret\" . }}", TemplateError{File: "shop/templates/it.yaml", Line: 2, At: "tpl \"{{ secret\" .",
			Message: "error calling tpl: the text that tpl renders is not a template: function \"secret\" not defined (line 1 of the text)"}},
		"a function that panics": {"\n{{ div 1 0 }}", TemplateError{
			File: "shop/templates/it.yaml", Line: 2, At: "div 1 0", Message: "error calling div: runtime error: integer divide by zero"}},
		"a function that panics with a value": {"\n{{ mustToJson (dict \"a\" (tuple 1)) | mustFromJson | fromYaml }}", TemplateError{
			File: "shop/templates/it.yaml", Line: 2, At: "fromYaml", Message: "wrong type for value; expected string; got map[string]interface {}"}},
	} {
		t.Run(name+" says where", func(t *testing.T) {
			t.Parallel()
			_, err := loaded(t, templated(test.text).with(helpers)).Render(t.Context(), release, nil, Functions{})
			var failed *TemplateError
			require.ErrorAs(t, err, &failed)
			found := *failed
			found.cause = nil
			assert.Equal(t, test.want, found)
		})
	}
	t.Run("an error is one line", func(t *testing.T) {
		t.Parallel()
		_, err := loaded(t, templated("a: b\nb: {{ include \"a\" . }}").with(helpers)).Render(t.Context(), release, nil, Functions{})
		assert.EqualError(t, err, "shop/templates/_helpers.tpl, line 3: too small (from shop/templates/it.yaml:2)")
	})
}

// counting draws numbers: it rewrites `draw` to `draw "file"`, in a text with another number of lines.
type counting struct {
	drawn int
	files []string
}

func (c *counting) Rewrite(file, text string) string {
	return "\n\n\n" + strings.ReplaceAll(text, "randAlphaNum", fmt.Sprintf("randAlphaNum %q", file))
}

func (c *counting) Funcs() template.FuncMap {
	return template.FuncMap{"randAlphaNum": func(file string, length int) string {
		c.drawn++
		c.files = append(c.files, file)
		return fmt.Sprintf("drawn-%d-of-%d", c.drawn, length)
	}}
}

func (c *counting) File() string { return "" }

func TestDraws(t *testing.T) {
	t.Parallel()
	t.Run("templates of the chart and its subcharts are rewritten, and call other functions [H8]", func(t *testing.T) {
		t.Parallel()
		draws := &counting{}
		rendered, err := loaded(t, templated(configMap("a", `a: {{ include "a" . }}`)).with(folder{
			"templates/_helpers.tpl":    `{{define "a"}}{{ randAlphaNum 5 }}{{end}}`,
			"charts/b/Chart.yaml":       "name: b\nversion: 1.0.0",
			"charts/b/templates/b.yaml": configMap("b", "b: {{ randAlphaNum 6 }}"),
		})).Render(t.Context(), release, nil, Functions{Draws: draws})
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"shop/templates/_helpers.tpl", "shop/charts/b/templates/b.yaml"}, draws.files)
		assert.Regexp(t, "drawn-.-of-5", dataOf(rendered)["a"]["a"])
	})
	t.Run("an error has the line of the chart, not of the rewritten text", func(t *testing.T) {
		t.Parallel()
		chart := loaded(t, templated("a: {{ randAlphaNum 5 }}\nb: {{ fail \"no\" }}"))
		_, err := chart.Render(t.Context(), release, nil, Functions{Draws: &counting{}})
		var failed *TemplateError
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, 2, failed.Line)
	})
	t.Run("an error that only the rewritten text has is reported", func(t *testing.T) {
		t.Parallel()
		_, err := loaded(t, templated("a: {{ randAlphaNum 5.5 }}")).Render(t.Context(), release, nil, Functions{Draws: &counting{}})
		require.Error(t, err)
		_, err = loaded(t, templated(`{{ "randAlphaNum" }}`)).Render(t.Context(), release, nil, Functions{Draws: &counting{}})
		require.Error(t, err)
	})
}

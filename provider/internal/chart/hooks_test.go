package chart

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hooked is a document with annotations of a hook.
func hooked(kind, name, annotations string) string {
	return "\n---\nkind: " + kind + "\nmetadata:\n  name: " + name + "\n  annotations: {" + annotations + "}\n"
}

func TestHooks(t *testing.T) {
	t.Parallel()
	t.Run("hooks have events, a weight and policies, in any case and with blanks [H6]", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, templated(strings.Join([]string{
			hooked("Job", "a", `helm.sh/hook: " Pre-Install,post-upgrade ", helm.sh/hook-weight: "-5", helm.sh/hook-delete-policy: "Hook-Succeeded, hook-failed"`),
			hooked("ServiceAccount", "b", `helm.sh/hook: pre-delete, helm.sh/hook-weight: heavy`),
			hooked("ConfigMap", "c", `helm.sh/hook-weight: "1"`),
			hooked("Job", "d", `helm.sh/hook: "post-delete,pre-rollback,post-rollback,pre-upgrade,post-install"`),
		}, "")), nil)
		type hook struct {
			name     string
			events   string
			weight   int
			policies string
		}
		var found []hook
		for _, one := range rendered.Hooks {
			found = append(found, hook{nameOf(one.Object), strings.Join(one.Events, " "), one.Weight, strings.Join(one.DeletePolicies, " ")})
			assert.Equal(t, "shop/templates/it.yaml", one.File)
		}
		assert.Equal(t, []hook{
			{"ServiceAccount/b", "pre-delete", 0, ""},
			{"Job/a", "pre-install post-upgrade", -5, "hook-succeeded hook-failed"},
			{"Job/d", "post-delete pre-rollback post-rollback pre-upgrade post-install", 0, ""},
		}, found)
		require.Len(t, rendered.Objects, 1)
		assert.Equal(t, "ConfigMap/c", nameOf(rendered.Objects[0].Object))
		assert.Empty(t, rendered.Tests)
	})
	t.Run("tests are left out and named; what is a test and more is not [H6]", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, templated(hooked("Pod", "a", "helm.sh/hook: test")+hooked("Pod", "b", "helm.sh/hook: test-success")+
			hooked("Pod", "c", `helm.sh/hook: "test,post-install"`)), nil)
		assert.Equal(t, []string{"Pod/a", "Pod/b"}, rendered.Tests)
		require.Len(t, rendered.Hooks, 1)
		assert.Equal(t, []string{"post-install"}, rendered.Hooks[0].Events)
	})
	t.Run("an object with an event that Helm does not know is left out, with a warning [H6]", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, templated(hooked("ConfigMap", "a", `helm.sh/hook: "pre-install,crd-install"`)+hooked("ConfigMap", "b", `helm.sh/hook: ""`)), nil)
		assert.Empty(t, rendered.Hooks)
		assert.Empty(t, rendered.Objects)
		assert.Equal(t, []string{
			`shop/templates/it.yaml: ConfigMap/a is left out, as Helm does: its annotation helm.sh/hook names an event that Helm does not know`,
			`shop/templates/it.yaml: ConfigMap/b is left out, as Helm does: its annotation helm.sh/hook names an event that Helm does not know`,
		}, rendered.Warnings)
	})
}

// FuzzHooks: whatever annotations say, an object is a hook, a test, an object, or left out with a warning.
func FuzzHooks(f *testing.F) {
	f.Add("pre-install", "1", "hook-succeeded")
	f.Add(" PRE-INSTALL, test", "-9999999999999999999999", ",")
	f.Add("crd-install", "x", "\x00")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, events, weight, policies string) {
		text, err := toJSON(m{"kind": "Job", "metadata": m{"name": "a", "annotations": m{
			"helm.sh/hook": events, "helm.sh/hook-weight": weight, "helm.sh/hook-delete-policy": policies,
		}}})
		require.NoError(t, err)
		rendered, err := collectText(t, text)
		if err != nil { // YAML does not have all characters
			assert.ErrorContains(t, err, "not readable as objects")
			return
		}
		assert.Equal(t, 1, len(rendered.Hooks)+len(rendered.Tests)+len(rendered.Objects)+len(rendered.Warnings), "%+v", rendered)
		for _, hook := range rendered.Hooks {
			require.NotEmpty(t, hook.Events)
			for _, event := range hook.Events {
				assert.Contains(t, hookEvents, event)
			}
		}
	})
}

// collectText reads the output of one template.
func collectText(t *testing.T, text string) (*Rendered, error) {
	t.Helper()
	shop := loaded(t, named("shop"))
	return shop.collect(shop.loaded, map[string]string{"shop/templates/it.yaml": text}, release, nil)
}

// FuzzLoad: whatever the files of a chart hold, it is loaded and rendered, or refused.
func FuzzLoad(f *testing.F) {
	f.Add("apiVersion: v2\nname: a\nversion: 1.0.0", "a: 1", "{{ .Values.a }}: b", "{}", "charts/b/Chart.yaml", "name: b\nversion: 1.0.0")
	f.Add("name: a\nversion: 1.0.0\ndependencies: [{name: b, alias: c, condition: b, tags: [x], import-values: [a, {child: x, parent: y}]}]",
		"b: {on: false}\ntags: {x: true}\nexports: {a: 1}", "{{ include `x` . }}", `{"type": "object", "properties": {"a": {"$ref": "#"}}}`,
		"charts/b/Chart.yaml", "name: b\nversion: 1.0.0\ntype: library")
	f.Add("apiVersion: v1\nname: a\nversion: 1.0.0", "", "{{ define `x` }}{{ end }}", "[]", "charts/b.tgz", "\x1f\x8b\x08")
	f.Add("name: a\nversion: 1.0.0", "a: &a [*a]", "{{ tpl .Values.a . }}\n---\n", `{"$ref": "http://example.com"}`, "requirements.yaml", "dependencies: [null]")
	f.Fuzz(func(t *testing.T, metadata, values, text, schema, name, content string) {
		chart, err := Load(folder{
			"Chart.yaml": metadata, "values.yaml": values, "templates/it.yaml": text, "values.schema.json": schema, name: content,
		}.files())
		if err != nil {
			return
		}
		first, err := chart.Render(t.Context(), release, nil, Functions{})
		if err != nil {
			return
		}
		if strings.Contains(text+values, "{{") && strings.ContainsAny(text+values, "ruegbhn") { // a function may draw
			return
		}
		second, err := chart.Render(t.Context(), release, nil, Functions{})
		require.NoError(t, err)
		assert.Equal(t, first, second)
	})
}

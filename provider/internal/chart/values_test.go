package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// child is a subchart whose ConfigMap, named like the chart, shows its values.
func child(name, values string) folder {
	return named(name).with(folder{
		"values.yaml":       values,
		"templates/it.yaml": configMap("{{ .Chart.Name }}", "values: {{ omit .Values \"global\" | toJson | quote }}\nglobal: {{ .Values.global | toJson | quote }}"),
	}).in("charts/" + name)
}

// parent is a chart with dependencies, in YAML, whose ConfigMap shows its values.
func parent(dependencies, values string, children ...folder) folder {
	chart := child("shop", values)
	all := folder{}
	for file, text := range chart {
		all[file[len("charts/shop/"):]] = text
	}
	if dependencies != "" {
		all["Chart.yaml"] += "dependencies:\n" + dependencies
	}
	for _, one := range children {
		all = all.with(one)
	}
	return all
}

// TestSubcharts: subcharts are enabled, and values merged, as by Helm [H3].
func TestSubcharts(t *testing.T) {
	t.Parallel()
	type shown = map[string][2]string // values and globals by the name of the chart
	for name, test := range map[string]struct {
		chart  folder
		values m
		want   shown
	}{
		"a subchart has its part of the values, over its defaults": {
			parent("", "child: {a: 2}", child("child", "a: 1\nb: {c: 3}")), m{"child": m{"b": m{"d": 4}}},
			shown{"shop": {`{"child":{"a":2,"b":{"c":3,"d":4},"global":{}}}`, "null"}, "child": {`{"a":2,"b":{"c":3,"d":4}}`, "{}"}},
		},
		"null removes a default": {
			parent("", "a: {b: 1, c: 2}\nd: 3", child("child", "e: {f: 1, g: 2}")),
			m{"a": m{"b": nil}, "d": nil, "child": m{"e": m{"f": nil}}},
			shown{"shop": {`{"a":{"c":2},"child":{"e":{"g":2},"global":{}}}`, "null"}, "child": {`{"e":{"g":2}}`, "{}"}},
		},
		// Helm 4.3.1 loses this null, unless another value of the subchart is set; Helm 3 does not.
		"null in the chart's own values for a subchart removes a default [D69]": {
			parent("", "child: {a: null, e: {f: null}}", child("child", "a: 1\ne: {f: 1, g: 2}")), nil,
			shown{"shop": {`{"child":{"e":{"g":2},"global":{}}}`, "null"}, "child": {`{"e":{"g":2}}`, "{}"}},
		},
		"null in the chart's own values for a subchart removes a default where there is a value for the subchart": {
			parent("", "child: {a: null, e: {f: null}}", child("child", "a: 1\ne: {f: 1, g: 2}")), m{"child": m{"other": 1}},
			shown{"shop": {`{"child":{"e":{"g":2},"global":{},"other":1}}`, "null"}, "child": {`{"e":{"g":2},"other":1}`, "{}"}},
		},
		"lists are replaced": {
			parent("", "a: [1, 2]"), m{"a": []any{3}}, shown{"shop": {`{"a":[3]}`, "null"}},
		},
		"globals reach subcharts of subcharts": {
			parent("", "global: {a: 1}", child("child", "global: {a: 0, b: 2}").with(child("inner", "").in("charts/child"))), m{"global": m{"c": m{"d": 3}}},
			shown{
				"shop":  {`{"child":{"global":{"a":1,"b":2,"c":{"d":3}},"inner":{"global":{"a":1,"b":2,"c":{"d":3}}}}}`, `{"a":1,"c":{"d":3}}`},
				"child": {`{"inner":{"global":{"a":1,"b":2,"c":{"d":3}}}}`, `{"a":1,"b":2,"c":{"d":3}}`},
				"inner": {"{}", `{"a":1,"b":2,"c":{"d":3}}`},
			},
		},
		"a condition disables a subchart; the first that is there counts": {
			parent("- {name: child, version: '*', condition: 'none,child.enabled,other'}", "child: {enabled: false}\nother: true", child("child", "")), nil,
			shown{"shop": {`{"child":{"enabled":false},"other":true}`, "null"}},
		},
		"a value decides a condition": {
			parent("- {name: child, version: '*', condition: child.enabled}", "child: {enabled: false}", child("child", "")), m{"child": m{"enabled": true}},
			shown{"shop": {`{"child":{"enabled":true,"global":{}}}`, "null"}, "child": {`{"enabled":true}`, "{}"}},
		},
		"tags disable subcharts, one that is true is enough, and a condition counts more": {
			parent("- {name: a, version: '*', tags: [x]}\n- {name: b, version: '*', tags: [x, z]}\n- {name: c, version: '*', tags: [x], condition: c.enabled}", "tags: {x: false, z: true}\nc: {enabled: true}",
				child("a", ""), child("b", ""), child("c", "")), nil,
			shown{"shop": {`{"b":{"global":{}},"c":{"enabled":true,"global":{}},"tags":{"x":false,"z":true}}`, "null"}, "b": {`{}`, "{}"}, "c": {`{"enabled":true}`, "{}"}},
		},
		"a subchart under aliases is there once for each": {
			parent("- {name: child, version: '*', alias: one}\n- {name: child, version: '*', alias: two, condition: two.enabled}\n- {name: child, version: '*', alias: three, condition: three.enabled}",
				"one: {a: 1}\nthree: {enabled: false}", child("child", "a: 0")), m{"two": m{"b": 2}},
			shown{
				"shop": {`{"one":{"a":1,"global":{}},"three":{"enabled":false},"two":{"a":0,"b":2,"global":{}}}`, "null"},
				"one":  {`{"a":1}`, "{}"}, "two": {`{"a":0,"b":2}`, "{}"},
			},
		},
		"values are imported from a subchart, below those of the chart": {
			parent("- {name: child, version: '*', import-values: [data, {child: inner, parent: mine}]}", "mine: {a: 1}",
				child("child", "exports: {data: {x: 1}}\ninner: {a: 2, b: 3}")), nil,
			shown{
				"shop":  {`{"child":{"exports":{"data":{"x":1}},"global":{},"inner":{"a":2,"b":3}},"mine":{"a":1,"b":3},"x":1}`, "null"},
				"child": {`{"exports":{"data":{"x":1}},"inner":{"a":2,"b":3}}`, "{}"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := shown{}
			for chart, data := range dataOf(render(t, test.chart, test.values)) {
				values, _ := data["values"].(string)
				global, _ := data["global"].(string)
				found[chart] = [2]string{values, global}
			}
			assert.Equal(t, test.want, found)
		})
	}
	t.Run("a library chart gives templates, and no objects", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, templated(`{{ include "common.object" (dict "name" "a" "root" .) }}`).with(folder{
			"charts/common/Chart.yaml":             "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n",
			"charts/common/templates/_object.tpl":  "{{define \"common.object\"}}" + configMap("{{ .name }}", "a: {{ .root.Values.common.b }}") + "{{end}}",
			"charts/common/templates/ignored.yaml": "{{ fail \"rendered\" }}",
			"charts/common/values.yaml":            "b: c",
		}), nil)
		assert.Equal(t, map[string]map[string]any{"a": {"a": "c"}}, dataOf(rendered))
	})
	t.Run("a chart redefines a template of its subchart", func(t *testing.T) {
		t.Parallel()
		rendered := render(t, named("shop").with(folder{
			"templates/_own.tpl":             `{{define "name"}}own{{end}}`,
			"charts/b/Chart.yaml":            "name: b\nversion: 1.0.0",
			"charts/b/templates/_theirs.tpl": `{{define "name"}}theirs{{end}}`,
			"charts/b/templates/it.yaml":     configMap("b", `a: {{ include "name" . }}`),
		}), nil)
		assert.Equal(t, m{"a": "own"}, dataOf(rendered)["b"])
	})
	t.Run("values of a subchart that are no map are refused, without quoting them", func(t *testing.T) {
		t.Parallel()
		_, err := loaded(t, parent("", "", child("child", "a: 1"))).Render(t.Context(), release, m{"child": "secret"}, Functions{})
		require.EqualError(t, err, "the values of the chart shop: type mismatch on child: the values of a subchart must be a map")
	})
}

func TestParseValues(t *testing.T) {
	t.Parallel()
	t.Run("documents are merged, later ones over earlier ones [H2]", func(t *testing.T) {
		t.Parallel()
		found, err := ParseValues("a: {b: 1, c: 2}\n---\na: {b: 3}\nd: null\n---\n")
		require.NoError(t, err)
		assert.Equal(t, m{"a": m{"b": 3.0, "c": 2.0}, "d": nil}, found)
	})
	t.Run("what is no map is refused", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{"[1]", "text", "a: ["} {
			_, err := ParseValues(text)
			require.Error(t, err)
		}
	})
	t.Run("values are merged over others [H2]", func(t *testing.T) {
		t.Parallel()
		base, over := m{"a": m{"b": 1, "c": 2}, "l": []any{1}}, m{"a": m{"b": nil}, "l": []any{2}, "n": 1}
		assert.Equal(t, m{"a": m{"b": nil, "c": 2}, "l": []any{2}, "n": 1}, MergeValues(base, over))
		assert.Equal(t, m{"a": m{"b": 1, "c": 2}, "l": []any{1}}, base)
	})
}

package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNull: what null removes, as in Helm 3.
func TestNull(t *testing.T) {
	t.Parallel()
	const printed = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Chart.Name }} }\ndata:\n  values: {{ omit .Values \"global\" | toJson | quote }}\n"
	inner := named("inner").with(folder{"values.yaml": "kept: 1\nremoved: 2\nmap: { kept: 1, removed: 2 }\n", "templates/it.yaml": printed})
	umbrella := func(values string) folder {
		return named("shop").with(folder{"values.yaml": values, "templates/it.yaml": printed}).with(inner.in("charts/inner"))
	}
	for name, test := range map[string]struct {
		chart  folder
		values map[string]any
		wanted string
	}{
		"of the program's values":                                     {umbrella(""), m{"inner": m{"removed": nil, "map": m{"removed": nil}}}, `{"kept":1,"map":{"kept":1}}`},
		"of the umbrella's own values":                                {umbrella("inner: { removed: null, map: { removed: null } }"), nil, `{"kept":1,"map":{"kept":1}}`},
		"of the umbrella's own values, of a map":                      {umbrella("inner: { map: null }"), nil, `{"kept":1,"removed":2}`},
		"of the umbrella's own values, below values of the program":   {umbrella("inner: { removed: null, map: { removed: null } }"), m{"inner": m{"more": 3}}, `{"kept":1,"map":{"kept":1},"more":3}`},
		"of the umbrella's own values, where the program has another": {umbrella("inner: { removed: null }"), m{"inner": m{"removed": 3}}, `{"kept":1,"map":{"kept":1,"removed":2},"removed":3}`},
	} {
		t.Run("null "+name+" removes what a subchart sets [D69]", func(t *testing.T) {
			t.Parallel()
			rendered := render(t, test.chart, test.values)
			found, _ := dataOf(rendered)["inner"]["values"].(string)
			assert.JSONEq(t, test.wanted, found)
		})
	}
	t.Run("null removes through several levels, and in one that a chart in between sets [D69]", func(t *testing.T) {
		t.Parallel()
		middle := func(values string) folder {
			return named("middle").with(folder{"values.yaml": values}).with(inner.in("charts/inner"))
		}
		outer := func(values, below string) folder {
			return named("outer").with(folder{"values.yaml": values}).with(middle(below).in("charts/middle"))
		}
		for _, chart := range []folder{
			outer("", "inner: { map: null }"), outer("middle: { inner: { map: null } }", ""), outer("middle: { more: 1 }", "inner: { map: null }"),
		} {
			found, _ := dataOf(render(t, chart, nil))["inner"]["values"].(string)
			assert.JSONEq(t, `{"kept":1,"removed":2}`, found)
		}
	})
	t.Run("null removes from a subchart with another name [D69]", func(t *testing.T) {
		t.Parallel()
		chart := umbrella("other: { map: null }").with(folder{"Chart.yaml": named("shop")["Chart.yaml"] +
			"dependencies: [{ name: inner, version: 1.2.3, alias: other }]\n"})
		found, _ := dataOf(render(t, chart, nil))["other"]["values"].(string)
		assert.JSONEq(t, `{"kept":1,"removed":2}`, found)
	})
}

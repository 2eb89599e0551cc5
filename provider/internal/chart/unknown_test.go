package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func tryPartly(t testing.TB, f folder, given m, secrets ...[]any) (*Partial, error) {
	t.Helper()
	marks, err := values.MarksAt(secrets)
	require.NoError(t, err)
	return loaded(t, f).RenderPartly(t.Context(), Partly{
		Release: release, Values: given, Secrets: marks, Session: draws.NewSession(draws.Options{}), Draws: draws.Options{},
	})
}

func rendersPartly(t testing.TB, f folder, given m, secrets ...[]any) *Partial {
	t.Helper()
	partial, err := tryPartly(t, f, given, secrets...)
	require.NoError(t, err)
	return partial
}

// namesOf lists objects by kind/name; one that is unknown as a whole has a question mark.
func namesOf(documents []PartialDocument) []string {
	names := []string{}
	for _, document := range documents {
		name := nameOf(document.Object)
		if document.Unknown {
			name += "?"
		}
		names = append(names, name)
	}
	return names
}

// TestDecisions: what templates decide on a value that is not known makes unknown what depends on it, and nothing else [H10].
func TestDecisions(t *testing.T) {
	t.Parallel()
	for name, condition := range map[string]string{
		"gt":            `gt (int .Values.size) 5`,
		"lt":            `lt .Values.size 0.5`,
		"ge, piped":     `.Values.size | int | ge 5`,
		"contains":      `contains "a" .Values.host`,
		"hasPrefix":     `hasPrefix "a" .Values.host`,
		"hasSuffix":     `.Values.host | hasSuffix "a"`,
		"regexMatch":    `regexMatch "^a" .Values.host`,
		"has":           `has .Values.host (list "a" "b")`,
		"has in a list": `has "a" .Values.list`,
		"hasKey":        `hasKey (dict "a" 1) .Values.host`,
		"semverCompare": `semverCompare "<1.0.0" .Values.host`,
		"eq":            `eq .Values.host "a"`,
		"eq, changed":   `eq (printf "%s-x" .Values.host) "a-x"`,
		"eq, of many":   `eq .Values.host "a" "b" "c"`,
		"ne":            `not (ne .Values.host "a")`,
		"eq, a kind":    `eq .Values.other true`,
		"and":           `and .Values.host (eq .Values.size 7.0) (hasPrefix "a" .Values.host)`,
		"deepEqual":     `deepEqual .Values.list (list "a")`,
		"another":       `kindIs "string" .Values.none | or (.Values.host | upper | contains "A")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart := templated(configMap("a", fmt.Sprintf("known: x\n{{- if %s }}\nthere: x\n{{- end }}\nchosen: {{ ternary \"a\" \"b\" (%s) }}", condition, condition)) +
				fmt.Sprintf("---\n{{ if %s }}\n%s{{ end }}\n---\n%s", condition, configMap("b", "x: z"), configMap("c", "x: z"))).
				with(folder{"values.yaml": "size: 1\nhost: x\nlist: [x]"})
			partial := rendersPartly(t, chart, m{"size": values.Unknown{}, "host": values.Unknown{}, "list": values.Unknown{}, "other": values.Unknown{}})
			assert.Equal(t, []string{"ConfigMap/a", "ConfigMap/c"}, namesOf(partial.Objects))
			assert.True(t, partial.Incomplete)
			assert.Equal(t, m{"known": "x", "there": values.Unknown{}, "chosen": values.Unknown{}}, partial.Objects[0].Object["data"])
			assert.Equal(t, m{"x": "z"}, partial.Objects[1].Object["data"])
			assert.Empty(t, partial.Warnings)
		})
	}
	for name, text := range map[string]string{
		"whether a known key is there":   `{{ hasKey .Values "host" | quote }}`,
		"a known key":                    `{{ get .Values "name" | quote }}{{ dig "deep" "name" "" .Values.AsMap | quote }}`,
		"a comparison of known values":   `{{ eq .Values.name "web" | quote }}`,
		"a number like a placeholder":    `{{ gt (int .Values.two) 1 | quote }}{{ eq (int .Values.three) 3 | quote }}`,
		"the kind of a value":            `{{ kindIs "string" .Values.host | quote }}{{ typeOf .Values.size | quote }}`,
		"what a map has beside it":       `{{ omit .Values "host" "size" "list" "labels" "on" | toJson | quote }}`,
		"a part of a list":               `{{ first (list "a" .Values.host) | quote }}`,
		"merged values that cover it":    `{{ (merge (dict "host" "mine") .Values).host | quote }}`,
		"the name of a template with it": `{{ include "named" (dict "value" .Values.host) | quote }}`,
	} {
		t.Run(name+" does not depend", func(t *testing.T) {
			t.Parallel()
			chart := templated(configMap("a", "a: "+strings.Replace(text, "}}{{", "}}\nb: {{", 1))).with(folder{
				"values.yaml":            "size: 1\nhost: x\nlist: [x]\nlabels: {x: y}\nname: web\ntwo: 2\nthree: 3\ndeep: {name: a}",
				"templates/_helpers.tpl": `{{ define "named" }}fixed{{ end }}`,
			})
			partial := rendersPartly(t, chart, m{"size": values.Unknown{}, "host": values.Unknown{}, "list": values.Unknown{}, "labels": values.Unknown{}})
			require.Equal(t, []string{"ConfigMap/a"}, namesOf(partial.Objects))
			assert.False(t, values.HasUnknown(partial.Objects[0].Object), "%v", partial.Objects[0].Object)
			assert.False(t, partial.Incomplete)
			assert.Empty(t, partial.Warnings)
		})
	}
	t.Run("a value that is rendered by tpl if it is a template is unknown alone, as in charts that share a library", func(t *testing.T) {
		t.Parallel()
		folder := folder{}
		for name, data := range chartFiles(t, "database") {
			folder[name] = string(data)
		}
		partial := rendersPartly(t, folder, m{"commonAnnotations": m{"a": values.Unknown{}}, "primary": m{"replicas": values.Unknown{}, "configuration": values.Unknown{}},
			"auth": m{"password": "fixed"}})
		assert.False(t, partial.Incomplete)
		assert.Empty(t, partial.Warnings)
		var unknown []string
		for _, object := range partial.Objects {
			assert.False(t, object.Unknown)
			for _, path := range values.UnknownPaths(object.Object, values.Marks{}) {
				unknown = append(unknown, nameOf(object.Object)+" "+path)
			}
		}
		assert.Equal(t, []string{
			`ConfigMap/web-database data["database.conf"]`, "StatefulSet/web-database metadata.annotations.a", "StatefulSet/web-database spec.replicas",
			`StatefulSet/web-database spec.template.metadata.annotations["checksum/configuration"]`,
		}, unknown)
	})
	t.Run("two values that decide together", func(t *testing.T) {
		t.Parallel()
		for _, condition := range []string{"and .Values.a (not .Values.b)", "and (not .Values.a) .Values.b", "and .Values.a .Values.b", "or .Values.a .Values.b"} {
			chart := templated("{{ if " + condition + " }}" + configMap("a", "a: b") + "{{ end }}").with(folder{"values.yaml": "a: true\nb: false"})
			partial := rendersPartly(t, chart, m{"a": values.Unknown{}, "b": values.Unknown{}})
			assert.True(t, partial.Incomplete, condition)
			assert.Empty(t, partial.Objects, condition)
		}
	})
	t.Run("a map that is not known decides by what is in it", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("a", "a: {{ .Values.map.on | quote }}\nb: {{ if .Values.map.deep.on }}x{{ end }}\nc: {{ .Values.map.text }}\nd: {{ .Values.size | quote }}") +
			"---\n{{ if not .Values.map.deep.on }}" + configMap("b", "a: b") + "{{ end }}").
			with(folder{"values.yaml": `{map: {"on": true, deep: {"on": true}, text: x}, size: 1}`})
		partial := rendersPartly(t, chart, m{"map": values.Unknown{}})
		assert.Equal(t, m{"a": values.Unknown{}, "b": values.Unknown{}, "c": values.Unknown{}, "d": "1"}, partial.Objects[0].Object["data"])
		assert.True(t, partial.Incomplete)
		assert.Len(t, partial.Objects, 1)
		assert.Empty(t, partial.Warnings)
	})
	t.Run("a decision that counts if another value is empty, and is made elsewhere, too", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("a", `a: {{ if and (not .Values.a) .Values.b (eq .Values.b "x") }}one{{ else }}two{{ end }}
b: {{ eq .Values.b "x" | quote }}
c: d`))
		partial := rendersPartly(t, chart, m{"a": values.Unknown{}, "b": values.Unknown{}})
		assert.Equal(t, m{"a": values.Unknown{}, "b": values.Unknown{}, "c": "d"}, partial.Objects[0].Object["data"])
	})
	t.Run("a decision that only another one leads to", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("a", `a: {{ if eq .Values.a "x" }}{{ if hasPrefix "y" .Values.b }}one{{ else }}two{{ end }}{{ else }}three{{ end }}
b: {{ if and (eq .Values.a "x") (eq .Values.b "y") }}one{{ else }}two{{ end }}`))
		partial := rendersPartly(t, chart, m{"a": values.Unknown{}, "b": values.Unknown{}})
		assert.Equal(t, m{"a": values.Unknown{}, "b": values.Unknown{}}, partial.Objects[0].Object["data"])
	})
}

func TestHiddenDependence(t *testing.T) {
	t.Parallel()
	for function, expression := range map[string]string{
		"regexFind":       `regexFind "[a-z]+" .Values.host`,
		"index":           `index (dict "a" 1) .Values.host`,
		"get":             `get (dict "a" 1) .Values.host`,
		"regexReplaceAll": `regexReplaceAll "[0-9]" .Values.host ""`,
		"min":             `min .Values.size 1`,
		"fromJson":        `(fromJson .Values.host).a`,
		"lookup":          `(lookup "v1" "Secret" "a" .Values.host).data`,
	} {
		t.Run(function+" makes the same of all placeholders: the objects of its template are unknown, with a warning [H10]", func(t *testing.T) {
			t.Parallel()
			chart := templated(configMap("a", "a: b\nc: {{ "+expression+" | quote }}")).with(folder{
				"values.yaml": "size: 1", "templates/other.yaml": configMap("b", "a: b"),
			})
			partial := rendersPartly(t, chart, m{"host": values.Unknown{}, "size": values.Unknown{}})
			assert.Equal(t, []string{"ConfigMap/a?", "ConfigMap/b"}, namesOf(partial.Objects))
			assert.True(t, partial.Incomplete)
			assert.Equal(t, []string{"shop/templates/it.yaml decides on values that are not known yet. " +
				"What it makes is known only after the apply: " + function + " makes the same of all values (line 7)."}, partial.Warnings)
		})
	}
}

func TestTemplatesThatCannotBeRendered(t *testing.T) {
	t.Parallel()
	other := folder{"templates/other.yaml": configMap("b", "a: b")}
	for name, test := range map[string]struct {
		text  string
		names []string
	}{
		"a list of what is no text":     {configMap("a", `a: {{ range .Values.list }}{{ .name }}{{ end }}`), []string{"ConfigMap/b", "ConfigMap/a?"}},
		"a value with a certain form":   {`{{ if not (regexMatch "^[a-z]+$" .Values.host) }}{{ fail "letters!" }}{{ end }}` + configMap("a", "a: {{ .Values.host }}"), []string{"ConfigMap/b", "ConfigMap/a?"}},
		"a value that no one can guess": {configMap("a", `a: {{ (fromJson .Values.host).a.b.c }}`), []string{"ConfigMap/b"}},
		"what is no YAML":               {configMap("a", "a: {{ .Values.host }}: {{ .Values.host }}"), []string{"ConfigMap/b"}},
	} {
		t.Run(name+" leaves other templates alone [H10]", func(t *testing.T) {
			t.Parallel()
			partial := rendersPartly(t, templated(test.text).with(other).with(folder{"values.yaml": "list: []"}), m{"host": values.Unknown{}, "list": values.Unknown{}})
			assert.Equal(t, test.names, namesOf(partial.Objects))
			assert.True(t, partial.Incomplete)
			require.NotEmpty(t, partial.Warnings)
			assert.Contains(t, partial.Warnings[0], "shop/templates/it.yaml")
		})
	}
	for name, test := range map[string]struct{ text, says string }{
		"another value is missing":      {`{{ required "say it" .Values.other }}`, "shop/templates/it.yaml, line 1: say it"},
		"a function is not there":       {"\n{{ none }}", `shop/templates/it.yaml, line 2: function "none" not defined`},
		"known values are not compared": {"\n{{ if eq .Values.name 1 }}{{ end }}", "shop/templates/it.yaml, line 2, at <eq .Values.name 1>: error calling eq: incompatible types for comparison"},
		"what is known is no YAML":      {"a: b: {{ .Values.name }}", "shop/templates/it.yaml: not readable as objects"},
		"a template that draws fails":   {"\n\n{{/* */}}{{ $a := randAlphaNum 5 }}{{ fail \"no\" }}", "shop/templates/it.yaml, line 3: no"},
	} {
		t.Run("if "+name+", it is an error, whatever is not known", func(t *testing.T) {
			t.Parallel()
			_, err := tryPartly(t, templated(test.text).with(other), m{"host": values.Unknown{}, "name": "web"})
			require.ErrorContains(t, err, test.says)
			_, err = tryPartly(t, templated(test.text).with(other), m{"name": "web"}, []any{"name"})
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestUnknownSubcharts(t *testing.T) {
	t.Parallel()
	chart := parent("- {name: child, version: '*', condition: child.enabled}", "", child("child", "enabled: false\nname: x\nitems: {a: {b: c}}").
		with(folder{"charts/child/crds/a.yaml": "kind: CustomResourceDefinition\nmetadata: {name: a}"}))
	t.Run("a subchart of which it is not known whether it is enabled has no objects yet [H10]", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, chart, m{"child": m{"enabled": values.Unknown{}}})
		assert.Equal(t, []string{"ConfigMap/shop"}, namesOf(partial.Objects))
		assert.Empty(t, partial.CRDs)
		assert.True(t, partial.Incomplete)
	})
	t.Run("all values of a subchart are not known", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, chart, m{"child": values.Unknown{}})
		assert.True(t, partial.Incomplete)
	})
	t.Run("a value of a subchart", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, chart, m{"child": m{"enabled": true, "name": values.Unknown{}}})
		assert.Equal(t, []string{"ConfigMap/child", "ConfigMap/shop"}, namesOf(partial.Objects))
		assert.Len(t, partial.CRDs, 1)
		assert.False(t, partial.Incomplete)
		assert.Equal(t, m{"values": values.Unknown{}, "global": "{}"}, partial.Objects[0].Object["data"])
	})
	t.Run("a global", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, chart, m{"child": m{"enabled": true}, "global": m{"a": values.Unknown{}}})
		assert.Equal(t, m{"values": `{"enabled":true,"items":{"a":{"b":"c"}},"name":"x"}`, "global": values.Unknown{}}, partial.Objects[0].Object["data"])
	})
}

func TestUnknownAndSchemas(t *testing.T) {
	t.Parallel()
	chart := named("shop").with(folder{
		schemaFile: `{"required": ["c"], "properties": {"a": {"pattern": "^[a-z]+$"}, "b": {"type": "integer"}, "d": {"oneOf": [{"properties": {"x": {"const": 1}}}, {"properties": {"x": {"const": 2}}}]},
			"e": {"if": {"properties": {"x": {"const": 1}}}, "then": {"required": ["y"]}}, "global": {"properties": {"a": {"type": "boolean"}}}}}`,
		"charts/child/Chart.yaml": "name: child\nversion: 1.0.0", "charts/child/" + schemaFile: `{"properties": {"global": {"properties": {"a": {"type": "boolean"}}}}}`,
	})
	unknownValue := values.Unknown{}
	t.Run("what is not known is not checked [H2] [H10]", func(t *testing.T) {
		t.Parallel()
		rendersPartly(t, chart, m{"a": unknownValue, "c": 1, "d": m{"x": unknownValue}, "e": m{"x": unknownValue}, "global": m{"a": unknownValue}})
	})
	t.Run("what is known is", func(t *testing.T) {
		t.Parallel()
		_, err := tryPartly(t, chart, m{"a": unknownValue, "b": "x", "d": m{"x": unknownValue}})
		require.EqualError(t, err, "the chart does not allow these values:\n  it must have \"c\"\n  b: it must be of type integer, not string")
	})
	t.Run("secret values are checked as they are, not those that they are exchanged for", func(t *testing.T) {
		t.Parallel()
		rendersPartly(t, chart, m{"a": "hunter", "c": 1}, []any{"a"})
		_, err := tryPartly(t, chart, m{"a": "hunter2", "c": 1}, []any{"a"})
		require.EqualError(t, err, "the chart does not allow these values:\n  a: it must match the pattern \"^[a-z]+$\"")
	})
}

func TestUnknownHooksAndNotes(t *testing.T) {
	t.Parallel()
	t.Run("hooks whose events or weights are not known make the set incomplete [H10]", func(t *testing.T) {
		t.Parallel()
		for _, annotations := range []string{
			`helm.sh/hook: "{{ if .Values.a }}pre{{ else }}post{{ end }}-install"`, ` {{ if .Values.a }}helm.sh/hook: post-install{{ end }}`,
			`helm.sh/hook: post-install, helm.sh/hook-weight: "{{ .Values.size }}"`, `helm.sh/hook: post-install, helm.sh/hook-delete-policy: "{{ .Values.a }}"`,
		} {
			partial := rendersPartly(t, templated(hooked("Job", "a", annotations)).with(folder{"values.yaml": "size: 1"}), m{"a": values.Unknown{}, "size": values.Unknown{}})
			assert.True(t, partial.Incomplete, annotations)
			assert.Len(t, partial.Hooks, 1, annotations)
		}
	})
	t.Run("a hook with an unknown value is a hook", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, templated(hooked("Job", "a", "helm.sh/hook: post-install, b: '{{ .Values.a }}'")), m{"a": values.Unknown{}})
		assert.False(t, partial.Incomplete)
		assert.Equal(t, m{"helm.sh/hook": "post-install", "b": values.Unknown{}}, annotationsOf(partial.Hooks[0].Object))
		assert.Equal(t, []string{"post-install"}, partial.Hooks[0].Hook.Events)
	})
	t.Run("notes that depend on a value are unknown, or secret [H15]", func(t *testing.T) {
		t.Parallel()
		chart := named("shop").with(folder{"templates/NOTES.txt": "{{ .Values.a }}"})
		partial := rendersPartly(t, chart, m{"a": values.Unknown{}})
		assert.Equal(t, []bool{true, false, false}, []bool{partial.NotesUnknown, partial.NotesSecret, partial.Incomplete})
		partial = rendersPartly(t, chart, m{"a": "x", "b": values.Unknown{}}, []any{"a"})
		assert.Equal(t, []bool{false, true, false}, []bool{partial.NotesUnknown, partial.NotesSecret, partial.Incomplete})
	})
}

func TestTooManyDecisions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		decisions int
		written   string // by another template
	}{
		"a template that decides often":         {100, ""},
		"a chart that takes long to be tried":   {10, `{{ $_ := include "long" . }}`},
		"a template that decides not too often": {10, ""},
	} {
		t.Run(name+" [H16]", func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			for i := range test.decisions {
				fmt.Fprintf(&text, "a%d: {{ hasPrefix \"%d\" .Values.a | quote }}\n", i, i+10)
			}
			chart := templated(configMap("a", text.String())).with(folder{
				"templates/b.yaml": test.written + configMap("b", "a: b"), "templates/_long.tpl": `{{ define "long" }}{{ repeat 5000000 "x" }}{{ end }}`,
			})
			partial := rendersPartly(t, chart, m{"a": values.Unknown{}})
			if test.decisions < 30 && test.written == "" {
				assert.Equal(t, []string{"ConfigMap/b", "ConfigMap/a"}, namesOf(partial.Objects))
				assert.Empty(t, partial.Warnings)
				return
			}
			assert.Equal(t, []string{"ConfigMap/b", "ConfigMap/a?"}, namesOf(partial.Objects))
			assert.Equal(t, []string{"shop/templates/it.yaml decides on values that are not known yet. " +
				"What it makes is known only after the apply: it decides more than can be tried."}, partial.Warnings)
		})
	}
}

func TestPartialIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	chart := loaded(t, templated(configMap("a", `a: {{ if contains "a" .Values.a }}1{{ end }}{{ if contains "b" .Values.b }}2{{ end }}{{ regexFind "x" .Values.c }}`)))
	var before *Partial
	for range 5 {
		partial, err := chart.RenderPartly(t.Context(), Partly{Release: release, Session: draws.NewSession(draws.Options{}),
			Values: m{"a": values.Unknown{}, "b": values.Unknown{}, "c": values.Unknown{}}})
		require.NoError(t, err)
		if before != nil {
			assert.Equal(t, before, partial)
		}
		before = partial
	}
	assert.False(t, slices.ContainsFunc(before.Objects, func(d PartialDocument) bool { return manifest.IdentityOf(d.Object).Name == "" }))
}

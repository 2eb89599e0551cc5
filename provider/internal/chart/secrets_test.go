package chart

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// secretPaths lists the secret places of the objects: kind/name path.
func secretPaths(partial *Partial) []string {
	found := []string{}
	for _, object := range partial.Objects {
		for _, path := range object.Secrets.Paths() {
			found = append(found, nameOf(object.Object)+" "+values.FormatSegments(path...))
		}
	}
	slices.Sort(found)
	return found
}

// TestSecretPlaces: what depends on a secret value is secret, and nothing else [H2].
func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	const a = "ConfigMap/a "
	for name, test := range map[string]struct {
		text   string
		secret any // the value
		wanted []string
	}{
		"a text":                              {`a: {{ .Values.s }}`, "hunter2", []string{a + "data.a"}},
		"its length":                          {`a: {{ len .Values.s | quote }}`, "hunter2", []string{a + "data.a"}},
		"what is decided by its length":       {`a: {{ gt (len .Values.s) 8 | quote }}`, "hunter2", []string{a + "data.a"}},
		"what is decided by its first letter": {`a: {{ hasPrefix "h" .Values.s | quote }}`, "hunter2", []string{a + "data.a"}},
		"a decision that another prefix has":  {`a: {{ if hasPrefix "q" .Values.s }}one{{ else }}two{{ end }}`, "hunter2", []string{a + "data.a"}},
		"what two decisions decide together":  {`{{ $a := hasPrefix "q" .Values.s }}{{ $b := hasSuffix "z" .Values.s }}a: {{ if and $a $b }}one{{ else }}two{{ end }}`, "hunter2", []string{a + "data.a"}},
		"what is only there for its letter":   {"a: b\n{{ if hasPrefix \"h\" .Values.s }}\nc: d\n{{ end }}", "hunter2", []string{a + "data.c"}},
		"that it is there":                    {`a: {{ if .Values.s }}yes{{ else }}no{{ end }}`, "hunter2", []string{}},
		"that it is empty":                    {`a: {{ if .Values.s }}is{{ else }}not{{ end }}`, "", []string{}},
		"a default for an empty one":          {`a: {{ .Values.s | default "x" }}`, "", []string{}},
		"a number":                            {`a: {{ .Values.s | quote }}`, 5, []string{a + "data.a"}},
		"a decision by a number":              {`a: {{ gt (int .Values.s) 100 | quote }}`, 5, []string{a + "data.a"}},
		"a boolean":                           {`a: {{ ternary "x" "z" .Values.s }}`, true, []string{a + "data.a"}},
		"a value in a map":                    {"a: {{ .Values.s.a }}\nb: {{ .Values.known }}", m{"a": "x"}, []string{a + "data.a"}},
		"the keys of a map":                   {"{{ range $key, $_ := .Values.s }}\n{{ $key }}: x\n{{ end }}", m{"key": "x"}, []string{a + "data"}},
		"the keys of a map that are known":    {"{{ range $key, $_ := .Values.labels }}\n{{ $key }}: x\n{{ end }}", nil, []string{}},
		"a list":                              {"a: {{ toJson .Values.s | quote }}", []any{"x", "z"}, []string{a + "data.a"}},
		"the length of a list":                {"a: {{ len .Values.s | quote }}", []any{"x", "z"}, []string{a + "data.a"}},
		"a part of a configuration":           {"a: |\n    user = app\n    password = {{ .Values.s }}", "hunter2", []string{a + "data.a"}},
		"a checksum of a template":            {`a: {{ include "text" . | sha256sum }}`, "hunter2", []string{a + "data.a"}},
		"a value that templates check":        {`a: {{ .Values.s }}{{ if not (regexMatch "^[a-z]+[0-9]$" .Values.s) }}{{ fail "no" }}{{ end }}`, "hunter2", []string{a + "data.a"}},
		"a function that hides it":            {"a: {{ regexFind \"-\" .Values.s }}\nb: c", "hunter2", []string{a + "data"}},
		"a value that cannot be another one":  {`a: {{ if eq .Values.s "hunter2" }}x{{ else }}{{ fail "no" }}{{ end }}`, "hunter2", []string{a + "data"}},
		"another value":                       {`a: {{ .Values.known }}`, "hunter2", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chart := templated(configMap("a", test.text)).with(folder{
				"values.yaml": "known: known\nlabels: {a: b}", "templates/_t.tpl": `{{ define "text" }}{{ .Values.s }}{{ end }}`, "templates/z.yaml": configMap("b", "b: c"),
			})
			partial := rendersPartly(t, chart, m{"s": test.secret}, []any{"s"})
			assert.Equal(t, test.wanted, secretPaths(partial))
			assert.False(t, partial.Incomplete)
			assert.Empty(t, partial.Warnings)
			for _, object := range partial.Objects {
				assert.False(t, object.Unknown)
				assert.False(t, values.HasUnknown(object.Object))
			}
		})
	}
	t.Run("an object that is there for one value only is secret but for its name", func(t *testing.T) {
		t.Parallel()
		chart := templated(`{{ if eq .Values.s "on" }}` + configMap("a", "a: b") + `{{ end }}`)
		assert.Equal(t, []string{"ConfigMap/a data"}, secretPaths(rendersPartly(t, chart, m{"s": "on"}, []any{"s"})))
	})
	t.Run("a name made of a secret value is secret", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("{{ .Values.s | sha256sum | trunc 8 }}", "a: b"))
		partial := rendersPartly(t, chart, m{"s": "x"}, []any{"s"})
		require.Len(t, partial.Objects, 1)
		assert.Equal(t, [][]any{{"metadata", "name"}}, partial.Objects[0].Secrets.Paths())
	})
	t.Run("so is a name that a comparison with it decides", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap(`{{ eq .Values.s "x" | ternary "a" "b" }}`, "a: b"))
		assert.Equal(t, []string{"ConfigMap/b metadata.name"}, secretPaths(rendersPartly(t, chart, m{"s": "z"}, []any{"s"})))
	})
	t.Run("a name that is drawn is not", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("a-{{ randAlphaNum 5 | lower }}", "a: {{ randAlphaNum 5 | quote }}\nb: c"))
		session := draws.NewSession(draws.Options{})
		_, err := loaded(t, chart).Render(t.Context(), release, nil, Functions{Draws: session})
		require.NoError(t, err)
		options := draws.Options{Stored: session.Used(), Missing: draws.Placeholder(0)}
		partial, err := loaded(t, chart).RenderPartly(t.Context(), Partly{Release: release, Session: draws.NewSession(options), Draws: options})
		require.NoError(t, err)
		require.Len(t, partial.Objects, 1)
		assert.Equal(t, [][]any{{"data", "a"}}, partial.Objects[0].Secrets.Paths())
	})
	t.Run("what is both unknown and secret is both", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, templated(configMap("a", "a: {{ .Values.s | b64enc }}\nb: c")), m{"s": values.Unknown{}}, []any{"s"})
		assert.Equal(t, m{"a": values.Unknown{}, "b": "c"}, partial.Objects[0].Object["data"])
		assert.Equal(t, []string{"ConfigMap/a data.a"}, secretPaths(partial))
	})
	t.Run("[D96] a secret that is a key, twice, is not in the warning of it", func(t *testing.T) {
		t.Parallel()
		chart := templated(configMap("a", "b: c\nb: d\n{{ .Values.s | b64enc }}: a\n{{ .Values.s | b64enc }}: b")).with(folder{
			"templates/z.yaml": configMap("z", "b: c\nb: d"),
		})
		partial := rendersPartly(t, chart, m{"s": "hunter2"}, []any{"s"})
		assert.ElementsMatch(t, []string{
			`shop/templates/it.yaml: YAML: the key "b" is there twice, in lines 6 and 7: remove one of them. The last one counts, as for Helm`,
			"shop/templates/it.yaml: a warning is not shown, because what it quotes depends on values that are secret, drawn or not known yet",
			`shop/templates/z.yaml: YAML: the key "b" is there twice, in lines 6 and 7: remove one of them. The last one counts, as for Helm`,
		}, partial.Warnings)
	})
	t.Run("nor is a key, twice, that is not known yet", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, templated(configMap("a", "{{ .Values.s }}: a\n{{ .Values.s }}: b")), m{"s": values.Unknown{}})
		assert.Equal(t, []string{"shop/templates/it.yaml: a warning is not shown, because what it quotes depends on values that are secret, drawn or not known yet"}, partial.Warnings)
	})
	t.Run("all values may be secret", func(t *testing.T) {
		t.Parallel()
		partial := rendersPartly(t, templated(configMap("a", "a: {{ .Values.s }}\nb: {{ .Values.n.m }}\nc: {{ .Release.Name }}")), m{"s": "x", "n": m{"m": "z"}}, []any{})
		assert.Equal(t, []string{"ConfigMap/a data.a", "ConfigMap/a data.b"}, secretPaths(partial))
	})
	t.Run("what a template changes of a Secret that it looks up stays as it was in the cluster", func(t *testing.T) {
		t.Parallel()
		inCluster := m{"data": m{"a": "aHVudGVyMg=="}}
		chart := loaded(t, templated(`{{ $s := lookup "v1" "Secret" "a" "b" }}{{ $_ := set $s.data "a" "changed" }}`+configMap("a", `a: {{ (lookup "v1" "Secret" "a" "b").data.a }}`)))
		partial, err := chart.RenderPartly(t.Context(), Partly{Release: release, Session: draws.NewSession(draws.Options{}),
			Lookup: func(string, string, string, string) (m, error) { return inCluster, nil }})
		require.NoError(t, err)
		assert.Equal(t, m{"data": m{"a": "aHVudGVyMg=="}}, inCluster)
		assert.Equal(t, m{"a": "aHVudGVyMg=="}, partial.Objects[0].Object["data"])
		assert.Equal(t, []string{"ConfigMap/a data.a"}, secretPaths(partial))
	})
}

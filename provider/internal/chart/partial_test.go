package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// configOf is a template of a ConfigMap whose data has the expressions, by their names.
func configOf(expressions map[string]string) string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: config }\ndata:\n"
	for name, expression := range expressions {
		text += fmt.Sprintf("  %s: %s\n", name, expression)
	}
	return text
}

func loadTexts(t testing.TB, files map[string]string) *Chart {
	t.Helper()
	all := []File{{"Chart.yaml", []byte("apiVersion: v2\nname: web\nversion: 1.0.0\n")}}
	for name, text := range files {
		all = append(all, File{name, []byte(text)})
	}
	loaded, err := Load(all)
	require.NoError(t, err)
	return loaded
}

func renderPartly(t testing.TB, files map[string]string, in Partly) (*Partial, *draws.Session) {
	t.Helper()
	in.Release = Release{Name: "shop", Namespace: "prod"}
	in.Session = draws.NewSession(in.Draws)
	partial, err := loadTexts(t, files).RenderPartly(t.Context(), in)
	require.NoError(t, err)
	return partial, in.Session
}

var isUnknown = values.Unknown{}

func TestWhatDependsOnAnUnknownValueIsUnknown(t *testing.T) { // [H10]
	t.Parallel()
	const defaults = "name: web\nsize: 1\non: true\nlist: [a]\nmap: { a: b }\n"
	for name, c := range map[string]struct {
		expression string
		unknown    bool
	}{
		"the value":                       {"{{ .Values.host | quote }}", true},
		"what contains it":                {"{{ printf \"http://%s/\" .Values.host | quote }}", true},
		"another value":                   {"{{ .Values.name | quote }}", false},
		"what is encoded":                 {"{{ b64enc .Values.host | quote }}", true},
		"a checksum":                      {"{{ sha256sum .Values.host | quote }}", true},
		"a part of it":                    {"{{ trunc 1 .Values.host | quote }}", true},
		"its length":                      {"{{ len .Values.host | quote }}", true},
		"a default for it":                {"{{ default \"x\" .Values.host | quote }}", true},
		"whether it is there":             {"{{ if .Values.host }}yes{{ else }}no{{ end }}", true},
		"a choice by it":                  {"{{ ternary \"a\" \"b\" (eq .Values.host \"local\") }}", true},
		"a comparison":                    {"{{ if eq \"local\" .Values.host }}a{{ else }}b{{ end }}", true},
		"a comparison at the end of pipe": {"{{ if .Values.host | eq \"local\" }}a{{ else }}b{{ end }}", true},
		"a choice by another value":       {"{{ if eq .Values.name \"web\" }}a{{ else }}b{{ end }}", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			partial, _ := renderPartly(t, map[string]string{"values.yaml": defaults, "templates/a.yaml": configOf(map[string]string{"a": c.expression, "b": "known"})},
				Partly{Values: map[string]any{"host": isUnknown}})
			require.Len(t, partial.Objects, 1)
			object := partial.Objects[0]
			require.False(t, object.Unknown)
			assert.False(t, partial.Incomplete)
			data := object.Object["data"].(map[string]any)
			assert.Equal(t, c.unknown, values.IsUnknown(data["a"]), "%v", data)
			assert.Equal(t, "known", data["b"])
		})
	}
}

func TestUnknownValuesOfEveryType(t *testing.T) { // [H10]
	t.Parallel()
	files := map[string]string{
		"values.yaml": "size: 1\nenabled: true\nlist: [a]\nlabels: { a: b }\n",
		"templates/a.yaml": configOf(map[string]string{
			"size": "{{ .Values.size | quote }}", "enabled": "{{ .Values.enabled | quote }}", "list": "{{ first .Values.list | quote }}",
			"label": "{{ .Values.labels.a | quote }}", "all": "{{ toJson .Values.labels | quote }}", "half": "{{ div (int .Values.size) 1 | quote }}",
		}) + "metadata2: {{ toYaml .Values.labels | nindent 2 }}\n",
	}
	partial, _ := renderPartly(t, files, Partly{Values: map[string]any{"size": isUnknown, "enabled": isUnknown, "list": isUnknown, "labels": isUnknown}})
	require.Len(t, partial.Objects, 1)
	for key, value := range partial.Objects[0].Object["data"].(map[string]any) {
		assert.True(t, values.IsUnknown(value), "%s: %v", key, value)
	}
}

func TestObjectsThatDependOnUnknownValues(t *testing.T) { // [H10]
	t.Parallel()
	const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: other }\n"
	for name, c := range map[string]struct {
		template   string
		objects    []string // the objects that are known to be there
		incomplete bool
		unknown    bool // the object config is unknown as a whole
	}{
		"one that is there for some values":           {"{{ if .Values.host }}" + configOf(nil) + "{{ end }}\n---\n" + other, []string{"other"}, true, false},
		"one that is there for one value":             {"{{ if eq .Values.host \"local\" }}" + configOf(nil) + "{{ end }}\n---\n" + other, []string{"other"}, true, false},
		"one whose name is not known":                 {strings.Replace(configOf(nil), "name: config", "name: \"c{{ .Values.host }}\"", 1) + "---\n" + other, []string{"", "other"}, true, false},
		"a list whose length is not known":            {configOf(nil) + "  a: {{ if .Values.host }}[1, 2]{{ else }}[1]{{ end }}", []string{"config"}, false, false},
		"a template that decides by another function": {configOf(map[string]string{"a": "{{ if hasPrefix \"a\" .Values.host }}b{{ end }}"}), []string{"config"}, false, false},
		"a template that cannot be rendered":          {configOf(map[string]string{"a": "{{ fail .Values.host }}"}), nil, true, false},
		"one that needs a value":                      {configOf(map[string]string{"a": "{{ required \"host!\" .Values.host | quote }}"}), []string{"config"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			partial, _ := renderPartly(t, map[string]string{"templates/a.yaml": c.template}, Partly{Values: map[string]any{"host": isUnknown}})
			var names []string
			for _, object := range partial.Objects {
				names = append(names, manifest.IdentityOf(object.Object).Name)
				assert.Equal(t, c.unknown, object.Unknown)
			}
			slices.Sort(names)
			assert.Equal(t, c.objects, names)
			assert.Equal(t, c.incomplete, partial.Incomplete)
			assert.Equal(t, c.incomplete && c.unknown || c.objects == nil, len(partial.Warnings) > 0, "%v", partial.Warnings)
		})
	}
}

func TestWhatDependsOnASecretIsSecret(t *testing.T) { // [H2] [H8]
	t.Parallel()
	lookup := func(apiVersion, kind, _, _ string) (map[string]any, error) {
		return map[string]any{"apiVersion": apiVersion, "kind": kind, "data": map[string]any{"key": "aHVudGVyMg=="}}, nil
	}
	for name, c := range map[string]struct {
		expression string
		secret     bool
	}{
		"the value":                        {"{{ .Values.password | quote }}", true},
		"another value":                    {"{{ .Values.name | quote }}", false},
		"a checksum":                       {"{{ sha256sum .Values.password | quote }}", true},
		"its first letter":                 {"{{ trunc 1 .Values.password | quote }}", true},
		"what was drawn":                   {"{{ randAlphaNum 5 | quote }}", true},
		"a certificate":                    {"{{ (genCA \"x\" 10).Cert | quote }}", true},
		"what a Secret has":                {"{{ (lookup \"v1\" \"Secret\" \"a\" \"b\").data.key | quote }}", true},
		"what a ConfigMap has":             {"{{ (lookup \"v1\" \"ConfigMap\" \"a\" \"b\").data.key | quote }}", false},
		"a choice that the secret decides": {"{{ if eq .Values.password \"hunter2\" }}a{{ else }}b{{ end }}", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secrets, err := values.MarksAt([][]any{{"password"}})
			require.NoError(t, err)
			files := map[string]string{"templates/a.yaml": configOf(map[string]string{"a": c.expression, "b": "plain"})}
			in := Partly{Values: map[string]any{"password": "hunter2", "name": "web"}, Secrets: secrets, Lookup: lookup}
			_, drawn := renderPartly(t, files, in)
			in.Draws = draws.Options{Stored: drawn.Used(), Missing: draws.Placeholder(0)}
			partial, session := renderPartly(t, files, in)
			require.Len(t, partial.Objects, 1)
			wanted := [][]any{}
			if c.secret {
				wanted = [][]any{{"data", "a"}}
			}
			assert.ElementsMatch(t, wanted, partial.Objects[0].Secrets.Paths())
			assert.False(t, values.HasUnknown(partial.Objects[0].Object))
			assert.Empty(t, session.Missing())
		})
	}
}

func TestWhatIsDrawnLaterIsUnknown(t *testing.T) { // [H8] [H10]
	t.Parallel()
	files := map[string]string{"templates/a.yaml": configOf(map[string]string{"a": "{{ randAlphaNum 5 | quote }}", "b": "plain"})}
	partial, first := renderPartly(t, files, Partly{Draws: draws.Options{Missing: draws.Placeholder(0)}})
	assert.True(t, values.IsUnknown(partial.Objects[0].Object["data"].(map[string]any)["a"]))
	require.Len(t, first.Missing(), 1)

	_, drawn := renderPartly(t, files, Partly{Draws: draws.Options{Missing: draws.Draw}})
	partial, second := renderPartly(t, files, Partly{Draws: draws.Options{Stored: drawn.Used(), Missing: draws.Placeholder(0)}})
	assert.Len(t, partial.Objects[0].Object["data"].(map[string]any)["a"], 5)
	assert.Empty(t, second.Missing())
}

// That such a value is there turns out only in the rendering itself: no input is unknown or secret, and nothing has been drawn before.
func TestADecisionAboutAValueThatARenderingFinds(t *testing.T) { // [H8] [H9] [H10]
	t.Parallel()
	t.Run("that is drawn later is unknown", func(t *testing.T) {
		t.Parallel()
		files := map[string]string{"templates/a.yaml": configOf(map[string]string{"a": `{{ if eq (randAlphaNum 5) "never" }}x{{ else }}y{{ end }}`})}
		partial, _ := renderPartly(t, files, Partly{Draws: draws.Options{Missing: draws.Placeholder(0)}})
		assert.True(t, values.IsUnknown(partial.Objects[0].Object["data"].(map[string]any)["a"]))
	})
	t.Run("in a Secret that is looked up is secret", func(t *testing.T) {
		t.Parallel()
		files := map[string]string{"templates/a.yaml": configOf(map[string]string{"a": `{{ if eq (lookup "v1" "Secret" "a" "b").data.key "aGk=" }}x{{ else }}y{{ end }}`})}
		partial, _ := renderPartly(t, files, Partly{Lookup: func(string, string, string, string) (map[string]any, error) {
			return map[string]any{"data": map[string]any{"key": "Ynll"}}, nil
		}})
		assert.Equal(t, [][]any{{"data", "a"}}, partial.Objects[0].Secrets.Paths())
	})
}

func TestALookupThatCannotBeMadeIsUnknown(t *testing.T) { // [H9]
	t.Parallel()
	files := map[string]string{
		"templates/a.yaml": configOf(map[string]string{"a": "{{ (lookup \"v1\" \"ConfigMap\" \"a\" \"b\").data | toJson | quote }}"}),
		"templates/b.yaml": strings.Replace(configOf(nil), "name: config", "name: other", 1),
	}
	partial, _ := renderPartly(t, files, Partly{Lookup: func(string, string, string, string) (map[string]any, error) { return nil, ErrUnknown }})
	require.Len(t, partial.Objects, 2)
	for _, object := range partial.Objects {
		assert.Equal(t, manifest.IdentityOf(object.Object).Name == "config", object.Unknown)
	}
}

// A leaf is marked if and only if it is made of what is secret or unknown.
func TestALeafIsMarkedIfItDepends(t *testing.T) { // [H10]
	t.Parallel()
	functions := []string{"%s", "(printf \"<%%s>\" %s)", "(b64enc %s)", "(sha256sum %s)", "(upper %s)", "(replace \"a\" \"b\" %s)", "(cat \"x\" %s \"y\")", "(default \"d\" %s)"}
	rapid.Check(t, func(t *rapid.T) {
		expressions, from := map[string]string{}, map[string]string{}
		for i := range rapid.IntRange(1, 6).Draw(t, "leaves") {
			source := rapid.SampledFrom([]string{"plain", "hidden", "later"}).Draw(t, "source")
			expression := rapid.SampledFrom([]string{"(toString .Values.%s)", "(trunc 3 (toString .Values.%s))"}).Draw(t, "start")
			expression = fmt.Sprintf(expression, source)
			for range rapid.IntRange(0, 3).Draw(t, "functions") {
				expression = fmt.Sprintf(rapid.SampledFrom(functions).Draw(t, "function"), expression)
			}
			name := fmt.Sprint("leaf", i)
			expressions[name], from[name] = "{{ "+expression+" | quote }}", source
		}
		secrets, err := values.MarksAt([][]any{{"hidden"}})
		require.NoError(t, err)
		loaded, err := Load([]File{
			{"Chart.yaml", []byte("apiVersion: v2\nname: web\nversion: 1.0.0\n")}, {"templates/a.yaml", []byte(configOf(expressions))},
		})
		require.NoError(t, err)
		partial, err := loaded.RenderPartly(t.Context(), Partly{
			Session: draws.NewSession(draws.Options{}),
			Release: Release{Name: "shop"}, Secrets: secrets,
			Values: map[string]any{"plain": "web", "hidden": rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "secret"), "later": isUnknown},
		})
		require.NoError(t, err)
		require.Len(t, partial.Objects, 1)
		object := partial.Objects[0]
		for name, value := range object.Object["data"].(map[string]any) {
			marked := slices.ContainsFunc(object.Secrets.Paths(), func(path []any) bool { return slices.Equal(path, []any{"data", name}) })
			if values.IsUnknown(value) != (from[name] == "later") || marked != (from[name] == "hidden") {
				t.Fatalf("%s from %s: unknown %v, secret %v", expressions[name], from[name], values.IsUnknown(value), marked)
			}
		}
	})
}

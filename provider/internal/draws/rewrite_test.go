package draws_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// snippets use every syntax of templates.
var snippets = []string{
	// texts and delimiters
	"plain: text\n",
	``,
	" \n\t\n",
	`{`,
	`{}`,
	`}}`,
	"a: {x}\n",
	"\r\n{{ .Values.a }}\r\n",
	"é: {{ randAlpha 3 }}…\n",
	`a: { {{- .Values.a }} }`,
	"a: {\n  {{- randAlpha 3 -}}\n}",
	`{ {{- /* c */ -}} { {{- uuidv4 }}`,
	"{{ `{{` }}{{ randAlpha 1 }}{{ `}}` }}",
	`{{ if true }}{ {{- end }}{{ randAlpha 2 }}`,
	`{{ "{{" }}{ {{- if .Values.a }}{ {{- else }}{ {{- end }}{ {{- uuidv4 }}`,
	`{{randAlpha 1}}}`,
	`{{ "a\"}}" }}{{ randAlpha 2 }}`,
	"{{ `multi\nline` }}{{ randAlpha 2 }}",
	// comments and trim markers
	"{{/* c */}}a: {{ randAlpha 4 }}\n{{- /* d\n */ -}}\n b",
	"a:\n  {{- randAlpha 4 | nindent 2 }}\n\n{{- 3 -}}\n  x",
	`{{- randAlpha 3 -}}`,
	`{{ -3 }}{{ randAlpha 1 }}`,
	// constants
	`{{ 'x' }} {{ 0x1F }} {{ 1e3 }} {{ 1.5 }} {{ true }} {{ 1i }} {{ 1+2i }} {{ nil | quote }} {{ +7 }} {{ uuidv4 }}`,
	// variables and scopes
	"{{ $pw := randAlphaNum 10 }}a: {{ $pw }}\nb: {{ $pw | b64enc }}",
	`{{ $x := 1 }}{{ if true }}{{ $x = randAlpha 3 }}{{ end }}{{ $x }}`,
	`{{ $kc := 1 }}{{ $kc_loop := 2 }}{{ range list 1 }}{{ randAlpha 1 }}{{ end }}{{ $kc }}{{ $kc_loop }}`,
	`{{ $ := 3 }}{{ $ }}{{ uuidv4 }}`,
	`{{ with .Values.sub }}{{ $.Release.Name }}{{ .b }}{{ $.Values.a }}{{ randAlpha 3 }}{{ . | toYaml }}{{ end }}`,
	// pipelines, parentheses, chains, arguments
	`a: {{ randAlphaNum 10 | b64enc | quote }}`,
	`{{ (randAlphaNum 10) | b64enc }}`,
	`{{ 10 | randAlphaNum }}`,
	`{{ ((dict "a" (randAlpha 3))).a }}`,
	`{{ now.Unix }} {{ (now).Year }} {{ now.Format "2006" }} {{ now | date "2006-01-02" }} {{ htmlDate now }} {{ now | unixEpoch }}`,
	`{{ printf "%s-%s" uuidv4 (uuidv4 | upper) }}`,
	`{{ printf "%d" (add (randInt 0 100) 1) }}`,
	`{{ (genCA "x" 365).Cert | len | lt 5 }}`,
	`{{ or .Values.none (randAlpha 5) }}{{ and .Values.none (randAlpha 5) }}{{ or .Values.a (randAlpha 5) }}`,
	`{{ default (randAlpha 5) .Values.a }}`,
	`{{ date "2006" 0 }}{{ date "2006-01-02" (int64 86400) }}{{ date "2006" .Values.a | len }}{{ date_in_zone "2006" nil "UTC" }}{{ ago now }}{{ durationRound "61s" }}`,
	`{{ .Values.missing }}{{ .Values.missing | default (uuidv4) }}`,
	`{{ .Values.sub.b.c }}{{ uuidv4 }}`,
	`{{ not (not (uuidv4)) }}{{ len (list uuidv4 now) }}`,
	// conditions
	`{{ if .Values.a }}1{{ else if .Values.sub }}2{{ randAlpha 1 }}{{ else }}3{{ end }}`,
	`{{ if not .Values.a }}1{{ else if .Values.sub }}2{{ randAlpha 1 }}{{ else }}3{{ end }}`,
	`{{ if eq (randInt 1 2) 1 }}one{{ end }}`,
	`{{ with .Values.none }}1{{ else with .Values.sub }}{{ .b }}{{ uuidv4 }}{{ else }}3{{ end }}`,
	`{{ with $x := randAlpha 3 }}{{ $x }}={{ . }}{{ end }}`,
	`{{ if $x := randAlpha 3 }}{{ $x }}{{ end }}`,
	`{{ if .Values.a }}{{ else }}{{ randAlpha 1 }}{{ end }}`,
	// loops
	`{{ range .Values.list }}{{ . }}={{ randAlpha 3 }},{{ end }}`,
	`{{ range $e := .Values.users }}{{ $e.name }}={{ randAlpha 3 }},{{ end }}`,
	`{{ range $i, $e := .Values.list }}{{ $i }}{{ $e }}={{ randAlpha 3 }},{{ end }}`,
	`{{ range $k, $v := .Values.map }}{{ $k }}{{ $v }}={{ randAlpha 3 }},{{ end }}`,
	`{{ range .Values.map }}{{ . }}={{ randAlpha 3 }}{{ end }}`,
	`{{ range until 3 }}{{ . }}{{ randAlpha 1 }}{{ end }}`,
	`{{ range 3 }}{{ . }}{{ randAlpha 1 }}{{ end }}`,
	`{{ range $i := 2 }}{{ $i }}{{ randAlpha 1 }}{{ end }}`,
	`{{ range .Values.none }}1{{ randAlpha 1 }}{{ else }}2{{ randAlpha 2 }}{{ end }}`,
	`{{ range list }}1{{ randAlpha 1 }}{{ else }}2{{ end }}`,
	`{{ range .Values.list }}{{ if eq . "b" }}{{ continue }}{{ end }}{{ if eq . "c" }}{{ break }}{{ end }}{{ . }}{{ uuidv4 }}{{ end }}`,
	`{{ range .Values.list }}{{ range $.Values.users }}{{ .name }}{{ randAlpha 1 }}{{ else }}{{ uuidv4 }}{{ end }}{{ randAlpha 2 }}{{ end }}`,
	`{{ $e := 0 }}{{ $i := 0 }}{{ range $i, $e = .Values.list }}{{ randAlpha 1 }}{{ end }}{{ $i }}{{ $e }}`,
	`{{ $e := 0 }}{{ range $e = .Values.list }}{{ uuidv4 }}{{ end }}{{ $e }}`,
	`{{ range $i, $c := shuffle "abc" | splitList "" }}{{ $i }}{{ $c }}{{ end }}`,
	`{{ range tuple 1 2.5 true nil "x" (dict) (list) (dict "name" 3) }}{{ . }}{{ uuidv4 }}{{ end }}`,
	`{{ range $k, $v := split "/" "a/b" }}{{ $k }}{{ $v }}{{ uuidv4 }}{{ end }}`,
	`{{ range .Files }}{{ uuidv4 }}{{ end }}`,
	`{{ range $k, $_ := .Capabilities.APIVersions }}{{ if eq $k 0 }}{{ . }}{{ uuidv4 }}{{ end }}{{ end }}`,
	// definitions
	`{{ define "x" }}{{ . }}{{ randAlpha 3 }}{{ end }}{{ template "x" 1 }}{{ template "x" }}{{ template "x" nil }}{{ template "x" .Values.none }}{{ template "x" .Values.sub }}`,
	`{{ block "y" .Values.sub }}{{ .b }}{{ uuidv4 }}{{ end }}{{ template "y" dict "b" 2 }}`,
	"{{ define \"a\\\"b\" }}{ {{- . }}{{ end }}{{ template `a\"b` 1 }}{{ uuidv4 }}",
	"{{ define \"empty\" }}{{ end }}{{ define \"space\" }} \n {{ end }}[{{ include \"empty\" . }}{{ include \"space\" . }}]",
	`{{ template "web.name" $y := . }}{{ $y.Chart.Name }}`,
	`{{ include "web.name" . }}`,
	`{{ include "web.name" $ | quote }}`,
	`{{ . | include "web.name" }}`,
	`{{ include (print "web" ".name") . }}`,
	`{{ (include "web.name" .) | upper }}`,
	`{{ include "web.password" (dict "length" 5 "given" (include "web.name" .)) }}`,
	`{{ include "web.password" (dict "strong" true) }}`,
	`{{ include "web.password" dict }}`,
	"{{ include \"web.password.key\" (dict \"key\" \"a\" \"existing\" (dict \"a\" \"b\")) }}\n{{ include \"web.password.key\" (dict \"key\" \"c\") }}",
	`{{ include "web.cached" . }}{{ include "web.cached" . }}`,
	`{{ range .Values.users }}{{ include "web.password" . }}{{ template "web.password" . }}{{ end }}`,
	`{{ define "r" }}{{ if gt . 0 }}{{ randAlpha 1 }}{{ template "r" (sub . 1 | int) }}{{ end }}{{ end }}{{ template "r" 3 }}`,
	`{{ include "m" . }}{{ define "m" }}{{ $x := . }}{{ $x.Values.a }}{{ end }}`,
	`{{ include "web.name" . | eq "web-web" }}{{ include "web.password" nil }}`,
	`checksum: {{ include (print $.Template.BasePath "/secret.yaml") . | sha256sum }}`,
	`{{ define "c" }}{{ . }}{{ kindOf . }}{{ end }}{{ include "c" 5 }}{{ include "c" 1.5 }}{{ include "c" true }}{{ include "c" "s" }}{{ include "c" nil }}`,
	`{{ define "c" }}{{ kindOf . }}{{ end }}{{ include "c" .Values.none }}{{ include "c" .Values.nope }}{{ include "c" (list) }}{{ 3 | include "c" }}{{ include "c" $ }}`,
	// texts of tpl
	`{{ tpl "{{ .Values.a }}{{ randAlpha 3 }}" . }}`,
	`{{ tpl .Values.text $ }}{{ tpl .Values.text $ }}`,
	`{{ . | tpl "{ {{- uuidv4 }}" }}`,
	`{{ tpl "{{ tpl .Values.text . }}" . }}`,
	`{{ tpl " " . }}{{ tpl "" . }}`,
	`{{ tpl "{{ define \"in\" }}{{ uuidv4 }}{{ end }}{{ include \"in\" . }}{{ include \"web.name\" . }}" . }}`,
	`{{ tpl (toYaml (dict "k" "{{ .Release.Name }}")) (merge (dict "z" (include "web.name" .)) .) }}`,
	`{{ include "web.values" (dict "value" .Values.text "context" $) }}`,
	`{{ include "web.values" (dict "value" (list .Values.text) "context" $) }}`,
	`{{ tpl "{{ $kc := 1 }}{{ $kc }}{{ uuidv4 }}" . }}`,
	// what fails, fails
	`{{ fail "x" }}{{ uuidv4 }}`,
	`{{ randAlpha }}`,
	`{{ randAlpha "3" }}`,
	`{{ randAlpha 1 2 }}`,
	`{{ include "none" . }}`,
	`{{ include "web.name" }}`,
	`{{ tpl 1 . }}`,
	`{{ randInt 3 3 }}`,
	`{{ genCAWithKey "x" 1 "y" }}`,
	`{{ if }}`,
	`{{ end }}`,
	`{{ $x }}`,
	`{{ nosuch }}{{ uuidv4 }}`,
	`{{ 1 | 2 }}`,
	`{{ template "none" }}`,
	`{{ range 1.5 }}{{ uuidv4 }}{{ end }}`,
	`{{ tpl "{{ if }}" . }}`,
	`{{ define "d" }}1{{ end }}{{ define "d" }}2{{ end }}`,
}

func values() m {
	return m{
		"a": "A", "none": nil, "sub": m{"b": m{"c": 1.0}}, "list": list{"a", "b", "c", "d"}, "map": m{"k1": 1.0, "k2": m{"name": "x"}},
		"users": list{m{"name": "alice"}, m{"name": "bob"}, m{"id": 3.0}}, "text": "[{{ .Values.a }}{{ randAlphaNum 6 }}]",
	}
}

func TestARewrittenTemplateRendersTheSame(t *testing.T) { // [H8]
	t.Parallel()
	require.Greater(t, len(snippets), 100)
	for i, snippet := range snippets {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			t.Log(snippet)
			f := files{"a.yaml": snippet, "_helpers.tpl": helpers, "secret.yaml": "pw: {{ randAlphaNum 10 }}"}
			same(t, f, values, draws.Options{}, nil)
			same(t, f, values, draws.Options{Missing: draws.Placeholder(1)}, nil)
			same(t, files{"a.yaml": "x: |\n  " + snippet + "\n# {{ randAlpha 3 }}", "_helpers.tpl": helpers, "secret.yaml": ""}, values, draws.Options{}, nil)
		})
	}
}

func TestWhatCannotBeParsedOrDrawsNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{{ if }}", "{{ end }}", "{{", "{{ $x }}", "{{ define \"a\" }}", "{{ break }}", "{{/* x"} {
		require.Equal(t, text, draws.Rewrite("f", text))
	}
	for _, text := range []string{"", " \n", "{{/* a comment */}}\n", "{{ define \"x\" }}{{ .a }}{{ end }}\n"} {
		require.Equal(t, text, draws.Rewrite("f", text), "a file without a text of its own stays so")
	}
	text := "a: {{ .Values.a }}\n\n{{- /* x */ -}}\n"
	require.True(t, strings.HasSuffix(draws.Rewrite("f", text), text), "lines and columns stay")
}

// A definition that is empty replaces no other one, and must go on not doing so.
func TestAnEmptyDefinitionStaysEmpty(t *testing.T) {
	t.Parallel()
	f := files{
		"_a.tpl": `{{ define "x" }}{{ randAlpha 3 }}{{ end }}`, "b/_b.tpl": `{{ define "x" }} {{/* nothing */}}{{ end }}{{ define "y" }}{{ uuidv4 }}{{ end }}`,
		"c.yaml": `{{ include "x" . }}`,
	}
	same(t, f, values, draws.Options{}, nil)
	texts, _ := run(t, f, nil, draws.Options{})
	require.Len(t, texts["c.yaml"], 3)
}

// harmless replaces functions that could take any time or memory, and those whose results differ for another reason.
var harmless = template.FuncMap{
	"until": func(int) []int { return []int{0, 1} }, "untilStep": func(_, _, _ int) []int { return []int{0, 2} }, "seq": func(...int) string { return "1 2" },
	"repeat": func(_ int, s string) string { return s }, "indent": func(_ int, s string) string { return s }, "nindent": func(_ int, s string) string { return s },
	"wrap": func(_ int, s string) string { return s }, "wrapWith": func(_ int, _, s string) string { return s }, "derivePassword": func(...any) string { return "x" },
	"keys": func(...any) []string { return nil }, "values": func(...any) []any { return nil }, "printf": func(string, ...any) string { return "x" },
	"duration": func(any) string { return "1s" }, "dateModify": func(_ string, x any) any { return x },
}

var manyDigits = regexp.MustCompile(`[0-9a-fA-F_]{3}|[eEpP]`)

func FuzzRewrite(f *testing.F) {
	for _, snippet := range snippets {
		f.Add(snippet)
	}
	f.Fuzz(func(t *testing.T, text string) {
		trees := map[string]*parse.Tree{}
		tree := parse.New("web/templates/a.yaml")
		tree.Mode = parse.SkipFuncCheck
		_, err := tree.Parse(text, "", "", trees)
		rewritten := draws.Rewrite("web/templates/a.yaml", text)
		if err != nil {
			require.Equal(t, text, rewritten)
			return
		}
		tree = parse.New("web/templates/a.yaml")
		tree.Mode = parse.SkipFuncCheck
		_, err = tree.Parse(rewritten, "", "", map[string]*parse.Tree{})
		require.NoError(t, err, rewritten)
		if len(text) > 400 || manyDigits.MatchString(strings.Join(regexp.MustCompile(`(?s){{.*?}}`).FindAllString(text, -1), "")) && strings.Contains(text, "range") ||
			strings.Count(text, "range") > 4 {
			return // it could take any time
		}
		small := files{"a.yaml": text, "_helpers.tpl": `{{ define "web.name" }}{{ . | len }}{{ randAlpha 2 }}{{ end }}`, "secret.yaml": "pw: {{ randAlphaNum 10 }}"}
		same(t, small, values, draws.Options{Missing: draws.Placeholder(1)}, harmless)
	})
}

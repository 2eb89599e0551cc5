package draws_test

import (
	"context"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// files are the templates of a chart, by their names in its folder of templates.
type files map[string]string

// with returns the files with other ones, or without those whose text is "".
func (f files) with(others files) files {
	all := maps.Clone(f)
	maps.Copy(all, others)
	maps.DeleteFunc(all, func(_, text string) bool { return text == "" })
	return all
}

type m = map[string]any
type list = []any

// render renders a chart with templates as they are returned by rewrite.
func render(t require.TestingT, f files, values m, rewrite func(file, text string) string, funcs template.FuncMap) (map[string]string, error) {
	c := &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "web", Version: "1.0.0"}}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		text := rewrite("web/templates/"+name, f[name])
		c.Templates = append(c.Templates, &common.File{Name: "templates/" + name, Data: []byte(text)})
	}
	release := common.ReleaseOptions{Name: "web", Namespace: "prod", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(c, values, release, nil)
	require.NoError(t, err)
	return engine.Engine{CustomTemplateFuncs: funcs}.RenderWithContext(context.Background(), c, all)
}

// run renders in a session, in as many rounds as it takes. It returns the texts of the files by their names, and the last session.
func run(t require.TestingT, f files, values m, o draws.Options) (map[string]string, *draws.Session) {
	o.Source = sourceOf(f)
	s := draws.NewSession(o)
	for {
		rendered, err := render(t, f, values, s.Rewrite, s.Funcs())
		require.NoError(t, err)
		again := s.Again(textsIn(rendered))
		if again == nil {
			texts := map[string]string{}
			for file, text := range rendered {
				texts[strings.TrimPrefix(file, "web/templates/")] = text
			}
			return texts, s
		}
		s = again
	}
}

// sourceOf are the call sites of the files.
func sourceOf(f files) *draws.Source {
	templates := map[string]string{}
	for name, text := range f {
		templates["web/templates/"+name] = text
	}
	return draws.SourceOf(templates)
}

var (
	kindIn  = regexp.MustCompile(`(?m)^kind: (\w+)$`)
	nameIn  = regexp.MustCompile(`(?m)^ +name: (\S+)$`)
	fieldIn = regexp.MustCompile(`(?m)^ *([\w.-]+): "?([^"\n]+)"?$`)
)

// textsIn are the fields of objects, of which there is one in each line.
func textsIn(rendered map[string]string) (texts []draws.Text) {
	for _, file := range slices.Sorted(maps.Keys(rendered)) {
		for object := range strings.SplitSeq("\n"+rendered[file], "\n---\n") {
			kind, name := kindIn.FindStringSubmatch(object), nameIn.FindStringSubmatch(object)
			if kind == nil || name == nil {
				continue
			}
			if strings.Contains(object, "-----BEGIN") { // it has several lines
				texts = append(texts, draws.Text{Object: kind[1] + "/" + name[1], Field: "data.all", Text: object})
			}
			for _, field := range fieldIn.FindAllStringSubmatch(object, -1) {
				texts = append(texts, draws.Text{Object: kind[1] + "/" + name[1], Field: "data." + field[1], Text: field[2]})
			}
		}
	}
	return texts
}

// isDrawn says whether a function of a session draws, and under which name templates know it.
func isDrawn(name string) (string, bool) {
	plain, is := strings.CutPrefix(name, "kc_")
	return plain, is && sprig.TxtFuncMap()[plain] != nil
}

// tape has what the draws of a rendering have returned, in their order.
type tape struct {
	results [][]reflect.Value
	tooFew  bool
}

// record returns functions that draw, and record it.
func (r *tape) record(funcs template.FuncMap) template.FuncMap {
	recording := maps.Clone(funcs)
	for name, function := range funcs {
		if _, is := isDrawn(name); is {
			call := reflect.ValueOf(function)
			recording[name] = reflect.MakeFunc(call.Type(), func(args []reflect.Value) (results []reflect.Value) {
				defer func() { r.results = append(r.results, results) }() // nil if it panics
				return call.Call(args)
			}).Interface()
		}
	}
	return recording
}

// replay returns Helm's functions of the same names, which return what was recorded.
func (r *tape) replay(funcs template.FuncMap) template.FuncMap {
	replaying := template.FuncMap{}
	for name := range funcs {
		if plain, is := isDrawn(name); is {
			own := reflect.TypeOf(sprig.TxtFuncMap()[plain])
			typ := reflect.FuncOf(slices.Collect(own.Ins()), []reflect.Type{own.Out(0), reflect.TypeFor[error]()}, false)
			replaying[plain] = reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
				if len(r.results) == 0 {
					r.tooFew = true
					panic("nothing is left to replay")
				}
				results := r.results[0]
				r.results = r.results[1:]
				if results == nil {
					panic("it has panicked")
				}
				return results
			}).Interface()
		}
	}
	return replaying
}

// same renders the files rewritten, and then as they are with the same results of draws.
func same(t require.TestingT, f files, values func() m, o draws.Options, others template.FuncMap) {
	s := draws.NewSession(o)
	var r tape
	recording := r.record(s.Funcs())
	maps.Copy(recording, others)
	rewritten, err := render(t, f, values(), s.Rewrite, recording)
	if err != nil && strings.Contains(err.Error(), "include each other") {
		return // as it is, it could end the process
	}
	replaying := r.replay(s.Funcs())
	maps.Copy(replaying, others)
	asIs, errAsIs := render(t, f, values(), func(_, text string) string { return text }, replaying)
	if errAsIs != nil && !r.tooFew {
		require.Error(t, err, "it fails as it is: %v", errAsIs)
		return
	}
	require.NoError(t, err)
	require.Equal(t, asIs, rewritten)
	require.Empty(t, r.results, "every draw was replayed")
}

func sites(s *draws.Session) []string { return slices.Sorted(maps.Keys(s.Used())) }

// helpers are definitions of a library chart.
const helpers = `
{{- define "web.name" -}}{{ .Chart.Name }}-web{{- end -}}
{{- define "web.password" -}}
{{- $length := default 10 .length -}}
{{- $password := "" -}}
{{- if .given -}}
  {{- $password = .given -}}
{{- else if .strong -}}
  {{- $parts := list (lower (randAlpha 1)) (randNumeric 1) (upper (randAlpha 1)) | join "_" -}}
  {{- $password = randAscii $length -}}
  {{- $password = regexReplaceAllLiteral "\\W" $password "@" | substr 0 (int $length) -}}
  {{- $password = printf "%s%s" $parts $password | toString | shuffle -}}
{{- else -}}
  {{- $password = randAlphaNum $length -}}
{{- end -}}
{{- $password -}}
{{- end -}}
{{- define "web.password.key" -}}
{{ .key }}: {{ include "web.password" (dict "length" .length "strong" .strong "given" (get (default dict .existing) .key)) | b64enc | quote }}
{{- end -}}
{{- define "web.cached" -}}
{{- if not .Values.cached }}{{ $_ := set .Values "cached" (randAlphaNum 12) }}{{ end }}{{ .Values.cached }}
{{- end -}}
{{- define "web.values" -}}
{{- if typeIs "string" .value }}{{ tpl .value .context }}{{ else }}{{ tpl (.value | toYaml) .context }}{{ end }}
{{- end -}}
`

func TestTheFileThatIsExecutedIsKnown(t *testing.T) {
	t.Parallel()
	f := files{
		"a.yaml":  `{{ file }} {{ include (print $.Template.BasePath "/b.yaml") . }} {{ file }} {{ include "c" (dict "x" 1) }}`,
		"b.yaml":  `{{ randAlpha 1 | len }}{{ file }}`,
		"_c.yaml": `{{ define "c" }}{{ file }}{{ end }}`,
	}
	s := draws.NewSession(draws.Options{})
	require.Empty(t, s.File())
	funcs := s.Funcs()
	funcs["file"] = s.File
	rendered, err := render(t, f, nil, s.Rewrite, funcs)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"web/templates/a.yaml": "web/templates/a.yaml 1web/templates/a.yaml web/templates/a.yaml web/templates/a.yaml",
		"web/templates/b.yaml": "1web/templates/b.yaml",
	}, rendered)
}

func TestTemplatesThatIncludeEachOtherWithoutEnd(t *testing.T) { // [H16]
	t.Parallel()
	for name, text := range map[string]string{
		"a text":                   `{{ define "x" }}{{ tpl "{{ template \"x\" . }}" . }}{{ end }}{{ template "x" . }}`,
		"a text in itself":         `{{ define "x" }}{{ tpl .Values.text . }}{{ end }}{{ template "x" . }}`,
		"a file":                   `{{ tpl "{{ template \"web/templates/a.yaml\" . }}" . }}`,
		"a definition":             `{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}`,
		"an included definition":   `{{ define "x" }}{{ include "x" . }}{{ end }}{{ template "x" }}`,
		"in an iteration":          `{{ define "x" }}{{ range .Values.list }}{{ tpl "{{ template \"x\" . }}" $ }}{{ end }}{{ end }}{{ template "x" . }}`,
		"with an argument between": `{{ define "x" }}{{ include "y" . }}{{ tpl (include "y" .) . }}{{ end }}{{ define "y" }}{{ "{{ include \"x\" . }}" }}{{ end }}{{ include "x" . }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := draws.NewSession(draws.Options{})
			_, err := render(t, files{"a.yaml": text}, m{"text": "{{ tpl .Values.text . }}", "list": list{1, 2}}, s.Rewrite, s.Funcs())
			require.ErrorContains(t, err, "more than 500 templates include each other")
		})
	}
}

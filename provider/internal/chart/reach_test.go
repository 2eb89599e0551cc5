package chart

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Templates are executed from the last name to the first.
func TestOnlyTemplatesThatDrawAreRenderedAgain(t *testing.T) { // [D73]
	t.Parallel()
	draw := configMap("drawn", "a: {{ randAlphaNum 5 }}")
	for name, test := range map[string]struct {
		files folder
		want  []string // nil means all
	}{
		"not one beside it":    {folder{"templates/a.yaml": draw, "templates/b.yaml": configMap("plain", `a: {{ upper "b" }}`)}, []string{"a"}},
		"nor one that is told": {folder{"templates/a.yaml": draw, "templates/b.yaml": configMap("plain", `a: {{ now | date "2006" }}`)}, []string{"a", "b"}},
		"one that includes what draws": {folder{
			"templates/_helpers.tpl": `{{ define "draw" }}{{ randAlphaNum 5 }}{{ end }}`, "templates/a.yaml": configMap("a", `a: {{ include "draw" . }}`),
			"templates/b.yaml": configMap("b", `a: {{ include (print $.Template.BasePath "/a.yaml") . | sha256sum }}`), "templates/c.yaml": configMap("c", "a: b"),
		}, []string{"a", "b"}},
		"one that looks up a Secret": {folder{
			"templates/a.yaml": configMap("a", `a: {{ (lookup "v1" "Secret" "prod" "it").data.a }}`), "templates/b.yaml": configMap("b", `a: {{ len (lookup "v1" "Pod" "prod" "") }}`),
		}, []string{"a"}},
		"all, if it tells the others": {folder{
			"templates/b.yaml": `{{ $_ := set .Values "told" (randAlphaNum 5) }}`, "templates/a.yaml": configMap("a", "a: {{ .Values.told }}"),
		}, nil},
		"all, if it tells them by a map of another one": {folder{
			"templates/c.yaml": `{{ $_ := set .Values "told" dict }}`, "templates/b.yaml": `{{ $_ := set .Values.told "by" (randAlphaNum 5) }}`, "templates/a.yaml": configMap("a", "a: {{ .Values.told.by }}"),
		}, nil},
		"all, if it merges what it has drawn": {folder{
			"templates/b.yaml": `{{ $_ := merge .Values.inner (dict "told" (randAlphaNum 5)) }}`, "templates/a.yaml": configMap("a", "a: {{ .Values.inner.told }}"), "values.yaml": "inner: {a: b}",
		}, nil},
		"and what it tells before it draws is not drawn": {folder{
			"templates/b.yaml": `{{ $_ := set .Values "told" "b" }}` + draw, "templates/a.yaml": configMap("a", "a: {{ .Values.told }}"),
		}, []string{"b"}},
		"and its own maps are its own": {folder{
			"templates/b.yaml": `{{ $own := set (dict) "a" (randAlphaNum 5) }}` + configMap("b", "a: {{ $own.a }}"), "templates/a.yaml": configMap("a", "a: b"),
		}, []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &partly{chart: loaded(t, named("shop").with(test.files)), ctx: t.Context(), Partly: Partly{
				Release: release, Session: draws.NewSession(draws.Options{}),
				Lookup: func(_, kind, _, _ string) (map[string]any, error) {
					return map[string]any{"kind": kind, "data": map[string]any{"a": "Yg=="}}, nil
				},
			}}
			first, err := p.first()
			require.NoError(t, err)
			only := first.reach.only()
			if test.want == nil {
				assert.Nil(t, only)
				return
			}
			var want []string
			for _, file := range test.want {
				want = append(want, "shop/templates/"+file+".yaml")
			}
			assert.Equal(t, want, slices.Sorted(maps.Keys(only)))
			for made, seen := range first.calls.seen {
				assert.Subset(t, want, seen.files, made.function)
			}
			p.result = newComparison(first)
			again, err := p.render(variant{only: only}, draws.NewSession(draws.Options{Missing: draws.Exchanged(11)}))
			require.NoError(t, err)
			assert.Equal(t, slices.Sorted(maps.Keys(first.texts)), slices.Sorted(maps.Keys(again.texts)), "the others are as they were")
			for _, seen := range again.calls.seen {
				assert.Subset(t, want, seen.files)
			}
		})
	}
}

func TestATemplateMayTellOthersOnlyWhereADrawDecidesSo(t *testing.T) { // [D73]
	t.Parallel()
	chart := loaded(t, named("shop").with(folder{
		"templates/b.yaml": `{{ if hasPrefix "zz" (randAlpha 2) }}{{ $_ := set .Values "told" "so" }}{{ end }}`,
		"templates/a.yaml": configMap("a", `a: {{ .Values.told | default "nothing" }}`),
	}))
	options := draws.Options{Missing: draws.Placeholder(0)}
	partial, err := chart.RenderPartly(t.Context(), Partly{Release: release, Session: draws.NewSession(options), Draws: options})
	require.NoError(t, err)
	require.Len(t, partial.Objects, 1)
	assert.Equal(t, m{"a": values.Unknown{}}, partial.Objects[0].Object["data"])
}

func TestWhatIsToldOnlyInAVariantIsJudgedByTheCallsOfAllTemplates(t *testing.T) { // [D73]
	t.Parallel()
	chart := loaded(t, named("shop").with(folder{
		"templates/b.yaml": `{{ if hasPrefix "a" (randAlpha 2) }}{{ $_ := set .Values "told" "so" }}{{ end }}` + "\n" + configMap("b", "k: {{ randAlpha 9 }}"),
		"templates/a.yaml": `{{ $_ := set .Values "told" "known" }}` + "\n" + configMap("a", `k: {{ hasPrefix "a" .Values.told }}`),
	}))
	options := draws.Options{Missing: draws.Placeholder(0)}
	partial, err := chart.RenderPartly(t.Context(), Partly{Release: release, Session: draws.NewSession(options), Draws: options})
	require.NoError(t, err)
	require.Len(t, partial.Objects, 2)
	assert.Equal(t, m{"k": false}, partial.Objects[0].Object["data"])
	assert.Equal(t, m{"k": values.Unknown{}}, partial.Objects[1].Object["data"])
}

// drawingChart generates a chart whose templates draw values, decide by them and tell each other.
func drawingChart(t *rapid.T) folder {
	lines := []string{
		`k: {{ randAlphaNum 9 }}`, `k: {{ include "draw" . }}`, `k: {{ .Values.host }}`, `k: {{ upper .Values.host }}`, `k: {{ .Values.told | default "none" }}`,
		`k: {{ (.Values.inner).told | default "none" }}`, `k: {{ include "plain" . }}`, `k: {{ if eq (randAlpha 1) "x" }}x{{ else }}y{{ end }}`,
		`k: {{ if .Values.told }}a{{ else }}b{{ end }}`, `k: {{ if hasPrefix "a" (.Values.told | default "b") }}a{{ else }}b{{ end }}`, `k: {{ randAlphaNum 9 | sha256sum | trunc 4 }}`,
	}
	before := []string{
		``, ``, `{{- $_ := set .Values "told" (randAlphaNum 5) }}`, `{{- $_ := set .Values "inner" dict }}`, `{{- if .Values.inner }}{{ $_ := set .Values.inner "told" (randAlphaNum 3) }}{{ end }}`,
		`{{- if hasPrefix "a" (randAlpha 2) }}{{ $_ := set .Values "told" "switched" }}{{ end }}`, `{{- $_ := set .Values "told" "known" }}`,
		`{{- $_ := merge .Values (dict "told" (include "draw" .)) }}`,
	}
	chart := named("shop").with(folder{"templates/_helpers.tpl": `{{ define "draw" }}{{ randAlphaNum 7 }}{{ end }}{{ define "plain" }}{{ lower .Values.host }}{{ end }}`, "values.yaml": "host: h\non: true"})
	for i := range rapid.IntRange(1, 4).Draw(t, "templates") {
		text := rapid.SampledFrom(before).Draw(t, "before") + "\n" + configMap(fmt.Sprintf("o%d", i), rapid.SampledFrom(lines).Draw(t, "line"))
		chart = chart.with(folder{fmt.Sprintf("templates/t%d.yaml", i): text})
	}
	return chart
}

// The oracle is Helm's engine, which draws other values each time. Each branch that a draw decides is taken once in fifty times.
func TestWhatIsKnownOfAChartThatDrawsIsWhatHelmRendersEachTime(t *testing.T) { // [D73]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		chart := drawingChart(t)
		options := draws.Options{Missing: draws.Placeholder(0)}
		found, err := loadedBy(t, chart).RenderPartly(t.Context(), Partly{Release: release, Session: draws.NewSession(options), Draws: options})
		require.NoError(t, err)
		known := map[string]any{}
		for _, object := range found.Objects {
			if data, _ := object.Object["data"].(m); !object.Unknown && data != nil && !values.IsUnknown(data["k"]) {
				known[nameOf(object.Object)] = data["k"]
			}
		}
		for range 20 {
			rendered := renderedByHelm(t, chart)
			for name, k := range known {
				require.Equal(t, k, rendered[name], name)
			}
		}
	})
}

// renderedByHelm are the values k of the ConfigMaps of a chart.
func renderedByHelm(t require.TestingT, f folder) map[string]any {
	var files []*archive.BufferedFile
	for _, file := range f.files() {
		files = append(files, &archive.BufferedFile{Name: file.Name, Data: file.Data})
	}
	chart, err := loader.LoadFiles(files)
	require.NoError(t, err)
	given, err := util.ToRenderValues(chart, nil, common.ReleaseOptions{Name: release.Name, Namespace: release.Namespace}, nil)
	require.NoError(t, err)
	texts, err := engine.Engine{}.RenderWithContext(context.Background(), chart, given)
	require.NoError(t, err)
	found := map[string]any{}
	for _, text := range texts {
		var object map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &object))
		if data, _ := object["data"].(m); data != nil {
			found[nameOf(object)] = data["k"]
		}
	}
	return found
}

// The oracle is the same chart with one more template, which draws a value and tells the others: all templates are rendered again.
func TestWhatDependsOnADrawIsTheSameWhereverItIsLookedFor(t *testing.T) { // [D73]
	t.Parallel()
	given := m{"host": "h", "on": true}
	rapid.Check(t, func(t *rapid.T) {
		chart := drawingChart(t)
		marks, err := values.MarksAt(rapid.SampledFrom([][][]any{nil, {{"host"}}}).Draw(t, "secrets"))
		require.NoError(t, err)
		missing := rapid.Bool().Draw(t, "not drawn yet")
		partial := func(chart folder) map[string]string {
			options := draws.Options{Missing: draws.Placeholder(0)}
			c := loadedBy(t, chart)
			if !missing {
				session := draws.NewSession(draws.Options{Missing: draws.Exchanged(1)})
				_, err := c.Render(t.Context(), release, given, Functions{Draws: session})
				require.NoError(t, err)
				options.Stored = session.Used()
			}
			found, err := c.RenderPartly(t.Context(), Partly{Release: release, Values: given, Secrets: marks, Session: draws.NewSession(options), Draws: options})
			require.NoError(t, err)
			said := map[string]string{"incomplete": fmt.Sprint(found.Incomplete)}
			for _, object := range found.Objects {
				said[nameOf(object.Object)] = fmt.Sprint(object.Unknown, object.Object["data"], object.Secrets.Paths())
			}
			return said
		}
		all := partial(chart.with(folder{"templates/z.yaml": `{{ $_ := set .Values "everyone" (randAlphaNum 5) }}`}))
		require.Equal(t, all, partial(chart))
	})
}

func loadedBy(t require.TestingT, f folder) *Chart {
	chart, err := Load(f.files())
	require.NoError(t, err)
	return chart
}

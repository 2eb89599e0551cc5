package chart

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// TestHostile: charts that would use all memory, all time or the whole stack end with an error [H16].
func TestHostile(t *testing.T) {
	t.Parallel()
	nested := func(depth int, open, close string) string {
		return strings.Repeat(open, depth) + "x" + strings.Repeat(close, depth)
	}
	for name, chart := range map[string]folder{
		"a template that includes itself":         templated(`{{define "a"}}{{include "a" .}}{{end}}{{include "a" .}}`),
		"templates that include each other":       templated(`{{define "a"}}{{include "b" .}}{{end}}{{define "b"}}{{template "a" .}}{{end}}{{include "a" .}}`),
		"a template that calls itself":            templated(`{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}`),
		"a text that renders itself":              templated(`{{tpl .Values.text .}}`).with(folder{"values.yaml": `text: "{{tpl .Values.text .}}"`}),
		"a text that defines and includes":        templated(`{{tpl .Values.text .}}`).with(folder{"values.yaml": `text: "{{define \"a\"}}{{tpl $.Values.text $}}{{end}}{{include \"a\" .}}"`}),
		"a thousand templates that go deep":       templated(deep(900)),
		"conditions in conditions":                templated(nested(2000, "{{if true}}", "{{end}}")),
		"conditions without end":                  templated(strings.Repeat("{{if 1}}", 600_000)),
		"conditions after conditions":             templated("{{if 1}}" + strings.Repeat("{{else if 1}}", 300_000) + "{{end}}"),
		"conditions without end, in a text":       templated(`{{tpl (repeat 600000 "{{if 1}}") .}}`),
		"a map that holds itself, as a number":    templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{int $x}}`),
		"a map that holds itself, as a key":       templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{dict $x 1}}`),
		"a text that repeats a letter":            templated(`{{repeat 1000000000 "x"}}`),
		"a text that repeats a text":              templated(`{{repeat 100000 (repeat 100000 "x")}}`),
		"a text that doubles":                     templated(`{{$x := "x"}}{{range until 60}}{{$x = printf "%s%s" $x $x}}{{end}}`),
		"a text that doubles with quotes":         templated(`{{$x := "\""}}{{range until 60}}{{$x = quote $x}}{{end}}`),
		"a text that grows by replacing":          templated(`{{$x := repeat 100000 "x"}}{{replace "x" $x $x}}`),
		"a text that grows by a pattern":          templated(`{{$x := repeat 100000 "x"}}{{regexReplaceAll "x" $x $x}}`),
		"a pattern that is long":                  templated(`{{regexMatch (repeat 9000000 "(") "a"}}`),
		"a text that is indented":                 templated("{{$x := repeat 100000 \"\\n\"}}{{indent 100000 $x}}"),
		"a text that is indented, in a new line":  templated("{{$x := repeat 100000 \"\\n\"}}{{nindent 100000 $x}}"),
		"a list that is joined":                   templated(`{{join (repeat 100000 "x") (until 100000)}}`),
		"a text that is wrapped":                  templated(`{{wrapWith 1 (repeat 100000 "x") (repeat 100000 "x ")}}`),
		"a random text":                           templated(`{{randAlphaNum 2000000000}}`),
		"a long list":                             templated(`{{until 2000000000}}`),
		"a long list by steps":                    templated(`{{untilStep 2000000000 0 -1}}`),
		"a long list between extremes":            templated(`{{untilStep -9223372036854775807 9223372036854775807 1}}`),
		"a long sequence":                         templated(`{{seq 2000000000}}`),
		"a long sequence by steps":                templated(`{{seq 0 2 2000000000}}`),
		"a long sequence that falls":              templated(`{{seq 2000000000 0}}`),
		"a map that holds a map twice, written":   templated(`{{$x := dict}}{{range until 60}}{{$x = dict "a" $x "b" $x}}{{end}}{{toYaml $x}}`),
		"a map that holds a map twice, printed":   templated(`{{$x := dict}}{{range until 60}}{{$x = dict "a" $x "b" $x}}{{end}}{{$x}}`),
		"a map that holds a map twice, as a text": templated(`{{$x := dict}}{{range until 60}}{{$x = dict "a" $x "b" $x}}{{end}}{{printf "%v" $x}}`),
		"values that hold themselves":             templated(`{{$_ := set .Values "x" .Values}}{{.Values}}`),
		"values that hold themselves, as YAML":    templated(`{{$_ := set .Values "x" .Values}}{{toYaml .Values}}`),
		"a map that holds itself, taken out":      templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{get $x "a" | toJson}}`),
		"a map that holds itself, looked up":      templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{index $x "a" | toJson}}`),
		"a map that holds itself, in a list":      templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{first (values $x) | toJson}}`),
		"a map that holds itself, picked":         templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{pick $x "a" | toJson}}`),
		"a map that holds itself, dug out":        templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{dig "a" "a" 1 $x | toJson}}`),
		"a map that holds itself, compared":       templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{has $x (list $x)}}`),
		"a map that holds itself, and is equal":   templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{deepEqual $x $x}}`),
		"a map that holds itself, included":       templated(`{{define "a"}}{{.}}{{end}}{{$x := dict}}{{$_ := set $x "a" $x}}{{include "a" $x}}`),
		"a map that holds itself":                 templated(`{{$x := dict}}{{$_ := set $x "a" $x}}{{toJson $x}}`),
		"a list that holds a list twice, copied":  templated(`{{$x := list}}{{range until 60}}{{$x = list $x $x}}{{end}}{{$_ := deepCopy $x}}`),
		"output without end":                      templated(`{{range 1000000000}}` + strings.Repeat("x", 1000) + `{{end}}`),
		"output of includes without end":          templated(`{{define "a"}}` + strings.Repeat("x", 100_000) + `{{end}}{{range 1000000}}{{$_ := include "a" .}}{{end}}`),
		"more documents than a cluster takes":     templated(`{{range 20000}}` + "\n---\na: b\n" + `{{end}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := loaded(t, chart).Render(t.Context(), release, nil, Functions{})
			var limit *LimitError
			require.ErrorAs(t, err, &limit, "%.500s", fmt.Sprint(err))
			assert.Less(t, len(err.Error()), 500)
		})
		t.Run(name+", with values that are not known yet", func(t *testing.T) {
			t.Parallel()
			_, err := loaded(t, chart).RenderPartly(t.Context(), Partly{
				Release: release, Values: m{"unknown": values.Unknown{}}, Session: draws.NewSession(draws.Options{}),
			})
			var limit *LimitError
			require.ErrorAs(t, err, &limit, "%.500s", fmt.Sprint(err))
		})
	}
}

// deep defines templates of which each includes the next one inside of as many conditions as are possible.
func deep(templates int) string {
	var text strings.Builder
	for i := range templates {
		fmt.Fprintf(&text, "{{define %q}}%s{{include %q .}}%s{{end}}", fmt.Sprint(i), strings.Repeat("{{if true}}", maxNesting-1),
			fmt.Sprint((i+1)%templates), strings.Repeat("{{end}}", maxNesting-1))
	}
	return text.String() + `{{include "0" .}}`
}

func TestTime(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a loop that writes nothing":    `{{range 1000000000000}}{{end}}`,
		"loops in loops":                `{{range until 1000}}{{range until 1000}}{{range until 1000}}{{end}}{{end}}{{end}}`,
		"includes that branch":          `{{define "a"}}{{if gt (len .) 0}}{{include "a" (rest .)}}{{include "a" (rest .)}}{{end}}{{end}}{{include "a" (until 100)}}`,
		"a loop that sets a variable":   `{{$x := 0}}{{range 1000000000000}}{{$x = .}}{{end}}`,
		"a loop that renders a text":    `{{range 1000000000000}}{{$_ := tpl "x" .}}{{end}}`,
		"a loop that calls a function":  `{{range 1000000000000}}{{$_ := add . 1}}{{end}}`,
		"a loop in a text that renders": `{{tpl "{{range 1000000000000}}{{end}}" .}}`,
	} {
		t.Run(name+" ends with the context [H16]", func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := loaded(t, templated(text)).Render(ctx, release, nil, Functions{})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Less(t, time.Since(start), 20*time.Second)
		})
	}
	t.Run("a context that is cancelled is told from a template that fails", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		cancel(stopped)
		_, err := loaded(t, templated("a: b")).Render(ctx, release, nil, Functions{})
		require.ErrorIs(t, err, stopped)
	})
}

func TestBoundsAllow(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a recursion of some hundred":         `{{define "a"}}{{if gt (int .) 0}}{{include "a" (sub . 1)}}{{end}}{{end}}{{include "a" 500}}`,
		"a text that renders a text, often":   `{{range until 3000}}{{$_ := tpl "{{.}}" .}}{{end}}`,
		"an include, often":                   `{{define "a"}}{{end}}{{range until 3000}}{{$_ := include "a" .}}{{end}}`,
		"the whole context, written to YAML":  `{{$_ := toYaml .Values}}{{$_ := toJson .Chart}}`,
		"a long text, searched":               `{{$_ := regexFind "x+" (repeat 1000000 "x")}}{{$_ := regexReplaceAll "x" (repeat 1000000 "x") "yy"}}`,
		"a long text":                         `{{$_ := repeat 1000000 "x" | indent 4 | quote | b64enc | sha256sum}}`,
		"loops that break and go on":          `{{range until 9}}{{if eq . 3}}{{break}}{{end}}{{continue}}{{end}}`,
		"an empty list, by steps of nothing":  `{{untilStep 0 0 1}}{{untilStep 5 0 1}}{{seq 5 1 0}}{{until -3 | len}}`,
		"a template that fails is still deep": `{{define "a"}}x{{end}}{{range until 1200}}{{$_ := include "a" .}}{{end}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := loaded(t, templated(text+"{{/**/}}\n#")).Render(t.Context(), release, nil, Functions{})
			if failed, is := errors.AsType[*TemplateError](err); is {
				assert.Contains(t, failed.Message, "not readable", "that it is no YAML is not the point")
				return
			}
			require.NoError(t, err)
		})
	}
	t.Run("a chart cannot call the functions that count", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{"{{k8sconnectChartleave}}", `{{tpl "{{k8sconnectChartleave}}" .}}`, `{{tpl (printf "{{k8sconnectCha%s}}" "rtleave") .}}`} {
			_, err := loaded(t, templated(text)).Render(t.Context(), release, nil, Functions{})
			require.ErrorContains(t, err, "a name that begins with k8sconnectChart is not possible")
		}
	})
}

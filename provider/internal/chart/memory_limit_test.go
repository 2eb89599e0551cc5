package chart

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// maxPeak is what a rendering may add to the memory of the process at most, with what is not collected yet.
const maxPeak = 3 << 29

// TestMemory: charts that make much of little, or keep much, end with an error before they end the process [H16].
func TestMemory(t *testing.T) {
	// One after the other, and beside nothing else: the memory of the whole process is looked at.
	long := `repeat 4000000 "x"`
	for _, one := range []struct{ name, text string }{
		{"a list that doubles", `{{$x := list 1}}{{range until 60}}{{$x = concat $x $x}}{{end}}`},
		{"a list of lists that doubles", `{{$x := list (list 1)}}{{range until 60}}{{$x = concat $x $x $x $x}}{{end}}`},
		{"keys of maps, again and again", `{{$d := dict}}{{range until 100000}}{{$_ := set $d (print .) 1}}{{end}}{{keys ` + strings.Repeat("$d ", 1000) + `}}`},
		{"texts in a list", `{{$x := list}}{{range until 100000}}{{$x = append $x (` + long + `)}}{{end}}`},
		{"texts in a map", `{{$x := dict}}{{range until 100000}}{{$_ := set $x (print .) (` + long + `)}}{{end}}`},
		{"texts in texts of a map", `{{$x := dict}}{{$y := ` + long + `}}{{range until 100000}}{{$_ := set $x (print .) (upper $y)}}{{end}}`},
		{"lists in a list", `{{$x := list}}{{range until 100000}}{{$x = list $x (until 100000)}}{{end}}`},
		{"lists that are read", `{{$x := list}}{{$y := until 100000 | toJson}}{{range until 100000}}{{$x = list $x (fromJsonArray $y)}}{{end}}`},
		{"copies in a list", `{{$x := list}}{{$y := until 100000}}{{range until 100000}}{{$x = list $x (deepCopy $y)}}{{end}}`},
		{"many small maps", `{{$x := dict}}{{range 1000000000}}{{$x = dict "x" $x}}{{end}}`},
		{"an entry in each round", `{{$x := dict}}{{range 1000000000}}{{$_ := set $x (toString .) .}}{{end}}`},
		{"maps that are merged", `{{$x := dict}}{{range 1000000000}}{{$_ := merge $x (dict (toString .) .)}}{{end}}`},
		{"a text in letters", `{{$x := splitList "" (repeat 16000000 "x")}}`},
		{"a text in letters, by a pattern", `{{$x := regexSplit "" (repeat 16000000 "x") -1}}`},
		{"the letters of a text", `{{$x := regexFindAll "." (repeat 16000000 "x") -1}}`},
		{"a text in parts, with names", `{{$x := split "x" (repeat 16000000 "x")}}`},
		{"a text in parts, with a number", `{{$x := splitn "x" 16000000 (repeat 16000000 "x")}}`},
		{"YAML with many items", `{{$x := fromYamlArray (printf "[%s1]" (repeat 7000000 "1,"))}}`},
		{"YAML with many maps", `{{$x := fromYamlArray (printf "[%s1]" (repeat 3000000 "{},"))}}`},
		{"TOML with many items", `{{$x := fromToml (printf "a = [%s1]" (repeat 7000000 "1,"))}}`},
		{"JSON with many lists", `{{$x := list}}{{$y := printf "[%s1]" (repeat 4000000 "[],")}}{{range until 100}}{{$x = append $x (fromJsonArray $y)}}{{end}}`},
		{"a list far to the right, as JSON", `{{$x := until 900000}}{{range until 900}}{{$x = list $x}}{{end}}{{$_ := toPrettyJson $x}}`},
		{"a list far to the right, as YAML", `{{$x := until 900000}}{{range until 900}}{{$x = dict "a" $x}}{{end}}{{$_ := toYaml $x}}`},
		{"a text with many actions", `{{$x := tpl (repeat 3000000 "{{1}}") .}}`},
		{"a text with a long action", `{{$x := tpl (printf "{{list%s}}" (repeat 7000000 " 1")) .}}`},
		{"texts in texts with many actions", `{{$y := dict "x" ""}}{{$_ := set $y "x" (printf "{{tpl .x .}}%s" (repeat 20000 "{{1}}"))}}{{$x := tpl $y.x $y}}`},
		{"many actions", strings.Repeat("{{1}}", 950_000)},
		{"files that are read", `{{$x := list}}{{range until 100000}}{{$x = append $x ($.Files.Get "big")}}{{end}}`},
		{"files that are read, by a variable", `{{$f := .Files}}{{$x := list}}{{range until 100000}}{{$x = append $x ($f.GetBytes "big" | toString)}}{{end}}`},
		{"files that are found, again and again", `{{$x := dict}}{{range 1000000000}}{{$_ := set $x (toString .) ($.Files.Glob "**")}}{{end}}`},
		{"a pattern of files that is deep", `{{$x := .Files.Glob (printf "%sa%s" (repeat 7000000 "{") (repeat 7000000 "}"))}}`},
		{"a pattern of files that is deep, piped", `{{$x := repeat 7000000 "{" | .Files.Glob}}`},
		{"values that hold a lot", `{{$b := repeat 4000000 "x"}}{{$l := list}}{{range until 16}}{{$l = append $l $b}}{{end}}{{$_ := set .Values "z" $l}}{{$x := .Values.YAML}}`},
		{"values that are deep", `{{$x := dict}}{{range until 100000}}{{$x = dict "x" $x}}{{end}}{{$_ := set .Values "z" $x}}{{$y := .Values.YAML}}`},
		{"the name of a template that is deep", `{{$t := .Template}}{{$x := dict}}{{range until 100000}}{{$x = dict "x" $x}}{{end}}{{$_ := set $t "z" $x}}{{$y := $t.YAML}}`},
		{"values that are written again and again", `{{$_ := set .Values "z" (repeat 4000000 "x")}}{{$x := dict}}{{range until 600}}{{$_ := set $x (print .) $.Values.YAML}}{{end}}`},
		{"a long path in values", `{{$x := .Values.Table (repeat 8000000 "a.")}}`},
		{"a text that is as wide as it says", `{{$x := printf (repeat 2500 "%1000000[1]d") 1}}`},
		{"a text that is as wide as an argument says", `{{$x := printf (repeat 2500 "%[1]*[1]d") 1000000}}`},
		{"a text that repeats an argument", `{{$x := printf (repeat 2500 "%[1]s") (repeat 1000000 "x")}}`},
		{"YAML with aliases", `{{$x := fromYaml (printf "a: &x %s\nb: [%s*x]" (repeat 1000000 "y") (repeat 2500 "*x,"))}}{{if $x.Error}}{{fail "aliases"}}{{end}}`},
		{"TOML with a deep key", `{{$x := fromToml (printf "%sa=1" (repeat 45000 "a."))}}`},
		{"TOML with a long path", `{{$m := dict}}{{range until 50000}}{{$_ := set $m (toString .) (dict "a" 1)}}{{end}}{{$x := toToml (dict (repeat 50000 "k") $m)}}`},
		{"a text far to the right, as YAML", `{{$x := repeat 3000000 "x\n"}}{{range until 440}}{{$x = dict "a" $x}}{{end}}{{$_ := toYaml $x}}`},
		{"items that are compared with each other", `{{$x := until 300000 | uniq}}`},
		{"a pattern that is slow", `{{$x := regexMatch (printf "(%s)*y" (repeat 3000 "x?x?x?")) (repeat 100000 "x")}}`},
		{"files that are read in lines", `{{define "a"}}{{with .Files.Lines "lines"}}{{include "a" $}}{{end}}{{end}}{{include "a" .}}`},
	} {
		t.Run(one.name, func(t *testing.T) {
			err := withinMemory(t, func(ctx context.Context) error {
				execution := newExecution(ctx)
				execution.made = maxMade / 8 * 7 // the whole of it takes minutes with the race detector
				return execute(t, execution, one.text)
			})
			var limit *LimitError
			if one.name == "YAML with aliases" {
				require.ErrorContains(t, err, "aliases", "as what is wrong with a text is always said")
				return
			}
			require.ErrorAs(t, err, &limit, "%.500s", fmt.Sprint(err))
		})
	}
}

func TestWhatIsCopiedAgainAndAgainIsAllowed(t *testing.T) { // [H4]
	t.Parallel()
	values := m{"dashboard": strings.Repeat("x", 1<<20)}
	var items []any
	for i := range 3000 {
		items = append(items, m{"name": fmt.Sprint(i)})
	}
	values["items"] = items
	for _, text := range []string{
		`{{ range until 100 }}{{ $c := deepCopy $.Values }}{{ end }}`,
		`{{ range until 100 }}{{ $c := mustMergeOverwrite (deepCopy $.Values) (dict "a" .) }}{{ end }}`,
	} {
		_, err := loaded(t, templated(text)).Render(t.Context(), release, values, Functions{})
		require.NoError(t, err)
	}
}

func TestValuesWithAliasesAreBounded(t *testing.T) { // [H16]
	t.Parallel()
	text := fmt.Sprintf("a: &x %s\nb: [%s*x]", strings.Repeat("y", 1_000_000), strings.Repeat("*x,", 2500))
	_, err := ParseValues(text)
	require.ErrorContains(t, err, "aliases")
	_, err = Load(named("shop").with(folder{"values.yaml": text}).files())
	var limit *LimitError
	require.ErrorAs(t, err, &limit)
}

// execute executes a template in a chart with two big files.
func execute(t *testing.T, execution *execution, text string) error {
	t.Helper()
	chart := loaded(t, named("shop").with(folder{"big": strings.Repeat("x", bigFile), "lines": strings.Repeat("\n", bigFile)}))
	prepared, err := chart.prepare(release, nil, preparing{})
	require.NoError(t, err)
	_, err = execution.run([]source{{name: "shop/templates/it.yaml", text: text, scope: prepared.scopes["shop"]}}, Functions{})
	return err
}

const bigFile = 1 << 20

func TestDocumentsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"many items": `a: [{{repeat 7000000 "1,"}}1]`,
		"many maps":  `a: [{{repeat 5000000 "{},"}}1]`,
	} {
		t.Run(name+" [H16]", func(t *testing.T) {
			chart := loaded(t, templated(text))
			err := withinMemory(t, func(ctx context.Context) error {
				_, err := chart.Render(ctx, release, nil, Functions{})
				return err
			})
			var limit *LimitError
			require.ErrorAs(t, err, &limit, "%.500s", fmt.Sprint(err))
		})
	}
	t.Run("all documents count [H16]", func(t *testing.T) {
		reading := newReader(&Rendered{})
		reading.nodes = maxNodes - 10
		_, err := reading.read("it.yaml", 1, "a: [1, 2, 3]", manifest.ParseGenerated)
		require.NoError(t, err)
		_, err = reading.read("it.yaml", 2, "a: [1, 2, 3, 4, 5, 6]", manifest.ParseGenerated)
		var limit *LimitError
		require.ErrorAs(t, err, &limit)
	})
}

func TestWhatFilesAreReadToCounts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{{$x := .Files.Get "big"}}`,
		`{{$x := .Files.GetBytes "big"}}`,
		`{{$x := .Files.AsConfig}}`,
		`{{$x := (.Files.Glob "b*").AsConfig}}`,
		`{{$x := list .Files.AsSecrets 1}}`,
		`{{$x := list ((.Files.Glob "b*").AsSecrets)}}`,
		`{{$f := .Files}}{{$x := $f.Get "big"}}`,
		`{{with .Files}}{{$x := "big" | .Get}}{{end}}`,
		`{{with .Files.Get "big"}}{{end}}`,
		`{{if .Files.AsConfig}}{{end}}`,
		`{{range .Files.Glob "b*"}}{{$x := $.Files.Get "big"}}{{end}}`,
		`{{define "a"}}{{end}}{{template "a" .Files.Get "big"}}`,
		`{{tpl "{{$x := .Files.Get \"big\"}}" .}}`,
	} {
		execution := newExecution(t.Context())
		require.NoError(t, execute(t, execution, text), text)
		assert.Greater(t, execution.made, bigFile, text)
	}
}

var errTooMuch = errors.New("too much memory is in use")

// withinMemory calls do, which must not add more than maxPeak to the memory of the process.
func withinMemory(t *testing.T, do func(context.Context) error) error {
	t.Helper()
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	before, peak := sample[0].Value.Uint64(), uint64(0)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := make(chan struct{})
	var err error
	go func() { defer close(ended); err = do(ctx) }()
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for {
		metrics.Read(sample)
		if now := sample[0].Value.Uint64(); now > before {
			if peak = max(peak, now-before); peak > maxPeak {
				cancel(errTooMuch)
			}
		}
		select {
		case <-ended:
			assert.Less(t, peak, uint64(maxPeak))
			return err
		case <-ticks.C:
		}
	}
}

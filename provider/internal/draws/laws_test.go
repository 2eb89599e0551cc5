package draws_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// anyTemplate generates templates in which draws are nested in everything.
func anyTemplate(depth int) *rapid.Generator[string] {
	draw := rapid.SampledFrom([]string{
		"{{ randAlphaNum 10 }}", "{{ randAlphaNum 10 | b64enc }}", "{{ randNumeric 12 }}", "{{ uuidv4 }}", "{{ $v := randAscii 9 }}{{ $v }}{{ $v | sha1sum }}",
		"{{ encryptAES (tpl \"x\" .) \"y\" }}", "{{ printf \"%s-%s\" uuidv4 (randAlpha 3) }}", "{{ now | unixEpoch }}", "{{ shuffle \"abcdefgh\" }}", "{{ randInt 0 99999 }}",
	})
	key := rapid.SampledFrom([]string{"password", "token", "a.b", "x"})
	line := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("\n%s%s: %s", strings.Repeat(" ", rapid.IntRange(0, 3).Draw(t, "indent")), key.Draw(t, "key"), draw.Draw(t, "draw"))
	})
	if depth == 0 {
		return line
	}
	inner := rapid.Deferred(func() *rapid.Generator[string] { return anyTemplate(depth - 1) })
	around := rapid.Custom(func(t *rapid.T) string {
		form := rapid.SampledFrom([]string{
			"{{ if .Values.on }}%s{{ else }}%s{{ end }}", "{{ with .Values }}{{ with $ }}%s{{ end }}{{ end }}%s", "{{- range $.Values.users }}{{ with $ }}%s{{ end }}{{ end -}}%s",
			"{{ range $k, $_ := $.Values.map }}{{ $k }}{{ with $ }}%s{{ break }}{{ end }}{{ end }}%s", "%s{{ include \"lib\" (dict \"key\" \"k\") }}%s",
			"\nkind: Secret\nmetadata:\n  name: {{ .Release.Name }}-x\ndata:\n%s\n---\n%s", "{ {{- tpl `%s` . }}%s", "%s\npw: {{ template \"lib\" dict }}%s",
		}).Draw(t, "form")
		first := inner.Draw(t, "first")
		if strings.Contains(first, "`") {
			form = "%s%s" // a text of tpl in one has no way to be quoted
		}
		return fmt.Sprintf(form, first, inner.Draw(t, "second"))
	})
	return rapid.OneOf(line, around, around)
}

func anyChart(t *rapid.T) files {
	f := files{"_lib.tpl": "{{ define \"lib\" }}" + anyTemplate(0).Draw(t, "lib") + "{{ end }}"}
	for i := range rapid.IntRange(1, 4).Draw(t, "files") {
		f[fmt.Sprintf("%c.yaml", 'b'+i)] = anyTemplate(3).Draw(t, "template")
	}
	return f
}

func anyValues(t *rapid.T) m {
	users := list{}
	for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-d]`), 1, 3, rapid.ID).Draw(t, "users") {
		users = append(users, m{"name": name})
	}
	return m{"on": rapid.Bool().Draw(t, "on"), "users": users, "map": m{"k": 1}}
}

func TestARenderingOfWhatIsStoredIsTheSame(t *testing.T) { // [H8]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, v := anyChart(t), anyValues(t)
		first, s := run(t, f, v, draws.Options{})
		second, again := run(t, f, v, draws.Options{Stored: roundTrip(t, s.Used()), Missing: draws.Placeholder(1)})
		require.Equal(t, first, second)
		require.Equal(t, s.Used(), again.Used())
		require.Empty(t, again.Missing())
		require.Len(t, s.Missing(), len(s.Used()))
	})
}

func TestARewrittenChartRendersTheSame(t *testing.T) { // [H8]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, v := anyChart(t), anyValues(t)
		same(t, f, func() m { return v }, draws.Options{}, nil)
	})
}

func TestOtherFilesDoNotMatter(t *testing.T) { // [H8]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, v := anyChart(t), anyValues(t)
		first, s := run(t, f, v, draws.Options{})
		others := files{"a.yaml": anyTemplate(2).Draw(t, "added"), "z.yaml": anyTemplate(2).Draw(t, "added")}
		if len(f) > 2 {
			others["b.yaml"] = ""
		}
		second, _ := run(t, f.with(others), v, draws.Options{Stored: s.Used()})
		for file, text := range first {
			if _, changed := others[file]; !changed {
				require.Equal(t, text, second[file], file)
			}
		}
	})
}

func TestOtherUsersDoNotMatter(t *testing.T) { // [H8]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, v := anyChart(t), anyValues(t)
		_, s := run(t, f, v, draws.Options{})
		stored := s.Used()
		v["users"] = append(list{m{"name": "new"}}, v["users"].(list)...)
		_, s = run(t, f, v, draws.Options{Stored: stored})
		used := s.Used().WithoutPlaces()
		for key, value := range stored.WithoutPlaces() {
			require.Equal(t, value, used[key], key)
		}
		for _, key := range s.Missing() {
			require.Contains(t, key, "[new]")
		}
	})
}

func TestARenamedFileGetsNoValuesButItsOwn(t *testing.T) { // [H8] [D87]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f, v := anyChart(t), anyValues(t)
		_, s := run(t, f, v, draws.Options{})
		stored := s.Used()
		_, again := run(t, f.with(files{"x/y.yaml": f["b.yaml"], "b.yaml": ""}), v, draws.Options{Stored: stored})
		before := map[string]string{}
		for key, value := range stored {
			if len(value.Text) > 8 && !strings.Contains(key, "|now") {
				before[value.Text] = key
			}
		}
		for key, value := range again.Used() {
			if from, is := before[value.Text]; is {
				require.Equal(t, strings.Replace(from, "/b.yaml", "/x/y.yaml", 1), key)
			}
		}
	})
}

func TestNoValueGoesToTwoCallSites(t *testing.T) { // [H8]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := anyValues(t)
		_, s := run(t, anyChart(t), v, draws.Options{})
		stored := s.Used()
		_, s = run(t, anyChart(t), anyValues(t), draws.Options{Stored: stored})
		seen := map[string]string{}
		for key, value := range s.Used() {
			if len(value.Text) > 8 && !strings.Contains(key, "|now") && !strings.Contains(key, "|shuffle") {
				require.Empty(t, seen[value.Text], "%s has it, too", key)
				seen[value.Text] = key
			}
		}
	})
}

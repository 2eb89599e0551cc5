package chartsource

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

const someEntries = "  - urls:\n    - a.tgz\n    version: 1.0.0\n"

func TestAnIndexIsReadInAnyLayout(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"as helm writes it":           "apiVersion: v1\nentries:\n  app:\n" + someEntries + "  other:\n" + someEntries + "generated: \"x\"\n",
		"with the entries last":       "generated: x\napiVersion: v1\nentries:\n  app:\n" + someEntries,
		"as a document":               "---\napiVersion: v1\nentries:\n  app:\n" + someEntries,
		"with comments and blanks":    "# a\nentries:\n\n# b\n  app:\n  # c\n\n" + someEntries,
		"with the ends of Windows":    strings.ReplaceAll("apiVersion: v1\nentries:\n  app:\n"+someEntries, "\n", "\r\n"),
		"with deeper entries":         "entries:\n    app:\n        - urls:\n            - a.tgz\n          version: 1.0.0\n",
		"with quoted names":           "entries:\n  \"app\":\n" + someEntries,
		"with long texts":             "entries:\n  app:\n  - description: |-\n      entries:\n        other:\n    urls: [a.tgz]\n    version: 1.0.0\n",
		"with the marks of strings":   "entries:\n  app:\n  - urls: ['a.tgz']\n    version: \"1.0.0\"\n",
		"with an anchor":              "entries:\n  app: &x\n" + someEntries + "  other: *x\n",
		"in JSON":                     `{"apiVersion":"v1","entries":{"app":[{"urls":["a.tgz"],"version":"1.0.0"}]}}`,
		"in JSON over several lines":  "{\n  \"entries\": {\n    \"app\": [{\"urls\": [\"a.tgz\"], \"version\": \"1.0.0\"}]\n  }\n}\n",
		"in the flow of YAML":         "entries: {app: [{urls: [a.tgz], version: 1.0.0}]}\n",
		"with a bad entry beside":     "entries:\n  app:\n" + someEntries + "  - 5\n  - version: 2.0.0\n  - null\n  - urls: 7\n    version: 3.0.0\n",
		"with an entry of no version": `{"entries":{"app":[null,{"urls":["a.tgz"],"version":"1.0.0"},{"urls":["b.tgz"]}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parsed, err := parseIndex([]byte(text), 1<<20)
			require.NoError(t, err)
			assert.Contains(t, parsed.names(), "app")
			entries, err := parsed.entries("app")
			require.NoError(t, err)
			assert.Equal(t, []entry{{Version: "1.0.0", URLs: []string{"a.tgz"}}}, entries)
			none, err := parsed.entries("none")
			require.NoError(t, err)
			assert.Empty(t, none)
		})
	}
	for name, text := range map[string]string{
		"nothing":          "",
		"a page":           "<html>\n<body>entries:</body></html>\n",
		"another document": "apiVersion: v1\nkind: ConfigMap\n",
		"no mapping":       "- entries\n",
		"broken JSON":      `{"entries":`,
		"broken YAML":      "entries: [\n",
		"JSON of others":   `{"charts":{}}`,
	} {
		t.Run("but not from "+name, func(t *testing.T) {
			t.Parallel()
			_, err := parseIndex([]byte(text), 1<<20)
			require.Error(t, err)
		})
	}
}

func TestWhatIsParsedOfAnIndexHasALimit(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(someEntries, 100)
	parsed, err := parseIndex([]byte("entries:\n  app:\n"+someEntries+"  other:\n"+many), 200)
	require.NoError(t, err)
	_, err = parsed.entries("app")
	require.NoError(t, err)
	_, err = parsed.entries("other") // [H16]
	require.ErrorContains(t, err, "the entries of other are larger")
	_, err = parseIndex([]byte("entries: {app: [{urls: [a.tgz], version: 1.0.0}]}\n#"+strings.Repeat("x", 200)), 200)
	require.ErrorContains(t, err, "not in the layout that helm writes")
}

// helmIndex is an index as helm's library encodes it.
type helmIndex struct {
	APIVersion string                      `json:"apiVersion"`
	Entries    map[string][]map[string]any `json:"entries"`
	Generated  string                      `json:"generated"`
}

func TestCuttingAnIndexChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[ -~äß\n]{0,40}`), rapid.SampledFrom([]string{"entries:", "  app:", "- a", "a: b\n\n  c:\n", "'", "\t", "1.0", "~", "yes", "#x", " x "}))
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][a-z0-9.-]{0,8}[a-z]|"true"|on|[0-9]{1,3}`), 1, 5, rapid.ID).Draw(t, "names")
		index := helmIndex{APIVersion: "v1", Entries: map[string][]map[string]any{}, Generated: "2026-01-02T03:04:05Z"}
		for _, name := range names {
			index.Entries[name] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) map[string]any {
				return map[string]any{
					"version": rapid.StringMatching(`[0-9]\.[0-9]{1,2}\.[0-9](-rc)?`).Draw(t, "version"), "urls": []string{text.Draw(t, "url") + "x"},
					"digest": text.Draw(t, "digest"), "description": text.Draw(t, "description"), "annotations": map[string]string{"a": text.Draw(t, "annotation")},
				}
			}), 0, 4).Draw(t, name)
		}
		encoded, err := yaml.Marshal(index)
		require.NoError(t, err)
		inJSON, err := json.Marshal(index)
		require.NoError(t, err)
		for _, data := range [][]byte{encoded, inJSON} {
			parsed, err := parseIndex(data, 1<<20)
			require.NoError(t, err, string(data))
			require.Equal(t, slices.Sorted(maps.Keys(index.Entries)), parsed.names())
			for name, want := range index.Entries {
				got, err := parsed.entries(name)
				require.NoError(t, err)
				require.Len(t, got, len(want), string(data))
				for i := range want {
					require.Equal(t, want[i]["version"], got[i].Version)
					require.Equal(t, want[i]["urls"], got[i].URLs)
					require.Equal(t, want[i]["digest"], got[i].Digest)
				}
			}
		}
	})
}

func FuzzParseIndex(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nentries:\n  app:\n" + someEntries))
	f.Add([]byte(`{"entries":{"app":[{"urls":["a.tgz"],"version":"1.0.0"}]}}`))
	f.Add([]byte("entries: &a {x: *a}\n"))
	f.Add([]byte("entries:\n  ? [a]\n  : b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		parsed, err := parseIndex(data, 1<<12)
		if err != nil {
			return
		}
		for _, name := range parsed.names() {
			entries, _ := parsed.entries(name)
			for _, entry := range entries {
				if entry.Version == "" || len(entry.URLs) == 0 {
					t.Errorf("an entry of %s cannot be fetched: %v", name, entry)
				}
			}
		}
	})
}

// BenchmarkIndex reads one chart of an index as large as the largest public one.
func BenchmarkIndex(b *testing.B) {
	var text strings.Builder
	text.WriteString("apiVersion: v1\nentries:\n")
	for chart := range 120 {
		fmt.Fprintf(&text, "  chart-%d:\n", chart)
		for version := range 200 {
			fmt.Fprintf(&text, "  - annotations:\n      category: Database\n      images: |\n        - name: a\n          image: docker.io/example/a:1.%d\n"+
				"    apiVersion: v2\n    appVersion: 1.2.3\n    created: \"2026-01-02T03:04:05Z\"\n    description: %s\n    digest: %064d\n"+
				"    keywords:\n    - a\n    - b\n    name: chart-%d\n    urls:\n    - https://charts.example.com/chart-%d-1.%d.0.tgz\n    version: 1.%d.0\n",
				version, strings.Repeat("text ", 60), version, chart, chart, version, version)
		}
	}
	data := []byte(text.String())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		parsed, err := parseIndex(data, defaults.section)
		require.NoError(b, err)
		entries, err := parsed.entries("chart-60")
		require.NoError(b, err)
		require.Len(b, entries, 200)
	}
}

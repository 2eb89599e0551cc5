package manifest

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const settings = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
`

func TestFormattingIsNoDifference(t *testing.T) {
	want := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "settings", "labels": map[string]any{"app.kubernetes.io/name": "web"}},
		"data":     map[string]any{"a": "1", "b": "x\ny\n"},
	}
	for name, text := range map[string]string{
		"block style": `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels:
    app.kubernetes.io/name: web
data:
  a: "1"
  b: |
    x
    y
`,
		"flow style, other order, other quotes": `{data: {b: "x\ny\n", a: '1'}, kind: ConfigMap, metadata: {labels: {"app.kubernetes.io/name": web}, name: settings}, apiVersion: v1}`,
		"JSON":                                  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","labels":{"app.kubernetes.io/name":"web"}},"data":{"a":"1","b":"x\ny\n"}}`,
		"comments and documents that are empty": `# a comment
---
# only a comment
---
---
# the object
apiVersion: v1 # core
kind: ConfigMap
metadata:
    name: settings
    labels: {app.kubernetes.io/name: web}
data:
    a: '1'
    b: "x\ny\n"
...
---
# the end
`,
		"Windows line ends":              "---\r\n---\r\napiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: settings, labels: {app.kubernetes.io/name: web}}\r\ndata:\r\n  a: \"1\"\r\n  b: |\r\n    x\r\n    y\r\n",
		"line ends that only YAML knows": "---\r# x\r---\u2028apiVersion: v1\u0085kind: ConfigMap\rmetadata: {name: settings, labels: {app.kubernetes.io/name: web}}\u2029data:\r  a: \"1\"\r  b: \"x\\ny\\n\"\r",
		"anchors and merge keys": `apiVersion: v1
kind: ConfigMap
metadata: {name: &name settings, labels: {app.kubernetes.io/name: web}}
data:
  <<: {a: "0", b: "x\ny\n"}
  a: "1"
`,
	} {
		t.Run(name+" [O7]", func(t *testing.T) {
			object, err := ParseYAML(text)
			require.NoError(t, err)
			assert.Equal(t, want, object)
		})
	}
}

func TestValuesAreReadAsKubernetesReadsThem(t *testing.T) {
	object, err := ParseYAML(settings + `data:
  yes: on
  quoted: "on"
  octal: 0644
  big: 9007199254740993
  max: 9223372036854775807
  huge: 18446744073709551616
  float: 1.5
  whole: 1.0
  exponent: 1e3
  date: 2020-01-02
  version: "1.10"
  none: null
  empty:
  1: number
  interpolation: ${not.ours}
`)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"true": true, "quoted": "on", "octal": int64(0o644), "big": int64(9007199254740993), "max": int64(math.MaxInt64),
		"huge": 18446744073709551616.0, "float": 1.5, "whole": int64(1), "exponent": int64(1000), "date": "2020-01-02",
		"version": "1.10", "none": nil, "empty": nil, "1": "number", "interpolation": "${not.ours}",
	}, object["data"])
}

func TestUnicodeAndMultiLineTextsArriveAsWritten(t *testing.T) {
	object, err := ParseYAML(settings + `data:
  größe: "日本語 \U0001F600"
  app.properties: |
    a=1
    # no comment
    --- no document
  folded: >-
    one
    line
  trailing: |+
    x

`)
	require.NoError(t, err, "[O12]")
	assert.Equal(t, map[string]any{
		"größe": "日本語 😀", "app.properties": "a=1\n# no comment\n--- no document\n", "folded": "one line", "trailing": "x\n\n",
	}, object["data"], "[O12]")
}

func TestTextsThatAreNotOneObjectAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                     {"", "holds no object"},
		"only comments":               {"# x\n---\n# y\n", "holds no object"},
		"null":                        {"null", "holds no object"},
		"two documents":               {settings + "---\n" + settings, "holds 2 documents (the second begins in line 5)"},
		"several documents, the hint": {settings + "---\n" + settings, "splitYaml"},
		"a List":                      {"apiVersion: v1\nkind: List\nitems: []\n", "kind List holds several objects"},
		"a List, the hint":            {"apiVersion: v1\nkind: List\nitems: []\n", "splitYaml"},
		"a typed list":                {"apiVersion: v1\nkind: ConfigMapList\nitems: []\n", "kind ConfigMapList holds several"},
		"a sequence":                  {"- " + strings.ReplaceAll(settings, "\n", "\n  "), "holds a list, not an object"},
		"the name of a file":          {"./manifest.yaml", "pass the contents of the file"},
		"a duplicate key":             {settings + "data:\n  a: x\n  b: y\n  a: z\n", `the key "a" is there twice, in lines 5 and 7`},
		"a duplicate key in a list":   {"spec:\n- a: 1\n  a: 2\n", `the key "a" is there twice, in lines 2 and 3`},
		"a duplicate quoted key":      {"a: 1\n\"a\": 2\n", `"a" is there twice, in lines 1 and 2`},
		"keys that are one in JSON":   {"1: a\n\"1\": b\n", `"1" is there twice, in lines 1 and 2`},
		"booleans that are one":       {"yes: a\ntrue: b\n", `"true" is there twice, in lines 1 and 2`},
		"a duplicate after documents": {"---\n---\na: 1\na: 2\n", `"a" is there twice, in lines 3 and 4`},
		"a tab [D45]":                 {"a:\n\tb: 1\n", "YAML: line 2: it is indented by a tab, and YAML allows only spaces there"},
		"a tab behind spaces [D45]":   {"a:\n  \tb: 1\n", "line 2: it is indented by a tab"},
		"a tab in the first line":     {"\ta: 1\n", "line 1: it is indented by a tab"},
		"a tab behind documents":      {"---\n# x\n---\na:\n\tb: hush\n", "line 5: it is indented by a tab"},
		"another stray character":     {"a: @b\n", "found character that cannot start any token"},
		"bad indentation":             {"a: 1\n b: 2\n", "line 2: mapping values are not allowed"},
		"a number that JSON lacks":    {"a: .inf\n", "unsupported value"},
		"binary":                      {settings + "data:\n  a: !!binary aGVsbG8=\n", "line 5: the tag !!binary"},
		"a null key":                  {"a: 1\n~: a\n", "line 2: a key must be text"},
		"a list as a key":             {"? [a]\n: b\n", "line 1: a key must be text"},
		"an alias that is null":       {"a: &n ~\n*n : b\n", "line 2: a key must be text"},
		"a duplicate alias":           {"&k a: 1\n*k : b\n", `"a" is there twice, in lines 1 and 2`},
		"a value unlike its tag":      {"a: !!int hush\n", "cannot decode !!str value as a !!int"},
		"an undefined anchor":         {"a: x\nb: *hush\n", "line 2: a value that begins with * refers to an anchor (&)"},
		"one behind documents":        {"---\n# x\n---\na: *hush\n", "line 4: a value that begins with *"},
	} {
		t.Run(name+" is refused [O55]", func(t *testing.T) {
			_, err := ParseYAML(c.text)
			require.ErrorContains(t, err, c.want)
			assert.True(t, strings.HasPrefix(err.Error(), "YAML: "), err)
			assert.NotContains(t, err.Error(), "yaml: ")
			assert.NotContains(t, err.Error(), "hush", "[C16]")
		})
	}
}

func TestAKindThatOnlyEndsInListIsAnObject(t *testing.T) {
	_, err := ParseYAML("apiVersion: acme.io/v1\nkind: AllowList\nmetadata: {name: x}\nspec: {items: []}\n")
	assert.NoError(t, err, "[O55]")
}

func TestADocumentIsAnObjectOrAList(t *testing.T) {
	for text, want := range map[string]any{
		"# a patch\n- op: test\n  value: 0x10\n": []any{map[string]any{"op": "test", "value": int64(16)}},
		`{"kind": "List", "items": []}`:          map[string]any{"kind": "List", "items": []any{}},
		"[]":                                     []any{},
		"---\n---\n{}":                           map[string]any{},
	} {
		got, err := ParseDocument(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for text, want := range map[string]string{
		"":               "YAML: the text holds no object or list",
		"# x\n":          "YAML: the text holds no object or list",
		"patch.yaml":     "YAML: the text holds a single value, not an object or list; if it is the name of a file",
		"a: 1\n---\n[]":  "YAML: the text holds 2 documents (the second begins in line 3): write it as one document",
		"[{a: 1, a: 2}]": `YAML: the key "a" is there twice, in lines 1 and 1`,
		"[":              "YAML: line 1",
	} {
		_, err := ParseDocument(text)
		require.ErrorContains(t, err, want, "[P2]")
	}
}

func FuzzParseYAML(f *testing.F) {
	f.Add(settings)
	f.Add("---\n# x\n---\n" + settings + "data: {a: &a [1, 0x10, ~], b: *a, <<: {c: 1}}\n")
	f.Add("a: 1\n\"a\": 2\n")
	f.Add("? a\n: b\n---\n")
	f.Add(`{"a":[1e400,-0,1.5]}`)
	f.Fuzz(func(t *testing.T, text string) {
		object, err := ParseYAML(text)
		if err != nil {
			return
		}
		encoded, err := json.Marshal(object)
		require.NoError(t, err)
		again, err := ParseYAML(string(encoded))
		require.NoError(t, err, "%s", encoded)
		require.Equal(t, object, again)
		clean, _ := Normalize(object)
		Validate(clean)
	})
}

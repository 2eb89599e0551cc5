package manifest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yamlnode "go.yaml.in/yaml/v3"
)

// names reads a text whose documents are all right and lists their names.
func names(t testing.TB, text string) []string {
	t.Helper()
	found, failed := ParseDocuments(text)
	require.Empty(t, failed)
	list := []string{}
	for _, placed := range found {
		list = append(list, IdentityOf(placed.Object).Name)
	}
	return list
}

const (
	one = "kind: A\nmetadata: {name: one}\n"
	two = "kind: A\nmetadata: {name: two}\n"
)

func TestEveryWayToSeparateDocumentsIsUnderstood(t *testing.T) {
	for name, text := range map[string]string{
		"a plain marker":                    one + "---\n" + two,
		"a marker with a comment":           one + "--- # the second\n" + two,
		"a marker with spaces and a tab":    one + "---  \t\n" + two,
		"markers before and after":          "---\n" + one + "---\n" + two + "---\n",
		"ends of documents":                 "---\n" + one + "...\n---\n" + two + "...\n",
		"an end without a line break":       one + "---\n" + strings.TrimSuffix(two, "\n") + "\n...",
		"a marker without a line break":     one + "---\n" + two + "---",
		"Windows line ends":                 strings.ReplaceAll("---\n"+one+"---\n"+two, "\n", "\r\n"),
		"Windows line ends and comments":    strings.ReplaceAll(one+"--- # x\n"+two, "\n", "\r\n"),
		"old Mac line ends":                 strings.ReplaceAll("---\n"+one+"---\n"+two, "\n", "\r"),
		"a byte order mark":                 byteOrderMark + one + "---\n" + two,
		"a byte order mark, and a marker":   byteOrderMark + "---\n" + one + "---\n" + two,
		"a byte order mark in the middle":   one + byteOrderMark + "---\n" + two,
		"contents on the line of a marker":  "--- {kind: A, metadata: {name: one}}\n--- {kind: A, metadata: {name: two}}\n",
		"empty documents":                   "---\n---\n" + one + "---\n\n---\n   \n---\n" + two + "---\n---\n",
		"documents with nothing but words":  "# a\n---\n# b\n" + one + "---\n# c\n  # d\n---\n" + two + "--- # e\n",
		"null documents":                    "null\n---\n" + one + "---\n~\n---\n" + two,
		"directives":                        "%YAML 1.1\n---\n" + one + "...\n%YAML 1.1\n# x\n---\n" + two,
		"a marker inside of a text":         "kind: A\nmetadata: {name: one}\ntext: |\n  a\n  ---\n  b\n---\n" + two,
		"what only looks like a marker":     one + "text: ---\n----: x\n---\n" + two,
		"no marker at the end of a comment": one + "# ---\n---\n" + two,
		"line separators inside of a text":  "kind: A\nmetadata: {name: one}\ntext: \"a\u2028 b\u2029 c\u0085 d\"\n---\n" + two,
		"a List":                            "kind: List\nitems:\n- kind: A\n  metadata: {name: one}\n- kind: A\n  metadata: {name: two}\n",
		"Lists in a List, one of them empty": "kind: List\nitems:\n- {kind: List, items: [{kind: A, metadata: {name: one}}]}\n" +
			"- {kind: List, items: []}\n- {kind: A, metadata: {name: two}}\n---\n{kind: List}\n",
		"JSON": `{"kind":"A","metadata":{"name":"one"}}` + "\n---\n" + `{"kind":"A","metadata":{"name":"two"}}`,
	} {
		t.Run(name+" [F4]", func(t *testing.T) {
			assert.Equal(t, []string{"one", "two"}, names(t, text))
		})
	}
	t.Run("a text without documents has no objects [F4]", func(t *testing.T) {
		for _, text := range []string{"", "\n", "---", "---\n---\n", "# x\n---\n# y\n...\n", byteOrderMark, "null"} {
			assert.Empty(t, names(t, text), "%q", text)
		}
	})
}

func TestItemsOfAListOfOneKindAreObjectsOfTheKind(t *testing.T) {
	found, failed := ParseDocuments(`apiVersion: v1
kind: ConfigMapList
items:
- metadata: {name: a}
- {apiVersion: v2, kind: Other, metadata: {name: b}}
`)
	require.Empty(t, failed)
	require.Len(t, found, 2)
	assert.Equal(t, Identity{APIVersion: "v1", Kind: "ConfigMap", Name: "a"}, IdentityOf(found[0].Object), "[F4]")
	assert.Equal(t, Identity{APIVersion: "v2", Kind: "Other", Name: "b"}, IdentityOf(found[1].Object), "[F4]")
	assert.Equal(t, "document 1, items[0] (line 4)", found[0].String(), "[F4]")
	assert.Equal(t, "document 1, items[1] (line 5)", found[1].String(), "[F4]")
}

func TestPlacesAreThoseOfTheWholeText(t *testing.T) {
	found, failed := ParseDocuments("# x\n---\n" + one + "---\n---\n# y\n" + two)
	require.Empty(t, failed)
	require.Len(t, found, 2)
	assert.Equal(t, "document 1 (line 3)", found[0].String(), "[F4]")
	assert.Equal(t, "document 2 (line 8)", found[1].String(), "[F4]")
}

func TestEveryDocumentThatCannotBeReadIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"bad indentation": {
			one + "---\na: 1\n b: 2\n---\n" + two + "---\nx: [\n",
			[]string{"document 2 (line 3): YAML: line 5: mapping values are not allowed in this context",
				"document 4 (line 9): YAML: line 10: did not find expected node content"},
		},
		"duplicate keys": {
			one + "---\na: x\nb: y\na: z\n",
			[]string{`document 2 (line 4): YAML: the key "a" is there twice, in lines 4 and 6: remove one of them`},
		},
		"what is no object": {
			one + "---\n- a\n---\nhush\n",
			[]string{"document 2 (line 4): YAML: the document holds a list, not an object",
				"document 3 (line 6): YAML: the document holds text, not an object"},
		},
		"items that are no objects": {
			"kind: List\nitems:\n- hush\n- {kind: List, items: {}}\n",
			[]string{"document 1, items[0] (line 3): the item is text, not an object",
				"document 1, items[1] (line 4): the items of a List must be a list, not an object"},
		},
		"a document without a marker": {
			one + "...\n" + two, []string{"document 1 (line 1): YAML: line 3: did not find expected <document start>"},
		},
		"a value unlike its tag": {
			one + "---\na: !!int hush\n", []string{"document 2 (line 4): YAML: cannot decode !!str value as a !!int"},
		},
		"directives before the end of a document": {
			one + "%YAML 1.1\n---\n" + two, []string{"document 1 (line 1): YAML: line 3: did not find expected <document start>"},
		},
		"UTF-16": {"\xff\xfea\x00", []string{"document 1 (line 1): YAML: the text is not in UTF-8 (byte 1): save it in this encoding"}},
	} {
		t.Run(name+" [F4]", func(t *testing.T) {
			_, failed := ParseDocuments(c.text)
			got := []string{}
			for _, err := range failed {
				got = append(got, err.Error())
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// FuzzParseDocuments compares our own cutting with the parser's, which reads a stream as a whole: no
// document may be lost, doubled, or mixed with another, and none may begin elsewhere.
func FuzzParseDocuments(f *testing.F) {
	f.Add(one + "--- # x\r\n" + two + "...\n---\n")
	f.Add("%YAML 1.1\n---\na: 1\n...\n%TAG ! tag:x,2000:\n---\nb: 2\n")
	f.Add("\"0\n..\"\n%TAG ! 0\n---")
	f.Add("a: |\n  x\n  ---\n---\u2028b: 1\u2029---\u0085c: 1\r---\r\nd: 2\n")
	f.Add("--- >\n%x\n---\n\"a\n%b\"\n---\n# c\n")
	f.Add("kind: List\nitems: &i\n- {a: 1}\n---\n? x\n--- |\n a\n")
	f.Fuzz(func(t *testing.T, text string) {
		ParseDocuments(text)
		if checkText(text) != nil || strings.Contains(text, byteOrderMark) {
			return
		}
		type read struct {
			line int
			text string
		}
		write := func(line int, node *yamlnode.Node) (read, bool) {
			text, err := yamlnode.Marshal(node)
			return read{line, string(text)}, err == nil
		}
		var want, got []read
		decoder := yamlnode.NewDecoder(strings.NewReader(text))
		for {
			var node yamlnode.Node
			err := decoder.Decode(&node)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return
			}
			if len(node.Content) > 0 && node.Content[0].ShortTag() != "!!null" {
				written, ok := write(node.Content[0].Line, node.Content[0])
				if !ok {
					return
				}
				want = append(want, written)
			}
		}
		for _, p := range pieces(text) {
			document, some, err := p.read()
			if err != nil && strings.Contains(text, "%") {
				return // the parser lets directives follow a document that has not ended with ...
			}
			require.NoError(t, err, "%q of %q", p.text, text)
			if some {
				written, _ := write(document.root.Line, document.root)
				got = append(got, written)
			}
		}
		require.Equal(t, len(want), len(got), "%q", text)
		for i := range want {
			require.Equal(t, want[i].line, got[i].line, "%q", text)
			require.Equal(t, uncommented(t, want[i].text), uncommented(t, got[i].text), "%q", text)
		}
	})
}

// uncommented is the value of a text. Which document a comment belongs to is of no matter.
func uncommented(t testing.TB, text string) any {
	t.Helper()
	var value any
	if yamlnode.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	return value
}

func TestManyBrokenDocumentsAreReadInOnePass(t *testing.T) {
	for name, broken := range map[string]string{
		"that cannot be parsed":  "a: [\n",
		"with a tag that is not": "a: !!int hush\n",
	} {
		// Most lines are comments, which cost the parser next to nothing, so that the first pass over each document
		// cannot hide what later passes cost.
		text := func(documents int) string {
			return strings.Repeat("---\n"+broken+strings.Repeat("#\n", 200), documents)
		}
		t.Run("four times as many "+name+" take about four times the work [D20]", func(t *testing.T) {
			work := func(documents int) (bytes uint64) {
				return allocated(func() {
					_, failed := ParseDocuments(text(documents))
					require.Len(t, failed, documents)
				})
			}
			few, many := work(250), work(1000)
			assert.Less(t, many, 6*few, "%d bytes are asked for 250 documents, %d for 1000", few, many)
		})
	}
	t.Run("their lines are those of the whole text, wherever a document begins [D20]", func(t *testing.T) {
		for lines := range 12 {
			for _, c := range []struct {
				broken string
				line   int // of the document, from 0
				want   string
			}{
				{"a: [\n", 1, "line %d: did not find expected node content"}, // told only if a line is before it
				{"a: b: c\n", 1, "line %d: mapping values are not allowed in this context"},
				{"- a\nb\n", 2, "line %d: could not find expected ':'"},
				{"a: 1\n...\nb: 2\n", 2, "line %d: did not find expected <document start>"},
				{"a: *none\n", 1, "line %d: a value that begins with * refers to an anchor"},
				{"x: 1\na: *none\n", 2, "line %d: a value that begins with * refers to an anchor"},
			} {
				_, failed := ParseDocuments(strings.Repeat("#\n", lines) + "---\n" + c.broken)
				require.Len(t, failed, 1, c.broken)
				assert.Contains(t, failed[0].Error(), fmt.Sprintf(c.want, lines+1+c.line), "%q after %d lines", c.broken, lines)
			}
		}
	})
}

func TestParseGenerated(t *testing.T) {
	t.Parallel()
	const text = "kind: A\nmetadata: {name: a}\nspec:\n  x: 1\n  z: 2\n  x: 3\n---\nkind: B\nkind: C\n"
	t.Run("the last value of a key that is there twice counts, and the key is reported", func(t *testing.T) {
		t.Parallel()
		found, repeated, failed := ParseGenerated(text)
		assert.Empty(t, failed)
		require.Len(t, found, 2)
		assert.Equal(t, map[string]any{"x": int64(3), "z": int64(2)}, found[0].Object["spec"])
		assert.Equal(t, "C", found[1].Object["kind"])
		require.Len(t, repeated, 2)
		assert.EqualError(t, repeated[0], `document 1 (line 1): YAML: the key "x" is there twice, in lines 4 and 6: remove one of them`)
		assert.Equal(t, 8, repeated[1].Line)
	})
	t.Run("other mistakes are mistakes", func(t *testing.T) {
		t.Parallel()
		found, repeated, failed := ParseGenerated("kind: A\n---\n- 1\n---\na: !!binary YQ==\n")
		assert.Len(t, found, 1)
		assert.Empty(t, repeated)
		assert.Len(t, failed, 2)
	})
}

package mutation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// The published examples of RFC 6902, appendix A.
func TestTheExamplesOfRFC6902(t *testing.T) {
	for _, example := range []struct {
		name, document, patch string
		want                  string // empty: an error
		problem               string // what is refused before evaluation
		failure               string // what the evaluation says
	}{
		{name: "A.1. adding an object member [P12]", document: `{"foo": "bar"}`,
			patch: `[{"op": "add", "path": "/baz", "value": "qux"}]`,
			want:  `{"baz": "qux", "foo": "bar"}`},
		{name: "A.2. adding an array element [P12]", document: `{"foo": ["bar", "baz"]}`,
			patch: `[{"op": "add", "path": "/foo/1", "value": "qux"}]`,
			want:  `{"foo": ["bar", "qux", "baz"]}`},
		{name: "A.3. removing an object member [P12]", document: `{"baz": "qux", "foo": "bar"}`,
			patch: `[{"op": "remove", "path": "/baz"}]`,
			want:  `{"foo": "bar"}`},
		{name: "A.4. removing an array element [P12]", document: `{"foo": ["bar", "qux", "baz"]}`,
			patch: `[{"op": "remove", "path": "/foo/1"}]`,
			want:  `{"foo": ["bar", "baz"]}`},
		{name: "A.5. replacing a value [P12]", document: `{"baz": "qux", "foo": "bar"}`,
			patch: `[{"op": "replace", "path": "/baz", "value": "boo"}]`,
			want:  `{"baz": "boo", "foo": "bar"}`},
		{name: "A.6. moving a value [P12]", document: `{"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}}`,
			patch: `[{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}]`,
			want:  `{"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}}`},
		{name: "A.7. moving an array element [P12]", document: `{"foo": ["all", "grass", "cows", "eat"]}`,
			patch: `[{"op": "move", "from": "/foo/1", "path": "/foo/3"}]`,
			want:  `{"foo": ["all", "cows", "eat", "grass"]}`},
		{name: "A.8. testing a value: success [P12]", document: `{"baz": "qux", "foo": ["a", 2, "c"]}`,
			patch: `[{"op": "test", "path": "/baz", "value": "qux"}, {"op": "test", "path": "/foo/1", "value": 2}]`,
			want:  `{"baz": "qux", "foo": ["a", 2, "c"]}`},
		{name: "A.9. testing a value: error [P12]", document: `{"baz": "qux"}`,
			patch:   `[{"op": "test", "path": "/baz", "value": "bar"}]`,
			failure: "jsonPatch[0]: test /baz: there is text, but another one than the test expects"},
		{name: "A.10. adding a nested member object", document: `{"foo": "bar"}`,
			patch: `[{"op": "add", "path": "/child", "value": {"grandchild": {}}}]`,
			want:  `{"foo": "bar", "child": {"grandchild": {}}}`},
		{name: "A.11. ignoring unrecognized elements", document: `{"foo": "bar"}`,
			patch: `[{"op": "add", "path": "/baz", "value": "qux", "xyz": 123}]`,
			want:  `{"foo": "bar", "baz": "qux"}`},
		{name: "A.12. adding to a nonexistent target [P15]", document: `{"foo": "bar"}`,
			patch:   `[{"op": "add", "path": "/baz/bat", "value": "qux"}]`,
			failure: `jsonPatch[0]: add /baz/bat: there is no "baz" at the top, which has foo`},
		{name: "A.13. invalid JSON patch document [P2]",
			patch:   `[{"op": "add", "path": "/baz", "value": "qux", "op": "remove"}]`,
			problem: `the key "op" is there twice`},
		{name: "A.14. ~ escape ordering [P14]", document: `{"/": 9, "~1": 10}`,
			patch: `[{"op": "test", "path": "/~01", "value": 10}]`,
			want:  `{"/": 9, "~1": 10}`},
		{name: "A.15. comparing strings and numbers", document: `{"/": 9, "~1": 10}`,
			patch:   `[{"op": "test", "path": "/~01", "value": "10"}]`,
			failure: "jsonPatch[0]: test /~01: there is a number, not text"},
		{name: "A.16. adding an array value [P12]", document: `{"foo": ["bar"]}`,
			patch: `[{"op": "add", "path": "/foo/-", "value": ["abc", "def"]}]`,
			want:  `{"foo": ["bar", ["abc", "def"]]}`},
	} {
		t.Run(example.name, func(t *testing.T) {
			operations, err := manifest.ParseDocument(example.patch)
			if example.problem != "" {
				require.ErrorContains(t, err, example.problem)
				return
			}
			require.NoError(t, err)
			patch, problems := ParseJSONPatch(operations)
			require.Empty(t, problems)
			got, err := patch.apply(decode(t, example.document), newTrace(fieldpath.NewSet(), len(patch.operations)))
			if example.failure != "" {
				require.EqualError(t, err, example.failure)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, decode(t, example.want), got)
		})
	}
}

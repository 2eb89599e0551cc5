package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"
)

func TestOverlayPutsWhatIsIgnoredInAWholeAsItIsLive(t *testing.T) {
	tests := []struct{ name, path, wanted, live, want string }{
		{"a member", "l.w", `{a: 1, w: 1}`, `{a: 1, w: 9}`, `{a: 1, w: 9}`},
		{"a member that others added", "l.w", `{a: 1}`, `{a: 1, w: 9}`, `{a: 1, w: 9}`},
		{"a member that others removed", "l.w", `{a: 1, w: 1}`, `{a: 1}`, `{a: 1}`},
		{"items that moved", "l[*].w", `[{h: a, w: 1}, {h: b, w: 2}]`, `[{h: b, w: 8}, {h: a, w: 9}]`, `[{h: a, w: 9}, {h: b, w: 8}]`},
		{"an item with a default", "l[*].w", `[{h: a, w: 1}]`, `[{h: a, w: 9, d: x}]`, `[{h: a, w: 9}]`},
		{"an item that is new has its first value", "l[*].w", `[{h: n, w: 1}, {h: a, w: 1}]`, `[{h: a, w: 9}]`, `[{h: n, w: 1}, {h: a, w: 9}]`},
		{"an item that leaves", "l[*].w", `[{h: b, w: 1}]`, `[{h: a, w: 8}, {h: b, w: 9}]`, `[{h: b, w: 9}]`},
		{"a changed item by its name", "l[*].w", `[{name: a, v: 2, w: 1}, {name: n}]`, `[{name: a, v: 1, w: 9}]`, `[{name: a, v: 2, w: 9}, {name: n}]`},
		{"a changed item by its position", "l[*].w", `[{h: z, w: 1}, {h: b, w: 1}]`, `[{h: a, w: 9}, {h: b, w: 8}]`, `[{h: z, w: 9}, {h: b, w: 8}]`},
		{"one item of others", "l[?(@.name=='x')]", `[{name: a}]`, `[{name: x, v: 1}, {name: a}]`, `[{name: x, v: 1}, {name: a}]`},
		{"what cannot be told", "l[*].w", `[{h: y, w: 1}, {h: z, w: 1}]`, `[{h: a, w: 9}]`, ""},
	}
	for _, test := range tests {
		t.Run(test.name+" [D2]", func(t *testing.T) {
			parsed := func(text string) map[string]any {
				var v map[string]any
				require.NoError(t, yaml.Unmarshal([]byte("l: "+text), &v))
				return v
			}
			pattern, err := ParsePattern(test.path)
			require.NoError(t, err)
			got, err := Ignore{pattern}.Overlay(parsed(test.wanted), parsed(test.live), fieldpath.MakePathOrDie("l"))
			if test.want == "" {
				require.ErrorIs(t, err, ErrNoMatch)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, parsed(test.want)["l"], got)
		})
	}
}

func TestReachesBeyond(t *testing.T) {
	fields := fieldpath.NewSet(
		fieldpath.MakePathOrDie("replicas"),
		fieldpath.MakePathOrDie("selector"),
		fieldpath.MakePathOrDie("labels", "a"),
		fieldpath.MakePathOrDie("containers", fieldpath.KeyByFields("name", "web"), "image"),
	)
	for _, test := range []struct {
		name, path, tree string
		want             bool
	}{
		{"a member of the whole", "replicas", `{replicas: 1, labels: {a: x}}`, false},
		{"a member of a known map", "labels.b", `{labels: {a: x}}`, false},
		{"a map that is owned as a whole", "selector.a.b", `{selector: {a: {b: x}}}`, true},
		{"a new map", "annotations.b", `{annotations: {a: x}}`, true},
		{"a new list", "tolerations[*].tolerationSeconds", `{tolerations: [{key: k}]}`, true},
		{"what the manifest has not", "tolerations[*].tolerationSeconds", `{labels: {a: x}}`, false},
		{"a known item", "containers[*].image", `{containers: [{name: web}]}`, false},
		{"a new item", "containers[*].image", `{containers: [{name: web}, {name: new}]}`, true},
		{"another new item", "containers[name=web].image", `{containers: [{name: web}, {name: new}]}`, false},
		{"a new list in a known item", "containers[*].args[*].x", `{containers: [{name: web, args: [{a: 1}]}]}`, true},
	} {
		t.Run(test.name+" [D2]", func(t *testing.T) {
			var tree map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(test.tree), &tree))
			pattern, err := ParsePattern(test.path)
			require.NoError(t, err)
			assert.Equal(t, test.want, Ignore{pattern}.ReachesBeyond(tree, fields))
		})
	}
}

package manifest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// allocated is how many bytes were asked for while work was done.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAliasesOfALongTextAreBounded(t *testing.T) {
	// repeated has a text of some KiB behind an anchor, and aliases of it.
	repeated := func(kib, times int) string {
		return "kind: A\ntext: &t " + strings.Repeat("x", kib<<10) + "\nlist:\n" + strings.Repeat("- *t\n", times)
	}
	for name, c := range map[string]struct{ text, want string }{
		"many aliases of one text": {repeated(400, 4000), "YAML: line 24: the aliases (*) up to here stand for more than 8 MiB of text; "},
		"aliases of aliases": {
			"kind: A\na: &a " + strings.Repeat("x", 1<<10) + "\nb: &b [" + strings.Repeat("*a, ", 100) + "]\nc: &c [" + strings.Repeat("*b, ", 100) + "]\n",
			"YAML: line 4: the aliases (*) up to here",
		},
		"merges of a long text": {
			"kind: A\nm: &m {text: " + strings.Repeat("x", 2<<20) + "}\nlist:\n" + strings.Repeat("- <<: *m\n", 5), "YAML: line 7: the aliases (*) up to here",
		},
	} {
		t.Run(name+" are refused before they are written out [D18]", func(t *testing.T) {
			var failed []*PlacedError
			took := allocated(func() { _, failed = ParseDocuments(c.text) })
			require.Len(t, failed, 1)
			assert.Contains(t, failed[0].Error(), c.want)
			assert.Less(t, took, uint64(100<<20), "bytes for a text of %d", len(c.text))
			_, err := ParseYAML(c.text)
			require.ErrorContains(t, err, c.want)
		})
	}
	t.Run("less than that is read, and each document has a sum of its own [D18]", func(t *testing.T) {
		const size, times = 400, maxAliased / (400<<10 + 1)
		text := "---\nmetadata: {name: a}\n" + repeated(size, times*3/5)
		found, failed := ParseDocuments(text + text)
		assert.Empty(t, failed)
		require.Len(t, found, 2)
		assert.Len(t, found[1].Object["list"], times*3/5)
		_, err := ParseYAML(repeated(size, times+1))
		require.ErrorContains(t, err, fmt.Sprintf("line %d: the aliases", 3+times+1))
	})
	t.Run("an anchor that has itself inside is the parser's to refuse [D18]", func(t *testing.T) {
		_, err := ParseYAML("kind: A\na: &a [*a, *a]\n")
		require.ErrorContains(t, err, "contains itself")
	})
	t.Run("ordinary anchors work as before [D18]", func(t *testing.T) {
		object, err := ParseYAML("kind: A\nlabels: &l {app: web}\nspec: {labels: *l, more: {<<: *l, b: c}, some: [&s 1, *s]}\n")
		require.NoError(t, err)
		assert.Equal(t, map[string]any{
			"labels": map[string]any{"app": "web"}, "more": map[string]any{"app": "web", "b": "c"}, "some": []any{int64(1), int64(1)},
		}, object["spec"])
	})
}

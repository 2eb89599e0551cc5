package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nested is a map of text that is depth maps deep.
func nested(depth, size int) map[string]any {
	object := map[string]any{"description": strings.Repeat("x", size)}
	for range depth {
		object = map[string]any{"properties": object}
	}
	return object
}

func TestWhetherAnObjectIsBigDependsOnItsSizeAndDepth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		object map[string]any
		big    bool
	}{
		{"a small one", nested(3, 1000), false},
		{"a flat one of 100 kB", nested(1, 100_000), false},
		{"a flat one of 1 MB", nested(1, 1_000_000), true},
		{"a deep one of 10 kB", nested(20, 10_000), false},
		{"a deep one of 30 kB", nested(20, 30_000), true},
		{"nothing", nil, false},
	} {
		assert.Equal(t, c.big, IsBig(c.object), c.name)
	}
	// Many small values weigh as much as one of their size.
	many := map[string]any{}
	for i := range 1000 {
		many[fmt.Sprint("key", i)] = []any{strings.Repeat("x", 200)}
	}
	assert.True(t, IsBig(many))
}

func TestTextIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	object := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "web"},
		"data": map[string]any{"a": "<b> & \"c\"\n\u2028\u0001", "replicas": int64(2), "half": 0.5, "none": []any{}, "on": true},
	}
	text, err := Text(object)
	require.NoError(t, err)
	again, ok := ParseText(text)
	require.True(t, ok)
	assert.Equal(t, object, again)
	parsed, err := ParseYAML(text)
	require.NoError(t, err)
	assert.Equal(t, object, parsed)
	for name, other := range map[string]string{
		"YAML": "a: b", "a list": "[]", "formatted JSON": `{"a": 1}`, "keys in another order": `{"b":1,"a":2}`,
		"a key that is there twice": `{"a":1,"a":2}`, "two objects": `{"a":1}{"b":2}`, "nothing": "", "half": `{"a"`,
	} {
		_, ok := ParseText(other)
		assert.False(t, ok, name)
	}
	// Such a number comes from YAML, and passes through Pulumi.
	text, err = Text(map[string]any{"large": int64(1) << 60})
	require.NoError(t, err)
	again, ok = ParseText(text)
	require.True(t, ok)
	assert.Equal(t, map[string]any{"large": float64(1 << 60)}, again)

	_, err = ParseYAML(`{"a":1,"a":2}`)
	require.ErrorContains(t, err, "twice")
	_, err = ParseYAML(`{"apiVersion":"v1","items":[],"kind":"List"}`)
	require.ErrorContains(t, err, "several objects")
}

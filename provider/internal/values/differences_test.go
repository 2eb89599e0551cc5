package values

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// in returns a map below a property.
func in(members map[string]property.Value) property.Map {
	return property.NewMap(map[string]property.Value{"in": property.New(property.NewMap(members))})
}

func TestDifferencesAreNamedAsTheEngineReadsThem(t *testing.T) {
	one, two := property.New("1"), property.New("2")
	none, list := property.New(property.NewArray(nil)), property.New(property.NewArray([]property.Value{one}))
	for name, c := range map[string]struct {
		olds, news map[string]property.Value
		want       map[string]plugin.DiffKind
	}{
		"an empty key":      {map[string]property.Value{"": one}, map[string]property.Value{"": two}, map[string]plugin.DiffKind{`in[""]`: plugin.DiffUpdate}},
		"a quote":           {nil, map[string]property.Value{`a"`: two}, map[string]plugin.DiffKind{`in["a\""]`: plugin.DiffAdd}},
		"a last backslash":  {nil, map[string]property.Value{`a\`: two}, map[string]plugin.DiffKind{`in`: plugin.DiffUpdate}},
		"below a backslash": {map[string]property.Value{`a\`: list}, map[string]property.Value{`a\`: none}, map[string]plugin.DiffKind{`in`: plugin.DiffUpdate}},
		"an item that goes": {map[string]property.Value{"a": list}, map[string]property.Value{"a": none}, map[string]plugin.DiffKind{`in.a[0]`: plugin.DiffDelete}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, Differences(in(c.olds), in(c.news)))
		})
	}
}

func TestEveryDifferenceIsNamedAsTheEngineReadsIt(t *testing.T) {
	one, two := property.New("1"), property.New("2")
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(keys, awkwardKeys).Draw(t, "key")
		for text := range Differences(in(map[string]property.Value{key: one}), in(map[string]property.Value{key: two})) {
			at, err := ParsePath(text)
			require.NoError(t, err, text)
			want := path("in", key)
			if strings.HasSuffix(key, `\`) {
				want = path("in")
			}
			require.Equal(t, want, at)
		}
	})
}

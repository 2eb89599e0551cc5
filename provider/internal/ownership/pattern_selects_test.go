package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatAPatternSelectsAndWhatItMeant(t *testing.T) {
	tree := map[string]any{
		"metadata": map[string]any{
			"labels":      map[string]any{"app.kubernetes.io/name": "web", "app": "web"},
			"annotations": map[string]any{"a.b/c": map[string]any{"d": int64(1)}},
		},
		"spec": map[string]any{"containers": []any{map[string]any{"name": "web", "args": []any{"a"}}}},
	}
	for _, c := range []struct {
		pattern string
		selects bool
		meant   string
	}{
		{"metadata.labels.app", true, ""},
		{`metadata.labels["app.kubernetes.io/name"]`, true, ""},
		{"metadata.labels.app.kubernetes.io/name", false, `metadata.labels["app.kubernetes.io/name"]`},
		{"metadata.annotations.a.b/c.d", false, `metadata.annotations["a.b/c"].d`},
		{"metadata.annotations.a.b/c.e", false, ""},
		{"metadata.labels.tier", false, ""},
		{"metadata.labels.*", true, ""},
		{"spec.containers[name=web].args", true, ""},
		{"spec.containers[name=db].args", false, ""},
		{"spec.containers[*].image", false, ""},
		{`spec.containers[*].args[="a"]`, true, ""},
		{"status", false, ""},
	} {
		t.Run(c.pattern+" [D44]", func(t *testing.T) {
			pattern, err := ParsePattern(c.pattern)
			require.NoError(t, err)
			assert.Equal(t, c.selects, pattern.SelectsIn(tree))
			meant, _ := pattern.Meant(tree)
			if !c.selects {
				assert.Equal(t, c.meant, meant)
			}
			if meant != "" {
				corrected, err := ParsePattern(meant)
				require.NoError(t, err)
				assert.True(t, corrected.SelectsIn(tree))
			}
		})
	}
}

package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
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

func TestAPathWithTwoKeysSelectsNoItemThatLeavesOneOut(t *testing.T) { // [D52]
	ports := map[string]any{"ports": []any{
		map[string]any{"port": int64(53), "targetPort": int64(1)},
		map[string]any{"port": int64(53), "protocol": "UDP", "targetPort": int64(2)},
	}}
	ignoring := func(path string) Ignore {
		pattern, err := ParsePattern(path)
		require.NoError(t, err)
		return Ignore{pattern}.Within(ports)
	}
	targets := func(tree map[string]any) (left []any) {
		for _, port := range tree["ports"].([]any) {
			left = append(left, port.(map[string]any)["targetPort"])
		}
		return left
	}
	for path, want := range map[string][]any{
		"ports[port=53,protocol=UDP].targetPort": {int64(1), nil},
		"ports[port=53,protocol=TCP].targetPort": {nil, int64(2)},
		"ports[port=53].targetPort":              {nil, nil},
	} {
		ignore := ignoring(path)
		assert.Equal(t, want, targets(ignore.Prune(ports)), path)
		for i, protocol := range []string{"TCP", "UDP"} {
			field := fieldpath.MakePathOrDie("ports", fieldpath.KeyByFields("port", 53, "protocol", protocol), "targetPort")
			assert.Equal(t, want[i] == nil, ignore.Covers(field), "%s and %s", path, protocol)
		}
	}
}

func TestAPathInStringDataIsOneInData(t *testing.T) { // [D51]
	for _, path := range []string{"stringData.password", "stringData", "stringData[*]", "data.password"} {
		pattern, err := ParsePattern(path)
		require.NoError(t, err)
		folded := Ignore{pattern}.Folded(map[string]any{"stringData": map[string]any{"password": "x"}, "data": map[string]any{"other": "eA=="}})
		assert.True(t, folded.Covers(fieldpath.MakePathOrDie("data", "password")), path)
		assert.False(t, folded.Covers(fieldpath.MakePathOrDie("data", "other")), path)
		assert.Equal(t, path, folded.String(), "as it is written")
	}
}

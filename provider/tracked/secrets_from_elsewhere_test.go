package tracked_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

func TestAKnownSecretIsFoundInValues(t *testing.T) {
	t.Parallel()
	const multiline = "first line <&>\nsecond \"line\"\n"
	marked := func(tree any, texts ...string) [][]any {
		var marks values.Marks
		tracked.NewKnownSecrets(texts).Mark(&marks, tree)
		return marks.Paths()
	}
	tree := map[string]any{
		"a": "hunter2-hunter2", "b": []any{"x", map[string]any{"url": "https://hunter2-hunter2@db"}}, "c": int64(81000), "d": 1.0, "e": true, "f": nil,
		"g": map[string]any{"hunter2-hunter2": "x"}, "h": multiline, "i": "abc",
	}
	for name, c := range map[string]struct {
		texts []string
		want  [][]any
	}{
		"a scalar, a part of one, and a map with it in a key": {[]string{"hunter2-hunter2"}, [][]any{{"a"}, {"b", 1, "url"}, {"g"}}},
		"a number":                    {[]string{"81000"}, [][]any{{"c"}}},
		"a text of several lines":     {[]string{multiline}, [][]any{{"h"}}},
		"nothing that is too short":   {[]string{"abc", "1", "", "tru"}, nil},
		"nothing where there is none": {[]string{"swordfish"}, nil},
		"nothing without secrets":     {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, marked(tree, c.texts...))
		})
	}
}

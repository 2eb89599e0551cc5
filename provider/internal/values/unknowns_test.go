package values

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnknownPaths(t *testing.T) {
	tree := map[string]any{
		"spec": map[string]any{
			"containers": []any{map[string]any{"name": "web", "image": Unknown{}}, Unknown{}},
			"replicas":   Unknown{},
		},
		"data":     map[string]any{"a.b": Unknown{}, "c": "known"},
		"password": map[string]any{"hunter2": Unknown{}, "x": Unknown{}},
		"token":    Unknown{},
		"secret":   map[string]any{"a": "known"},
	}
	var secrets Marks
	for _, key := range []string{"password", "token", "secret"} {
		secrets.Add(path(key))
	}
	t.Run("they are told in order, and no key of what is secret as a whole [D45]", func(t *testing.T) {
		assert.Equal(t, []string{
			`data["a.b"]`, "password", "spec.containers[0].image", "spec.containers[1]", "spec.replicas", "token",
		}, UnknownPaths(tree, secrets))
	})
	t.Run("the whole tree is the empty path", func(t *testing.T) {
		assert.Equal(t, []string{""}, UnknownPaths(Unknown{}, secrets))
	})
	t.Run("where all is known there are none", func(t *testing.T) {
		assert.Empty(t, UnknownPaths(map[string]any{"a": []any{"b"}}, secrets))
	})
}

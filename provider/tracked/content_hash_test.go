package tracked

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

func TestAHashTellsContentsApart(t *testing.T) {
	content := map[string]any{"spec": map[string]any{"replicas": int64(2), "a": "b"}}
	sum, err := Hash("key", content)
	require.NoError(t, err)

	same, err := Hash("key", values.DeepCopy(content))
	require.NoError(t, err)
	assert.Equal(t, sum, same)
	changed, err := Hash("key", map[string]any{"spec": map[string]any{"replicas": int64(3), "a": "b"}})
	require.NoError(t, err)
	assert.NotEqual(t, sum, changed)
	list, err := Hash("key", []any{content})
	require.NoError(t, err)
	assert.NotEqual(t, sum, list)

	other, err := Hash("other key", content)
	require.NoError(t, err)
	assert.NotEqual(t, sum, other, "without the key, nothing can be tried out against the hash")
	_, err = Hash("key", map[string]any{"a": values.Unknown{}})
	assert.Error(t, err)
}

func TestEveryHashKeyIsAnother(t *testing.T) {
	assert.Len(t, NewHashKey(), 32)
	assert.NotEqual(t, NewHashKey(), NewHashKey())
}

package values

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestATreeIsTheSameAfterItWasText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plain, _, err := FromProperty(propertyValues.Draw(t, "value"))
		require.NoError(t, err)
		text, err := FormatJSON(plain)
		if HasUnknown(plain) {
			require.ErrorIs(t, err, errUnknown)
			return
		}
		require.NoError(t, err)
		again, err := ParseJSON(text)
		require.NoError(t, err)
		require.Equal(t, plain, again)
		same, err := FormatJSON(again)
		require.NoError(t, err)
		require.Equal(t, text, same)
	})
}

func TestTextIsReadableAndInOrder(t *testing.T) {
	t.Parallel()
	text, err := FormatJSON(map[string]any{"b": int64(1), "a": []any{"<x> & y", 0.5, nil}})
	require.NoError(t, err)
	assert.Equal(t, `{"a":["<x> & y",0.5,null],"b":1}`, text)
}

func TestMarksAreTheSameAfterTheyWerePaths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, secrets, err := FromProperty(propertyValues.Draw(t, "value"))
		require.NoError(t, err)
		text, err := json.Marshal(secrets.Paths())
		require.NoError(t, err)
		var paths [][]any
		require.NoError(t, json.Unmarshal(text, &paths))
		again, err := MarksAt(paths)
		require.NoError(t, err)
		require.Equal(t, secrets.Paths(), again.Paths())
	})
	whole, err := MarksAt([][]any{{}})
	require.NoError(t, err)
	assert.True(t, whole.IsSecret(path("any", 1)), "the empty path is that of the whole tree")
	_, err = MarksAt([][]any{{"a", nil}})
	assert.Error(t, err)
}

package diagnosis

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLastLines(t *testing.T) {
	assert.Empty(t, lastLines(""))
	assert.Empty(t, lastLines(" \n\n"))
	assert.Equal(t, []string{"a", "b"}, lastLines("a\n\n\x1b[1;31mb\x1b[0m\x00\r\n"))
	assert.Len(t, lastLines(strings.Repeat("a\n", 30)), maxLogLines)
	t.Run("a line that is too long is cut at its beginning, and a character never", func(t *testing.T) {
		got := lastLines(strings.Repeat("ä", 3000) + "!")
		assert.Len(t, got, 1)
		assert.LessOrEqual(t, len(got[0]), maxLogBytes)
		assert.True(t, strings.HasSuffix(got[0], "ä!"))
		assert.True(t, strings.HasPrefix(got[0], "ä"))
	})
}

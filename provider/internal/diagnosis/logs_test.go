package diagnosis

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLastLines(t *testing.T) {
	assert.Empty(t, lastLines("", 10))
	assert.Empty(t, lastLines(" \n\n", 10))
	assert.Equal(t, []string{"a", "b"}, lastLines("a\n\n\x1b[1;31mb\x1b[0m\x00\r\n", 10))
	assert.Len(t, lastLines(strings.Repeat("a\n", 30), 10), 10)
	t.Run("a line that is too long is cut at its beginning, and a character never", func(t *testing.T) {
		got := lastLines(strings.Repeat("ä", 3000)+"!", 10)
		assert.Len(t, got, 1)
		assert.LessOrEqual(t, len(got[0]), 10*maxLogLine)
		assert.True(t, strings.HasSuffix(got[0], "ä!"))
		assert.True(t, strings.HasPrefix(got[0], "ä"))
	})
}

package waitfor

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestShorten(t *testing.T) {
	assert.Equal(t, "short", shorten("short", 5))
	assert.Equal(t, "abcde…wxyz", shorten("abcdefghijklmnopqrstuvwxyz", 10), "the end is kept, where the cause is")
	long := strings.Repeat("ä", 500) + "!"
	got := shorten(long, longestLine)
	assert.Len(t, []rune(got), longestLine)
	assert.True(t, strings.HasSuffix(got, "!"))
}

func TestUpTo(t *testing.T) {
	assert.Empty(t, upTo(2, nil, "more"))
	assert.Equal(t, []string{"    a", "    b"}, upTo(2, []string{"a", "b"}, "more"))
	assert.Equal(t, []string{"    a", "    b c", "    and 2 more conditions"}, upTo(2, []string{"a", "b\n  c", "d", "e"}, "conditions"))
}

func TestDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"5ms": 5*time.Millisecond + 300*time.Microsecond, "2s": 2003 * time.Millisecond, "1m30s": 90 * time.Second, "10m": 10 * time.Minute,
		"1h0m": time.Hour,
	} {
		assert.Equal(t, want, duration(d))
	}
}

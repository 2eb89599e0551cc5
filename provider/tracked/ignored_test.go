package tracked

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIgnoredPathsCoverWhatIsBelowThem(t *testing.T) {
	ignored := ParseIgnored([]string{"manifest.spec.replicas", `manifest.metadata.labels["a.b/c"]`, "manifest.list[*].x", "a["})
	tests := []struct {
		path string
		want bool
	}{
		{"manifest.spec.replicas", true},
		{"manifest.spec.replicas.more", true},
		{"manifest.spec", false},
		{"manifest.spec.image", false},
		{`manifest.metadata.labels["a.b/c"]`, true},
		{"manifest.metadata.labels.a", false},
		{"manifest.list[3].x", true},
		{"manifest.list[3].y", false},
		{"a[", false},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) { assert.Equal(t, test.want, ignored.Covers(test.path)) })
	}
	assert.False(t, ParseIgnored(nil).Covers("manifest"))
}

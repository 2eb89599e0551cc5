package repository

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decisions is the index of the decisions.
const decisions = "docs/decisions/README.md"

func TestDecisions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "decisions", "[0-9]*.md"))
	require.NoError(t, err)
	index := rows(read(t, decisions))
	require.Len(t, index, len(files), "%s has a row for each decision", decisions)
	for _, row := range index {
		require.Len(t, row, 5, "%s", row)
		parts := regexp.MustCompile(`^\[(.+)\]\((.+)\)$`).FindStringSubmatch(row[1])
		require.NotNil(t, parts, row[1])
		title, file := parts[1], parts[2]
		t.Run(title, func(t *testing.T) {
			text := read(t, "docs/decisions/"+file)
			assert.True(t, strings.HasPrefix(text, "# "+title+"\n\n**Decision.** "), "it begins with its title and the decision")
			assert.True(t, strings.HasPrefix(file, row[0]+"-"), "its number is %s", row[0])
			assert.Regexp(t, `^20\d\d-\d\d-\d\d$`, row[3])
			assert.Regexp(t, `^(in force|replaced by \d+)$`, row[4])
		})
	}
}

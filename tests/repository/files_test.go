package repository

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// named finds what is written as code and is a path of the repository.
var named = regexp.MustCompile("`((?:provider|tests|docs|examples|sdk|release|\\.github|\\.ci)/[A-Za-z0-9_./*-]*[A-Za-z0-9_])`")

// pagesForContributors are the pages that name files, below the root of the repository.
var pagesForContributors = []string{"CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md", "docs/decisions/*.md", ".github/*.md"}

func TestEveryFileThatAPageNamesExists(t *testing.T) {
	seen := 0
	for _, pattern := range pagesForContributors {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		for _, page := range pages {
			page, err := filepath.Rel(root, page)
			require.NoError(t, err)
			for _, match := range named.FindAllStringSubmatch(read(t, page), -1) {
				seen++
				found, err := filepath.Glob(filepath.Join(root, match[1]))
				require.NoError(t, err)
				assert.NotEmpty(t, found, "%s names %s", filepath.ToSlash(page), strings.TrimSpace(match[1]))
			}
		}
	}
	require.Greater(t, seen, 50)
}

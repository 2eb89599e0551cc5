package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link         = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocsLinks follows every link between the pages, the decisions and the README: the file is there,
// and so is the heading.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.Greater(t, len(files), 10)
	links := 0
	for _, file := range files {
		for _, match := range link.FindAllStringSubmatch(prose(t, file), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			links++
			assert.NotContains(t, formerPages, filepath.Base(target), "%s: %s: its content is on other pages", file, match[1])
			path := filepath.Join(filepath.Dir(file), target)
			if target == "" {
				path = file
			}
			if _, err := os.Stat(path); !assert.NoError(t, err, "%s: %s", file, match[1]) || anchor == "" {
				continue
			}
			assert.True(t, anchors(prose(t, path))[anchor], "%s: %s: there is no such heading", file, match[1])
		}
	}
	require.Greater(t, links, 20)
}

// prose is a page without its blocks.
func prose(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return fencedBlock.ReplaceAllString(string(text), "")
}

// anchors are the names that the headings of a page can be linked to by.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, heading := range headingLine.FindAllStringSubmatch(page, -1) {
		name := notInAnchors.ReplaceAllString(strings.ToLower(heading[1]), "")
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}

package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// root is the folder of the repository.
const root = "../.."

// read is the text of a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return string(text)
}

// exists reports whether the repository has a file or folder.
func exists(path string) bool {
	_, err := os.Stat(filepath.Join(root, path))
	return err == nil
}

// section is the part of a page below a heading.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, found, "there is no heading %q", heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// rows are the cells of the tables in a text, without the heads.
func rows(text string) [][]string {
	var found [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		if strings.HasPrefix(line, "|---") {
			found = found[:len(found)-1] // the head
			continue
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		found = append(found, cells)
	}
	return found
}

var fenced = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// blocks are the fenced blocks of a language on a page.
func blocks(page, language string) []string {
	var found []string
	for _, match := range fenced.FindAllStringSubmatch(page, -1) {
		if match[1] == language {
			found = append(found, match[2])
		}
	}
	return found
}

// code takes the backquotes off a cell of a table.
func code(cell string) string { return strings.Trim(cell, "`") }

package repository

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// markers are phrases that make a comment hard to read aloud: pronouns that stand for a noun a line above, and words that say less
// than a plain verb. One now and then is fine.
var markers = regexp.MustCompile(`\b(?:` + strings.Join([]string{
	`but for`, `those of`, `that of`, `the one of`, `what there is`, `what is there`, `what it is`, `what they are`, `go(?:es)? on`,
	`tells? \S+(?: \S+)? from`, `(?:of|with|by|for) which`, `of others`, `of before`, `of no`, `of nobody`, `of use`, `anybody`, `somebody`,
	`nobody`, `anew`, `in vain`, `(?:is|are|was|were) to be`, `since when`, `whatever`, `whoever`, `by now`, `any more`, `as it was`,
	`as they were`, `makes? room`, `another one`, `for good`,
}, "|") + `)\b`)

// mostMarkers is how many of them a package may have for each thousand words of its comments.
const mostMarkers = 4.0

func TestCommentsCanBeReadAloud(t *testing.T) {
	type counted struct {
		words, markers int
		found          []string
	}
	packages := map[string]*counted{}
	files := token.NewFileSet()
	err := filepath.WalkDir(filepath.Join(root, "provider"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		of := packages[filepath.Dir(path)]
		if of == nil {
			of = &counted{}
			packages[filepath.Dir(path)] = of
		}
		for _, group := range file.Comments {
			text := strings.ToLower(strings.Join(strings.Fields(group.Text()), " "))
			of.words += len(strings.Fields(text))
			found := markers.FindAllString(text, -1)
			of.markers, of.found = of.markers+len(found), append(of.found, found...)
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, len(packages), 20)
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		of := packages[folder]
		if of.words < 300 {
			continue
		}
		share := 1000 * float64(of.markers) / float64(of.words)
		assert.LessOrEqual(t, share, mostMarkers, "%s: %d in %d words: %s", folder, of.markers, of.words, strings.Join(of.found, ", "))
	}
}

package repository

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readsAPage finds where a test reads a page of docs/.
var readsAPage = regexp.MustCompile(`"docs"|"(?:\.\./)*docs/`)

// withPrograms are the tests that prove the programs on pages in the languages of SDKs. CI runs them on every change.
const withPrograms = "./tests/sdk"

func TestChangesOfPagesRunEveryTestThatReadsThem(t *testing.T) {
	lists := regexp.MustCompile(`(?m)^(?:PROVE|READ)_PAGES := (.*)$`).FindAllStringSubmatch(read(t, "Makefile"), -1)
	require.Len(t, lists, 2)
	want := []string{withPrograms}
	for _, list := range lists {
		want = append(want, strings.Fields(list[1])...)
	}
	found := map[string]bool{}
	for _, folder := range []string{"provider", "tests", "release"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, "_test.go") {
				return err
			}
			relative, err := filepath.Rel(root, file)
			require.NoError(t, err)
			relative = filepath.ToSlash(relative)
			if readsAPage.MatchString(read(t, relative)) && !slices.Contains(namesNoPage, relative) {
				found["./"+path.Dir(relative)] = true
			}
			return nil
		}))
	}
	var all []string
	for folder := range found {
		all = append(all, folder)
	}
	assert.ElementsMatch(t, want, all, `"make docs-check" runs PROVE_PAGES and READ_PAGES of the Makefile`)
}

// namesNoPage are tests in which such names are those of other files.
var namesNoPage = []string{"provider/internal/chartsource/folder_test.go", "tests/release/ci_test.go"}

// Package charts has the Helm charts of the tests: one for each thing that charts do. The folders are in testdata; those in
// the folder ci of a chart are files of values that it is rendered with, beside its defaults.
package charts

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Folder returns the path of a chart's folder.
func Folder(t testing.TB, name string) string {
	t.Helper()
	folder := filepath.Join(testdata(t), name)
	require.FileExists(t, filepath.Join(folder, "Chart.yaml"))
	return folder
}

// Names lists the charts.
func Names(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(testdata(t))
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// Values lists the files of values of a chart's folder.
func Values(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "ci", "*-values.yaml"))
	require.NoError(t, err)
	return files
}

// Files reads all files below a folder, by their names relative to it, with slashes.
func Files(t testing.TB, folder string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		found[filepath.ToSlash(relative)], err = os.ReadFile(path)
		return err
	}))
	return found
}

// testdata is found from the folder of the test that runs: a binary that is built with -trimpath does not know where its
// source is.
func testdata(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		found := filepath.Join(folder, "tests", "charts", "testdata")
		if _, err := os.Stat(found); err == nil {
			return found
		}
		above := filepath.Dir(folder)
		require.NotEqual(t, above, folder, "no tests/charts/testdata above the folder of the test")
		folder = above
	}
}

package chartsource

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
)

func TestAFolderHasTheFilesThatHelmFindsInIt(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"all of them":                          {"values.yaml": "", "templates/_helpers.tpl": "", "crds/a.yaml": "", "files/deep/er.txt": "x"},
		"but those that .helmignore lists":     {".helmignore": "# none\n*.md\n/docs/\ntests/\n", "README.md": "", "docs/a.txt": "", "a/docs/b.txt": "", "a/tests/c.txt": "", "keep.txt": ""},
		"but hidden ones among the templates":  {"templates/.swp": "", "templates/a.yaml": "", ".hidden": ""},
		"with .helmignore's negation":          {".helmignore": "!*.yaml\n", "a.yaml": "", "b.txt": ""},
		"without the marks of byte order":      {"values.yaml": "\xEF\xBB\xBFa: 1\n"},
		"in their order":                       {"b.yaml": "", "a/b.yaml": "", "a.yaml": "", "a-b.yaml": "", "B.yaml": ""},
		"with packed charts, as they are":      {"charts/sub/Chart.yaml": "name: sub\nversion: 1.0.0\n", "charts/sub/values.yaml": "a: 1\n"},
		"with an empty list of what to ignore": {".helmignore": ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := chartserver.WriteFolder(t, t.TempDir(), "app", "1.0.0", files)
			chart, err := loader.LoadDir(folder)
			require.NoError(t, err)
			got := mustRead(t, folder)
			require.Len(t, got, len(chart.Raw))
			for i, file := range chart.Raw {
				assert.Equal(t, file.Name, got[i].Name)
				assert.Equal(t, string(file.Data), string(got[i].Data))
			}
		})
	}
}

func TestLinksInAFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("making links needs rights on Windows")
	}
	write := func(t *testing.T) (string, string) {
		t.Helper()
		root := t.TempDir()
		chartserver.WriteFolder(t, root, "common", "1.0.0", map[string]string{"templates/_lib.tpl": "x"})
		return root, chartserver.WriteFolder(t, root, "app", "1.0.0", map[string]string{"values.yaml": "a: 1\n", "charts/.keep": ""})
	}
	t.Run("are followed, as helm does, also out of it", func(t *testing.T) {
		t.Parallel()
		root, folder := write(t)
		require.NoError(t, os.Symlink(filepath.Join(root, "common"), filepath.Join(folder, "charts", "common")))
		require.NoError(t, os.Symlink("values.yaml", filepath.Join(folder, "again.yaml")))
		chart, err := loader.LoadDir(folder)
		require.NoError(t, err)
		var want []string
		for _, file := range chart.Raw {
			want = append(want, file.Name)
		}
		assert.Equal(t, want, fileNames(mustRead(t, folder)))
		assert.Contains(t, want, "charts/common/templates/_lib.tpl")
	})
	t.Run("to a chart lead to it", func(t *testing.T) {
		t.Parallel()
		root, folder := write(t)
		require.NoError(t, os.Symlink(folder, filepath.Join(root, "link")))
		assert.Equal(t, mustRead(t, folder), mustRead(t, filepath.Join(root, "link")))
	})
	t.Run("to a folder that contains them are refused [H16]", func(t *testing.T) {
		t.Parallel()
		_, folder := write(t)
		require.NoError(t, os.Symlink("..", filepath.Join(folder, "charts", "loop")))
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: folder})
		refused(t, err, Refused, "charts/loop is a link to a folder that contains it")
		require.NoError(t, os.WriteFile(filepath.Join(folder, ".helmignore"), []byte("loop/\n"), 0o600))
		_, err = newFetcher(t).Fetch(t.Context(), Source{Chart: folder})
		require.NoError(t, err)
	})
	t.Run("that lead nowhere are errors, unless they are ignored [D74]", func(t *testing.T) {
		t.Parallel()
		_, folder := write(t)
		require.NoError(t, os.Symlink("nowhere", filepath.Join(folder, "broken")))
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: folder})
		refused(t, err, NotFound, "broken is a link to nowhere, which is not there")
		assert.NotContains(t, err.Error(), "permissions")
		require.NoError(t, os.WriteFile(filepath.Join(folder, ".helmignore"), []byte("broken\n"), 0o600))
		_, err = newFetcher(t).Fetch(t.Context(), Source{Chart: folder})
		require.NoError(t, err)
	})
	t.Run("to a device are refused", func(t *testing.T) {
		t.Parallel()
		_, folder := write(t)
		require.NoError(t, os.Symlink("/dev/zero", filepath.Join(folder, "zero")))
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: folder})
		refused(t, err, Refused, "neither a file nor a folder")
	})
}

func TestAFolderHasLimits(t *testing.T) {
	t.Parallel()
	folder := chartserver.WriteFolder(t, t.TempDir(), "app", "1.0.0", map[string]string{"big": strings.Repeat("x", 3000), "also": strings.Repeat("x", 3000)})
	for name, c := range map[string]struct {
		limits limits
		part   string
	}{
		"for a file [H16]":    {limits{unpacked: 2000, files: 10}, "together"},
		"for all of them":     {limits{unpacked: 5000, files: 10}, "together"},
		"for how many it has": {limits{unpacked: 1 << 20, files: 2}, "more than 2 files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetcher := newFetcher(t)
			fetcher.limits = c.limits
			_, err := fetcher.Fetch(t.Context(), Source{Chart: folder})
			refused(t, err, Refused, c.part, ".helmignore")
		})
	}
	t.Run("and a list of what to ignore that is understood", func(t *testing.T) {
		t.Parallel()
		folder := chartserver.WriteFolder(t, t.TempDir(), "app", "1.0.0", map[string]string{".helmignore": "a/**/b\n"})
		_, err := newFetcher(t).Fetch(t.Context(), Source{Chart: folder})
		refused(t, err, Malformed, ".helmignore", "double-star")
	})
}

func TestTheDigestOfAFolder(t *testing.T) {
	t.Parallel()
	files := []File{{"a", []byte("1")}, {"b", []byte("2")}}
	assert.Equal(t, digestOfFiles(files), digestOfFiles([]File{files[1], files[0]}), "does not depend on the order")
	for name, other := range map[string][]File{
		"depends on the contents":                       {{"a", []byte("1")}, {"b", []byte("3")}},
		"depends on the names":                          {{"a", []byte("1")}, {"c", []byte("2")}},
		"depends on where one ends and the next begins": {{"a", []byte("1b2")}},
		"depends on all files":                          {{"a", []byte("1")}},
	} {
		assert.NotEqual(t, digestOfFiles(files), digestOfFiles(other), name)
	}
}

package release_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// forPages are the jobs of CI that changes of pages do not skip, beside those that every run has.
var forPages = []string{"docs", "sdk"}

func TestCI(t *testing.T) {
	var ci workflow
	readYAML(t, ".github/workflows/ci.yml", &ci)

	t.Run("it runs every part of make test, and each in one job", func(t *testing.T) {
		var called []string
		for _, job := range ci.Jobs {
			for _, step := range job.Steps {
				if step.Run != "" {
					called = append(called, commands(t, step.Run, job.Strategy.Matrix)...)
				}
			}
		}
		want := []string{"test-lint"}
		for _, part := range slices.Sorted(maps.Keys(parts(t))) {
			want = append(want, "test-"+part)
		}
		for _, target := range want {
			assert.Len(t, slices.DeleteFunc(slices.Clone(called), func(c string) bool { return c != target }), 1, target)
		}
	})
	t.Run("elsewhere one script runs all of it", func(t *testing.T) {
		path := filepath.Join(root, ".ci", "run")
		script, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Contains(t, string(script), "\nexec make test </dev/null\n")
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&0o100, "it cannot be executed")
	})
	t.Run("one job speaks for all others", func(t *testing.T) {
		speaker := ci.Jobs["ci"]
		others := slices.DeleteFunc(slices.Collect(maps.Keys(ci.Jobs)), func(id string) bool { return id == "ci" })
		assert.ElementsMatch(t, others, speaker.Needs)
		assert.Equal(t, "always()", speaker.If)
		assert.Equal(t, []workflowStep{{
			If:  "contains(needs.*.result, 'failure') || contains(needs.*.result, 'cancelled')",
			Run: "exit 1",
		}}, speaker.Steps)
	})
	t.Run("changes of pages skip only what they cannot break", func(t *testing.T) {
		for id, job := range ci.Jobs {
			switch {
			case id == "docs":
				assert.Equal(t, "needs.changes.outputs.code != 'true'", job.If)
			case slices.Contains(forPages, id), id == "changes", id == "tools", id == "ci":
				assert.NotContains(t, job.If, "outputs.code", id)
				continue
			default:
				assert.Equal(t, "needs.changes.outputs.code == 'true'", job.If, id)
			}
			assert.Contains(t, job.Needs, "changes", id)
		}
	})
	t.Run("the tools are kept and found by one key, that of what they are built from", func(t *testing.T) {
		keys := map[string]int{}
		for _, job := range ci.Jobs {
			for _, step := range withActions(t, job.Steps) {
				if step.With["path"] == "bin" {
					keys[step.With["key"].(string)]++
				}
			}
		}
		require.Len(t, keys, 1, "%v", keys)
		for key := range keys {
			for _, source := range []string{"'Makefile'", "'tests/tools.mk'", "'tests/cluster/cluster.mk'", "'**/go.mod'", "'**/go.sum'", "'tests/cluster/controlplane/**'"} {
				assert.Contains(t, key, source)
			}
		}
	})
}

// Changes are made in a repository of its own, in which the script lies where it lies in ours.
func TestChangesOfPagesAreToldFromOthers(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(filepath.Join(root, ".ci", "changes"))
	require.NoError(t, err)
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		out, err := inFolder(dir, "git", append([]string{"-c", "user.name=test", "-c", "user.email=test@example.com",
			"-c", "commit.gpgsign=false"}, args...)...)
		require.NoError(t, err, out)
	}
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	git("init", "--quiet")
	write(".ci/changes", string(script))
	write("main.go", "package main\n")
	git("add", ".")
	git("commit", "--quiet", "-m", "first")
	git("tag", "first")

	for name, test := range map[string]struct {
		since   string
		files   []string
		renamed bool // from main.go to the only file
		want    string
	}{
		"no file at all":                      {since: "first", want: "code=true"},
		"pages and pictures":                  {since: "first", files: []string{"docs/waiting.md", "docs/pictures/wait.svg", "README.md", ".github/PULL_REQUEST_TEMPLATE.md"}, want: "code=false"},
		"a page among other files":            {since: "first", files: []string{"docs/waiting.md", "provider/wait/wait.go"}, want: "code=true"},
		"a description in the schema":         {since: "first", files: []string{"provider/wait/descriptions.md"}, want: "code=true"},
		"an example":                          {since: "first", files: []string{"examples/wait/README.md"}, want: "code=true"},
		"a name with a space and a quote":     {since: "first", files: []string{`docs/a "b.md`, `tests/a "b.md`}, want: "code=true"},
		"a file at the top that is no page":   {since: "first", files: []string{"LICENSE"}, want: "code=true"},
		"a workflow":                          {since: "first", files: []string{".github/workflows/ci.yml"}, want: "code=true"},
		"a file of code that becomes a page":  {since: "first", files: []string{"docs/main.md"}, renamed: true, want: "code=true"},
		"a push that begins a branch":         {since: strings.Repeat("0", 40), files: []string{"README.md"}, want: "code=true"},
		"a run without a commit to begin at":  {since: "", files: []string{"README.md"}, want: "code=true"},
		"a page after a commit that is there": {since: "HEAD~1", files: []string{"CHANGELOG.md"}, want: "code=false"},
	} {
		t.Run(name, func(t *testing.T) {
			git("checkout", "--quiet", "--detach", "first")
			if test.renamed {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, "docs"), 0o755))
				git("mv", "main.go", test.files[0])
			} else {
				for _, file := range test.files {
					write(file, "changed\n")
				}
				git("add", ".")
			}
			git("commit", "--quiet", "--allow-empty", "-m", name)
			out, err := inFolder(dir, filepath.Join(dir, ".ci", "changes"), test.since)
			require.NoError(t, err, out)
			assert.Equal(t, test.want+"\n", out)
		})
	}
}

package release_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// part are the packages of a part of "make test", by whether the race detector watches them.
type part map[string][]string

// parts are those of "make test", by name.
func parts(t *testing.T) map[string]part {
	t.Helper()
	out, err := inFolder(root, "make", "--silent", "--no-print-directory", "test-parts")
	require.NoError(t, err, out)
	found := map[string]part{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		require.Len(t, fields, 3, line)
		if found[fields[0]] == nil {
			found[fields[0]] = part{}
		}
		require.Contains(t, []string{"plain", "raced"}, fields[1])
		found[fields[0]][fields[1]] = append(found[fields[0]][fields[1]], fields[2])
	}
	return found
}

func TestThePartsOfMakeTest(t *testing.T) {
	const ours = "github.com/k8sconnect/pulumi-k8sconnect"
	var tested []string
	detector := map[string]string{}
	for _, part := range parts(t) {
		for how, packages := range part {
			for _, name := range packages {
				tested, detector[name] = append(tested, name), how
			}
		}
	}
	modules := modulesWithTests(t)

	t.Run("each package is in one of them", func(t *testing.T) {
		var want []string
		for _, module := range modules {
			out, err := inFolder(filepath.Join(root, module), "go", "list", "./...")
			require.NoError(t, err, out)
			want = append(want, strings.Fields(out)...)
		}
		assert.Contains(t, want, ours+"/tests/release")
		assert.ElementsMatch(t, want, tested)
	})
	t.Run("the race detector watches what of the provider shares values between goroutines, but not how it renders", func(t *testing.T) {
		rendering := []string{ours + "/provider/internal/chart", ours + "/provider/internal/draws"}
		out, err := inFolder(root, "go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./provider/...")
		require.NoError(t, err, out)
		for line := range strings.Lines(out) {
			name, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
			if !slices.Contains(rendering, name) && regexp.MustCompile(`\b(golang\.org/x/)?sync(/\w+)?( |$)`).MatchString(imports) {
				assert.Equal(t, "raced", detector[name], name)
			}
		}
		assert.Equal(t, "raced", detector[ours+"/provider/internal/cluster"])
		assert.Equal(t, "raced", detector[ours+"/tests/concurrency"])
	})
	t.Run("CI has it watch the calls of the engine, too", func(t *testing.T) {
		out, err := inFolder(root, "env", "RACED_rpc=tests/engine", "make", "--silent", "--no-print-directory", "test-parts")
		require.NoError(t, err, out)
		assert.Contains(t, out, "rpc raced "+ours+"/tests/engine/rpc\n")
		workflow, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "ci.yml"))
		require.NoError(t, err)
		assert.Contains(t, string(workflow), "RACED_rpc: tests/engine ")
	})
	t.Run("all of it is make test", func(t *testing.T) {
		out, err := inFolder(root, "make", "--dry-run", "--no-print-directory", "test-all")
		require.NoError(t, err, out)
		for _, pattern := range []string{"cd tests/engine ", "./rpc) ", "./tests/sdk ", "/provider/object ", "/provider/internal/chart ", "/tests/release ", "cd examples/operator "} {
			assert.True(t, strings.Contains(out, pattern), pattern)
		}
	})
}

// modulesWithTests are the folders of the modules that have tests. Those in sdk/ are generated, without any.
func modulesWithTests(t *testing.T) []string {
	t.Helper()
	var modules, tests []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "bin" || name == "node_modules" || name == "testdata" || name == ".git"):
			return fs.SkipDir
		case name == "go.mod":
			modules = append(modules, filepath.Dir(path))
		case strings.HasSuffix(name, "_test.go"):
			tests = append(tests, filepath.Dir(path))
		}
		return nil
	}))
	found := map[string]bool{}
	for _, folder := range tests {
		for !slices.Contains(modules, folder) {
			folder = filepath.Dir(folder)
		}
		relative, err := filepath.Rel(root, folder)
		require.NoError(t, err)
		found[relative] = true
	}
	assert.True(t, found["."])
	var all []string
	for module := range found {
		all = append(all, module)
	}
	return all
}

// inFolder runs a program and returns what it prints.
func inFolder(dir, program string, args ...string) (string, error) {
	command := exec.Command(program, args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	return string(out), err
}

package repository

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

// pagesWithCommands are the pages whose commands are compared with what there is.
var pagesWithCommands = []string{
	"CONTRIBUTING.md", "SECURITY.md", "RELEASING.md", "README.md", "docs/architecture.md", ".github/PULL_REQUEST_TEMPLATE.md",
}

var (
	makeCommand = regexp.MustCompile("(?m)(?:^|[`&] ?)make ((?:[a-z][a-z0-9-]*|[A-Z_]+=\\S*)(?: (?:[a-z][a-z0-9-]*|[A-Z_]+=[^ `]*))*)")
	testCommand = regexp.MustCompile(`(?m)go (?:-C (\S+) )?test (\./\S*|\.) -run '([^']+)'((?: -[a-z.]+(?:=\w+)?)*)`)
	codeOfALine = regexp.MustCompile("`[^`\n]+`")
)

func TestContributing(t *testing.T) {
	makefile, err := checkout.Makefile()
	require.NoError(t, err)

	t.Run("every target of make that a page names is there, with its help", func(t *testing.T) {
		for _, page := range pagesWithCommands {
			targets := targetsOn(read(t, page))
			for _, target := range targets {
				documented := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:.* ## `)
				assert.True(t, documented.MatchString(makefile), "%s: make %s", page, target)
			}
		}
		assert.Greater(t, len(targetsOn(read(t, "CONTRIBUTING.md"))), 10)
	})
	t.Run("every command for tests names a package, tests in it, and flags that they have", func(t *testing.T) {
		commands := testCommand.FindAllStringSubmatch(read(t, "CONTRIBUTING.md"), -1)
		require.Greater(t, len(commands), 10)
		for _, command := range commands {
			source := testsOf(t, filepath.Join(command[1], command[2]))
			pattern, part, _ := strings.Cut(command[3], "/")
			function := regexp.MustCompile(`(?m)^func (` + pattern + `)\w*\(`)
			assert.True(t, function.MatchString(source), command[0])
			assert.True(t, strings.Contains(source, strings.ReplaceAll(part, "_", " ")), command[0])
			for flag := range strings.FieldsSeq(command[4]) {
				name, value, _ := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
				switch {
				case name == "v":
				case name == "fuzz":
					assert.Equal(t, pattern, value, command[0])
				case strings.HasPrefix(name, "rapid."):
					assert.True(t, strings.Contains(source, `"pgregory.net/rapid"`), command[0])
				default:
					declared := regexp.MustCompile(`flag\.\w+\("` + name + `"`)
					assert.True(t, declared.MatchString(source), "%s: %s", command[0], flag)
				}
			}
		}
	})
	t.Run("there is a command for every folder of tests", func(t *testing.T) {
		entries, err := os.ReadDir(filepath.Join(root, "tests"))
		require.NoError(t, err)
		page := read(t, "CONTRIBUTING.md")
		for _, entry := range entries {
			switch name := entry.Name(); {
			case name == "node": // by make, as root
				assert.True(t, strings.Contains(page, "`make test-node`"))
			case name == "cluster": // the tests of a tool for tests
			case len(glob(t, "tests/"+name+"/*_test.go")) > 0:
				folder := regexp.MustCompile(`go (-C tests/` + name + ` test \.|test \./tests/` + name + `) -run `)
				assert.True(t, folder.MatchString(page), "tests/%s", name)
			}
		}
	})
	t.Run("every letter of a case is in the table, and every letter in the table has a case", func(t *testing.T) {
		var listed []string
		for _, row := range rows(subsection(t, read(t, "CONTRIBUTING.md"), "The number of a case")) {
			listed = append(listed, row[0])
		}
		assert.ElementsMatch(t, lettersOfCases(t), listed)
	})
	t.Run("it asks for the Go that the module asks for", func(t *testing.T) {
		version := regexp.MustCompile(`(?m)^go ((\d+\.\d+)\S*)`).FindStringSubmatch(read(t, "go.mod"))
		require.NotNil(t, version)
		for _, page := range []string{"CONTRIBUTING.md", "README.md", "Makefile", "docs/installation-configuration.md"} {
			assert.True(t, strings.Contains(read(t, page), "Go "+version[1]), page)
		}
		// The container has the newest patch.
		assert.Contains(t, read(t, ".devcontainer/devcontainer.json"), `"version": "`+version[2]+`"`)
	})
}

// targetsOn are the targets of make that a page names, in its blocks and as code in its lines.
func targetsOn(page string) []string {
	text := strings.Join(blocks(page, "sh"), "\n") + "\n" + strings.Join(codeOfALine.FindAllString(page, -1), "\n")
	var targets []string
	for _, match := range makeCommand.FindAllStringSubmatch(text, -1) {
		for word := range strings.FieldsSeq(match[1]) {
			if !strings.Contains(word, "=") {
				targets = append(targets, word)
			}
		}
	}
	return targets
}

// testsOf is the text of all tests of a package.
func testsOf(t *testing.T, folder string) string {
	t.Helper()
	files := glob(t, folder+"/*_test.go")
	require.NotEmpty(t, files, "%s has no tests", folder)
	var text strings.Builder
	for _, file := range files {
		text.WriteString(read(t, file))
	}
	return text.String()
}

// glob lists files of the repository.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, pattern))
	require.NoError(t, err)
	for i, file := range found {
		relative, err := filepath.Rel(root, file)
		require.NoError(t, err)
		found[i] = filepath.ToSlash(relative)
	}
	return found
}

// subsection is the part of a page below a heading of the third level.
func subsection(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, found := strings.Cut(page, "\n### "+heading+"\n")
	require.True(t, found, "there is no heading %q", heading)
	return regexp.MustCompile(`(?m)^##`).Split(text, 2)[0]
}

// lettersOfCases are the letters that begin the numbers of cases in the names of tests.
func lettersOfCases(t *testing.T) []string {
	t.Helper()
	number, seen := regexp.MustCompile(`\[([A-Z])\d+\]`), map[string]bool{}
	var letters []string
	for _, pattern := range []string{"tests/*/*_test.go", "provider/*/*_test.go", "provider/internal/*/*_test.go"} {
		for _, file := range glob(t, pattern) {
			for _, match := range number.FindAllStringSubmatch(read(t, file), -1) {
				if !seen[match[1]] {
					seen[match[1]], letters = true, append(letters, match[1])
				}
			}
		}
	}
	return letters
}

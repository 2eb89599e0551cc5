package repository

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"
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

func TestEveryFileThatAPackageCommentNamesExists(t *testing.T) {
	file := regexp.MustCompile(`(?:^|[\s(])([a-z_]+\.go)\b`)
	seen := 0
	for _, doc := range slices.Concat(glob(t, "provider/*/doc.go"), glob(t, "provider/*/*/doc.go"), glob(t, "tests/*/doc.go")) {
		for line := range strings.Lines(read(t, doc)) {
			if !strings.HasPrefix(line, "//") {
				continue
			}
			for _, match := range file.FindAllStringSubmatch(line, -1) {
				seen++
				assert.FileExists(t, filepath.Join(root, filepath.Dir(doc), match[1]), "%s names %s", doc, match[1])
			}
		}
	}
	require.Greater(t, seen, 20)
}

// small is how many files a package may have without a comment that says of each file what it has.
const small = 3

func TestAPackageCommentNamesAllFiles(t *testing.T) {
	name := regexp.MustCompile(`\b[a-z0-9_]+\.go\b`)
	sources := map[string][]string{}
	for _, file := range slices.Concat(
		glob(t, "provider/*.go"), glob(t, "provider/*/*.go"), glob(t, "provider/*/*/*.go"), glob(t, "examples/operator/internal/*/*.go"), glob(t, "examples/operator/api/*/*.go"),
	) {
		if base := path.Base(file); base != "doc.go" && !strings.HasSuffix(base, "_test.go") && !strings.HasPrefix(base, "zz_generated.") {
			sources[path.Dir(file)] = append(sources[path.Dir(file)], base)
		}
	}
	require.Greater(t, len(sources), 50)
	for folder, files := range sources {
		if len(files) <= small {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			doc, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, folder, "doc.go"), nil, parser.ParseComments)
			require.NoError(t, err)
			require.NotNil(t, doc.Doc)
			named := name.FindAllString(doc.Doc.Text(), -1)
			for _, file := range files {
				assert.True(t, slices.Contains(named, file), "%s/doc.go does not say what %s has", folder, file)
			}
			for _, file := range named {
				assert.True(t, slices.Contains(files, file), "%s/doc.go names %s, which does not exist", folder, file)
			}
		})
	}
}

func TestFilesForTools(t *testing.T) {
	t.Run("every YAML and JSON file of them can be read", func(t *testing.T) {
		for _, pattern := range []string{".github/*/*.yml", ".devcontainer/*.json", "renovate.json", ".golangci.yml"} {
			files := glob(t, pattern)
			require.NotEmpty(t, files, pattern)
			for _, file := range files {
				var content map[string]any
				require.NoError(t, yaml.UnmarshalStrict([]byte(read(t, file)), &content), file)
			}
		}
	})
	for _, file := range glob(t, ".github/ISSUE_TEMPLATE/*.yml") {
		if strings.HasSuffix(file, "/config.yml") {
			continue
		}
		t.Run(file+" is a form that GitHub takes", func(t *testing.T) {
			var form struct {
				Name, Description string
				Labels            []string
				Body              []struct {
					Type, ID    string
					Attributes  struct{ Label, Value, Description, Placeholder, Render string }
					Validations struct{ Required bool }
				}
			}
			require.NoError(t, yaml.UnmarshalStrict([]byte(read(t, file)), &form))
			assert.NotEmpty(t, form.Name)
			assert.NotEmpty(t, form.Description)
			ids := map[string]bool{}
			for _, part := range form.Body {
				if part.Type == "markdown" {
					assert.NotEmpty(t, part.Attributes.Value)
					continue
				}
				assert.Contains(t, []string{"input", "textarea"}, part.Type)
				assert.NotEmpty(t, part.Attributes.Label)
				assert.Regexp(t, `^[a-z]+$`, part.ID)
				assert.False(t, ids[part.ID], "%s is there twice", part.ID)
				ids[part.ID] = true
			}
			assert.NotEmpty(t, ids, "GitHub wants something to fill in")
		})
	}
	t.Run("vulnerabilities are reported in one place, in private", func(t *testing.T) {
		const address = "https://github.com/k8sconnect/pulumi-k8sconnect/security/advisories/new"
		for _, file := range []string{"SECURITY.md", ".github/ISSUE_TEMPLATE/config.yml", ".github/ISSUE_TEMPLATE/bug.yml"} {
			assert.True(t, strings.Contains(read(t, file), address), file)
		}
	})
}

// renovate is what is checked of renovate.json.
type renovate struct {
	IgnorePresets  []string
	CustomManagers []struct {
		Description                       string
		ManagerFilePatterns, MatchStrings []string
	}
	PackageRules []struct {
		Description                       string
		MatchFileNames, MatchPackageNames []string
	}
}

func TestRenovateFindsWhatIsPinned(t *testing.T) {
	var config renovate
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "renovate.json")), &config))

	t.Run("it does not pass over the folder of tests, which its defaults ignore", func(t *testing.T) {
		assert.Contains(t, config.IgnorePresets, ":ignoreModulesAndTests")
	})
	t.Run("every pattern finds a version in a file that is there", func(t *testing.T) {
		for _, manager := range config.CustomManagers {
			require.Len(t, manager.ManagerFilePatterns, 1)
			require.Len(t, manager.MatchStrings, 1)
			file := strings.NewReplacer("/^", "", "$/", "", `\`, "").Replace(manager.ManagerFilePatterns[0])
			pattern, err := regexp.Compile(manager.MatchStrings[0])
			require.NoError(t, err)
			found := pattern.FindStringSubmatch(read(t, file))
			require.NotNil(t, found, manager.Description)
			assert.Regexp(t, `^\d+\.\d+\.\d+$`, found[pattern.SubexpIndex("currentValue")])
		}
	})
	t.Run("every rule is about files and packages that are there", func(t *testing.T) {
		for _, rule := range config.PackageRules {
			pins := ""
			for _, file := range rule.MatchFileNames {
				pins += read(t, file)
			}
			for _, name := range rule.MatchPackageNames {
				if pins != "" && !strings.HasSuffix(name, "**") {
					assert.True(t, strings.Contains(pins, name+" v"), "%s: %s", rule.Description, name)
				}
			}
		}
	})
	t.Run("every tool that a module pins is updated, although the module notes it as indirect", func(t *testing.T) {
		tool := regexp.MustCompile(`(?m)^(?:tool |\t)([a-z0-9.-]+\.[a-z]+/\S+)$`)
		for _, file := range glob(t, "tests/*/go.mod") {
			if file == "tests/engine/go.mod" {
				continue // What it pins is what its packages import.
			}
			tools := tool.FindAllStringSubmatch(read(t, file), -1)
			require.NotEmpty(t, tools, file)
			for _, found := range tools {
				assert.True(t, config.updates(file, found[1]), "%s: %s", file, found[1])
			}
		}
	})
}

// updates reports whether a rule is about the module of a package in a file.
func (r renovate) updates(file, name string) bool {
	for _, rule := range r.PackageRules {
		for _, module := range rule.MatchPackageNames {
			if slices.Contains(rule.MatchFileNames, file) && strings.HasPrefix(name+"/", module+"/") {
				return true
			}
		}
	}
	return false
}

// What two modules need in the same version is compiled once. From empty caches that decides how long the tests take.
func TestModulesNeedTheVersionsOfTheRoot(t *testing.T) {
	requirement := regexp.MustCompile(`(?m)^(?:require |\t)(\S+) (v\S+)`)
	versionsIn := func(file string) map[string]string {
		versions := map[string]string{}
		for _, found := range requirement.FindAllStringSubmatch(read(t, file), -1) {
			versions[found[1]] = found[2]
		}
		return versions
	}
	root := versionsIn("go.mod")
	for _, file := range []string{
		"examples/automation-go/go.mod", "examples/operator/go.mod", "examples/operator/tools/go.mod", "tests/engine/go.mod", "tests/helm/go.mod", "tests/pulumi/go.mod",
	} {
		for module, version := range versionsIn(file) {
			if want := root[module]; want != "" {
				assert.GreaterOrEqual(t, semver.Compare(version, want), 0, "%s: go get %s@%s", file, module, want)
			}
		}
	}
}

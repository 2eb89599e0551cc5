package sdk_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unitTestPage is the page on tests with Pulumi's mocks.
const unitTestPage = "unit-tests.md"

// TestUnitTestsOfThePage runs the tests on the page as it says, and once more with a program that is wrong.
func TestUnitTestsOfThePage(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct {
		section  string
		programs *installation
		env      []string
		program  string   // the file that becomes wrong
		types    []string // the command that checks the types, where running does not
	}{
		"nodejs": {section: "TypeScript", programs: &nodePrograms, program: "shop.ts"},
		"python": {
			section: "Python", programs: &pythonPrograms, program: "shop.py",
			// The decorator of Pulumi has no type.
			types: []string{"venv/bin/mypy", "--strict", "--allow-untyped-decorators", "shop.py", "test_shop.py"},
		},
		// The module of the other programs lacks what only tests need.
		"go": {section: "Go", programs: &goPrograms, env: []string{"GOFLAGS=-modcacherw -buildvcs=false -trimpath -ldflags=-w -mod=mod"}, program: "main.go"},
	} {
		t.Run(language, func(t *testing.T) {
			selected(t, language)
			t.Parallel()
			first := c.programs.get(t)
			p := project{dir: first.path("unit"), env: append(slices.Clip(first.env), c.env...)}
			files, commands := blocks(t, sectionOf(t, readDocsPage(t, unitTestPage), c.section))
			for name, content := range files {
				p.write(t, name, content)
			}
			if language == "python" {
				require.NoError(t, os.Symlink(first.path("venv"), p.path("venv")))
			}
			require.Len(t, commands, 1)
			p.run(t, "bash", "-e", "-c", commands[0])
			if len(c.types) > 0 {
				p.run(t, c.types[0], c.types[1:]...)
			}

			wrong := strings.Replace(files[c.program], `"clusterIP"`, `"loadBalancerIP"`, 1)
			wrong = strings.Replace(wrong, "status.spec.clusterIP", "status.spec.loadBalancerIP", 1)
			require.NotEqual(t, files[c.program], wrong)
			p.write(t, c.program, wrong)
			out, err := p.try(t, "bash", "-e", "-c", commands[0])
			assert.Error(t, err, out)
		})
	}
}

// The table has every output of every resource.
func TestTheTableOfTheUnitTestPage(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| ([^|]*) \\|")
	code := regexp.MustCompile("`(\\w+)`")
	listed := map[string][]string{}
	for _, found := range row.FindAllStringSubmatch(sectionOf(t, readDocsPage(t, unitTestPage), "What a mock has to return"), -1) {
		for _, output := range code.FindAllStringSubmatch(found[2], -1) {
			listed["k8sconnect:index:"+found[1]] = append(listed["k8sconnect:index:"+found[1]], output[1])
		}
	}
	resources := readSpec(t).Resources
	assert.Len(t, listed, len(resources))
	for token, resource := range resources {
		var outputs []string
		for output := range resource.Properties {
			outputs = append(outputs, output)
		}
		assert.ElementsMatch(t, outputs, listed[token], token)
	}
}

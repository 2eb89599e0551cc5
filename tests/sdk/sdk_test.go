// Package sdk_test installs the packed SDKs as the README says, each into a project of its own. There it runs the
// README's first program as a stranger does (first_test.go), and type-checks others: one with every input of every
// resource, the examples in the schema, those in the pages of docs/ (guides_test.go), and the story (story_test.go), which is then told in every language.
// Policy packs (policy_test.go) and tests with mocks (unit_test_page_test.go) on pages are run.
package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// selected skips the test where SDK_LANGUAGES, as make has it, leaves the language out.
func selected(t *testing.T, language string) {
	t.Helper()
	if !isSelected(language) {
		t.Skipf("SDK_LANGUAGES=%q does not name %s", os.Getenv("SDK_LANGUAGES"), language)
	}
}

func isSelected(language string) bool { return slices.Contains(selectedLanguages(), language) }

func selectedLanguages() []string {
	if languages, set := os.LookupEnv("SDK_LANGUAGES"); set {
		return strings.Fields(languages)
	}
	return []string{"go", "nodejs", "python", "java"}
}

// packed is the one file in bin/sdk that the pattern fits.
func packed(t *testing.T, pattern string) string {
	t.Helper()
	dir, err := cluster.Tool("sdk")
	require.NoError(t, err, `run "make sdk-pack" first`)
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	require.NoError(t, err)
	require.Len(t, found, 1, `%s in %s: run "make sdk-pack" first`, pattern, dir)
	return found[0]
}

// project is a folder with the programs of a language.
type project struct {
	dir string
	env []string
}

// installation is a project in which a packed SDK is installed, once for all tests that want it.
type installation struct {
	install func(t *testing.T, p *project)

	once    sync.Once
	project project
	done    bool
}

// get returns the project, for programs of the test's own names.
func (i *installation) get(t *testing.T) project {
	t.Helper()
	i.once.Do(func() {
		dir, err := os.MkdirTemp(scratch, "project-")
		require.NoError(t, err)
		i.project = project{dir: dir, env: slices.Clone(strangerShell(t))}
		i.install(t, &i.project)
		i.done = true
	})
	require.True(t, i.done, "the packed SDK could not be installed: see the other test of the language")
	return i.project
}

func (p project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p project) write(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	require.NoError(t, os.WriteFile(p.path(name), []byte(content), 0o600))
}

// try runs a command in the project and returns what it says.
func (p project) try(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env = p.dir, p.env
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	return out.String(), err
}

// run runs a command that has to succeed.
func (p project) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := p.try(t, name, args...)
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	return out
}

// program reads a program of testdata.
func program(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// spec is what is read of schema.json.
type spec struct {
	Types     map[string]struct{ Properties map[string]any }
	Resources map[string]struct {
		Description     string
		InputProperties map[string]any
		Properties      map[string]any
	}
	Provider  struct{ InputProperties map[string]any }
	Functions map[string]struct{ Description string }
}

func readSpec(t *testing.T) spec {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "schema.json"))
	require.NoError(t, err)
	var schema spec
	require.NoError(t, json.Unmarshal(text, &schema))
	require.NotEmpty(t, schema.Resources)
	require.NotEmpty(t, schema.Functions)
	return schema
}

// examples are the programs in the descriptions of the schema in the language of the fence, by names such as
// Example1Wait. Every resource and every function has at least one.
func examples(t *testing.T, fence string) map[string]string {
	t.Helper()
	schema := readSpec(t)
	descriptions := map[string]string{}
	for token, resource := range schema.Resources {
		descriptions[token] = resource.Description
	}
	for token, function := range schema.Functions {
		descriptions[token] = function.Description
	}
	program := regexp.MustCompile("(?ms)^```" + fence + "\n(.*?)^```$")
	programs := map[string]string{}
	for token, description := range descriptions {
		found := program.FindAllStringSubmatch(description, -1)
		require.NotEmpty(t, found, "%s has no example in %s", token, fence)
		for i, example := range found {
			programs[fmt.Sprintf("Example%d%s", i+1, token[strings.LastIndex(token, ":")+1:])] = example[1]
		}
	}
	return programs
}

// assertUsesEveryInput checks that a program, so its type check, misses no input of a resource. name says
// how the language writes the name of an input where it is set.
func assertUsesEveryInput(t *testing.T, program string, name func(input string) string) {
	t.Helper()
	schema := readSpec(t)
	inputs := map[string]bool{}
	seen := map[string]bool{} // types; nobody sets those that only functions return
	var collect func(properties map[string]any)
	var follow func(value any)
	follow = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			if ref, _ := value["$ref"].(string); strings.HasPrefix(ref, "#/types/") && !seen[ref] {
				seen[ref] = true
				collect(schema.Types[strings.TrimPrefix(ref, "#/types/")].Properties)
			}
			for _, member := range value {
				follow(member)
			}
		case []any:
			for _, item := range value {
				follow(item)
			}
		}
	}
	collect = func(properties map[string]any) {
		for input, property := range properties {
			inputs[input] = true
			follow(property)
		}
	}
	for _, resource := range schema.Resources {
		collect(resource.InputProperties)
	}
	follow(map[string]any{"provider": schema.Provider.InputProperties}) // their types: each test sets them where it configures a provider
	for input := range inputs {
		assert.True(t, regexp.MustCompile(name(input)).MatchString(program), "the program does not set the input %s", input)
	}
}

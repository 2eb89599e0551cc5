package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

// workflow is what is checked of a workflow of GitHub.
type workflow struct {
	Permissions map[string]string `json:"permissions"`
	Jobs        map[string]job    `json:"jobs"`
}

type job struct {
	Uses        string            `json:"uses"`
	Needs       words             `json:"needs"`
	If          string            `json:"if"`
	Permissions map[string]string `json:"permissions"`
	Timeout     int               `json:"timeout-minutes"`
	Strategy    struct {
		Matrix map[string][]string `json:"matrix"`
	} `json:"strategy"`
	Steps []workflowStep `json:"steps"`
}

type workflowStep struct {
	If   string         `json:"if"`
	Uses string         `json:"uses"`
	Run  string         `json:"run"`
	With map[string]any `json:"with"`
}

// action is what is checked of an action of this repository.
type action struct {
	Runs struct {
		Steps []workflowStep `json:"steps"`
	} `json:"runs"`
}

// words are written as a list or, if there is one, without.
type words []string

func (w *words) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(w))
}

// readYAML reads a file of the repository.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into), path)
}

// Workflows cannot be run here; what they run can, so they have to do nothing but call it.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	require.NoError(t, err)
	require.Len(t, files, 6)
	makefile, err := checkout.Makefile()
	require.NoError(t, err)

	called := map[string][]string{}
	for _, file := range files {
		name := filepath.Base(file)
		var w workflow
		readYAML(t, ".github/workflows/"+name, &w)
		require.NotEmpty(t, w.Jobs, name)

		t.Run(name+" may by default do no more than read", func(t *testing.T) {
			require.NotNil(t, w.Permissions)
			for what, permission := range w.Permissions {
				assert.Equal(t, "read", permission, what)
			}
		})
		for id, job := range w.Jobs {
			if job.Uses != "" { // another workflow, with timeouts of its own
				called[name] = append(called[name], job.Uses)
				continue
			}
			assert.Positive(t, job.Timeout, "%s: the job %s may hang for hours", name, id)
			for _, step := range withActions(t, job.Steps) {
				if step.Uses != "" {
					assert.Regexp(t, `^actions/[a-z/-]+@[0-9a-f]{40}$`, step.Uses, "%s: an action is pinned by its commit", name)
				}
				if strings.HasPrefix(step.Uses, "actions/checkout@") {
					assert.Equal(t, false, step.With["persist-credentials"], "%s: %s leaves its token to every later step", name, id)
				}
				if step.Run != "" {
					called[name] = append(called[name], commands(t, step.Run, job.Strategy.Matrix)...)
				}
			}
		}
	}

	t.Run("they call what the Makefile has", func(t *testing.T) {
		for name, targets := range called {
			for _, target := range targets {
				target, _, _ = strings.Cut(target, " ")
				if file, isFile := strings.CutPrefix(target, "./"); isFile {
					info, err := os.Stat(filepath.Join(root, file))
					require.NoError(t, err, name)
					assert.True(t, info.Mode()&0o100 != 0 || strings.HasPrefix(file, ".github/"), "%s cannot be executed", file)
					continue
				}
				documented := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:.* ## `)
				assert.True(t, documented.MatchString(makefile), "%s calls make %s, which the Makefile does not have", name, target)
			}
		}
	})
	t.Run("between them they test, build and publish everything", func(t *testing.T) {
		assert.Subset(t, called["ci.yml"], []string{"test-lint", "docs-check", "test-unit", "release-plugin"}) // and see TestCI
		assert.ElementsMatch(t, []string{"fuzz"}, called["fuzz.yml"])
		assert.ElementsMatch(t, []string{"node-packages", "test-node"}, called["node.yml"])
		assert.ElementsMatch(t, []string{"vulnerabilities"}, called["vulnerabilities.yml"])
		assert.ElementsMatch(t, []string{"./.github/workflows/versions.yml", "release-check", "test", "release",
			"publish-github", "publish-npm", "publish-pypi", "publish-maven"}, called["release.yml"])
	})
	t.Run("what a release consists of is attested before it is published, by a job that builds nothing", func(t *testing.T) {
		var release workflow
		readYAML(t, ".github/workflows/release.yml", &release)
		for id, job := range release.Jobs {
			if id != "github" {
				assert.NotContains(t, job.Permissions, "id-token", id)
				assert.NotContains(t, job.Permissions, "attestations", id)
			}
		}
		publisher := release.Jobs["github"]
		assert.Equal(t, map[string]string{"contents": "write", "attestations": "write", "id-token": "write"}, publisher.Permissions)
		last := len(publisher.Steps) - 1
		require.Positive(t, last)
		assert.Contains(t, publisher.Steps[last].Run, "make publish-github ")
		assert.Regexp(t, "^actions/attest@", publisher.Steps[last-1].Uses)
		assert.Equal(t, map[string]any{"subject-path": "bin/release/*"}, publisher.Steps[last-1].With)
	})
	t.Run("they test every version of Kubernetes that there is a module file of [V1]", func(t *testing.T) {
		var want []string
		for _, version := range otherVersions(t) {
			want = append(want, "test-version KUBERNETES="+version)
		}
		assert.ElementsMatch(t, want, called["versions.yml"])
	})
}

var matrixValue = regexp.MustCompile(`\$\{\{ matrix\.(\w+) \}\}`)

// withActions are steps with those of the actions of this repository in their place.
func withActions(t *testing.T, steps []workflowStep) []workflowStep {
	t.Helper()
	var all []workflowStep
	for _, step := range steps {
		if folder, ours := strings.CutPrefix(step.Uses, "./"); ours {
			var a action
			readYAML(t, folder+"/action.yml", &a)
			require.NotEmpty(t, a.Runs.Steps, folder)
			all = append(all, a.Runs.Steps...)
		} else {
			all = append(all, step)
		}
	}
	return all
}

// asRoot is how a step becomes root, with and without the caches of the user.
var asRoot = regexp.MustCompile(`^sudo env "PATH=\$PATH" (?:"HOME=\$HOME" )?`)

// raced is how a step as root watches a module with the race detector; others have an environment.
var raced = regexp.MustCompile(` RACED_[a-z]+=[a-z/]+$`)

// commands are the make targets that a step calls, or the script in this repository with "./" before it: one for each
// value of the matrix that its target names.
func commands(t *testing.T, run string, matrix map[string][]string) []string {
	t.Helper()
	if strings.HasPrefix(run, ".ci/") {
		return []string{"./" + run}
	}
	if run == "exit 1" {
		return nil
	}
	target, isMake := strings.CutPrefix(asRoot.ReplaceAllString(strings.TrimSpace(run), ""), "make ")
	require.True(t, isMake, "a workflow calls make and nothing else: %s", run)
	target = raced.ReplaceAllString(strings.TrimSuffix(target, ` VERSION="${GITHUB_REF_NAME#v}"`), "")
	key := matrixValue.FindStringSubmatch(target)
	if key == nil {
		return []string{target}
	}
	require.NotEmpty(t, matrix[key[1]], run)
	var targets []string
	for _, value := range matrix[key[1]] {
		targets = append(targets, matrixValue.ReplaceAllString(target, value))
	}
	return targets
}

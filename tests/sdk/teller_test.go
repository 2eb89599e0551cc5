package sdk_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
)

// teller has a program carry out a step of the story. It returns all that was said beside the result.
type teller func(t *testing.T, s *story, step string) (storyResult, string, error)

// inline is an inline program of the Automation API. One process carries out one step, as in a pipeline.
func inline(program ...string) teller {
	return func(t *testing.T, s *story, step string) (result storyResult, said string, err error) {
		t.Helper()
		inputs, err := json.Marshal(s.storyInputs)
		require.NoError(t, err)
		args := append(program[1:len(program):len(program)], s.project, step, string(inputs))
		command := exec.CommandContext(t.Context(), program[0], args...)
		command.Dir, command.WaitDelay = s.dir, 10*time.Second
		for key, value := range s.env {
			command.Env = append(command.Env, key+"="+value)
		}
		stdout, stderr, err := s.run(command)
		if err == nil {
			require.NoError(t, json.Unmarshal([]byte(stdout), &result), stdout)
		}
		return result, result.Printed + stderr, err
	}
}

// folder is a project folder, for the commands of the CLI. write writes the program.
func folder(write func(t *testing.T, s *story)) teller {
	return func(t *testing.T, s *story, step string) (result storyResult, said string, err error) {
		t.Helper()
		pulumi := func(args ...string) (string, string, error) {
			return s.run(s.tools.Command(t.Context(), s.dir, s.env, args...))
		}
		must := func(args ...string) string {
			stdout, stderr, err := pulumi(args...)
			require.NoError(t, err, "%s\n%s", stdout, stderr)
			return stdout
		}
		write(t, s)
		if _, err := os.Stat(filepath.Join(s.backend, ".pulumi", "stacks", s.project)); err != nil {
			must("stack", "init", cli.StackName)
		}
		flags := map[string][]string{"preview": {"--diff"}}[step]
		if flags == nil {
			flags = []string{"--yes", "--skip-preview"}
		}
		stdout, stderr, err := pulumi(append([]string{step}, flags...)...)
		result = storyResult{Changes: summary(stdout), Printed: stdout, Outputs: map[string]storyOutput{}}
		if err == nil && step == "up" {
			var values, shown map[string]any
			require.NoError(t, json.Unmarshal([]byte(must("stack", "output", "--json", "--show-secrets")), &values))
			require.NoError(t, json.Unmarshal([]byte(must("stack", "output", "--json")), &shown))
			for name, value := range values {
				result.Outputs[name] = storyOutput{value, shown[name] == "[secret]"}
			}
		}
		return result, stdout + stderr, err
	}
}

var changes = regexp.MustCompile(`(?m)^ +(?:[-+~] )?(\d+) (?:to )?(create|update|delete|unchanged)`)

// summary is what a command says at its end about what it has done or would do.
func summary(printed string) map[string]int {
	counts := map[string]int{}
	for _, change := range changes.FindAllStringSubmatch(printed, -1) {
		operation := change[2]
		if operation == "unchanged" {
			operation = "same"
		}
		counts[operation], _ = strconv.Atoi(change[1])
	}
	return counts
}

// run runs a command, and ends it if it hangs.
func (s *story) run(command *exec.Cmd) (stdout, stderr string, err error) {
	var out, failure strings.Builder
	command.Stdout, command.Stderr = &out, &failure
	hangs := time.AfterFunc(3*time.Minute, func() { _ = command.Cancel() })
	defer hangs.Stop()
	err = command.Run()
	return out.String(), failure.String(), err
}

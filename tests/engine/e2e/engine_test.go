package e2e

import (
	"flag"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// ofOneProcess is what a command has in common with all others of this process, unless its environment says otherwise.
var ofOneProcess = []string{"PATH", "HOME", "TMPDIR", "PULUMI_BACKEND_URL", "PULUMI_STACK", "GOGC", "GOMEMLIMIT"}

// setenv gives this process what all commands have in their environment.
func setenv(environment map[string]string) error {
	for key, value := range environment {
		if !slices.Contains(ofOneProcess, key) {
			if err := os.Setenv(key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// byCLI proves that both ways come to the same.
var byCLI = flag.Bool("cli", false, "run every command as a process of the CLI")

var kubeconfigOnce sync.Once

// operate runs a command by the engine in this process, if nothing in it asks for a process of its own.
func (s *stack) operate(t testing.TB, args ...string) (result, bool) {
	t.Helper()
	kubeconfigOnce.Do(func() {
		require.NoError(t, os.Setenv("KUBECONFIG", shared.Get(t).KubeconfigFile()))
	})
	kind, options, ok := engine.ParseCommand(args...)
	if !ok {
		return result{}, false
	}
	if why := s.needsProcess(t); why != "" {
		t.Logf("pulumi %s is a process: %s", args[0], why)
		return result{}, false
	}
	e := &engine.Stack{Name: s.name, Dir: s.dir, Backend: s.backend, SecretsProvider: engine.Keeper}
	if s.env["KUBECONFIG"] != os.Getenv("KUBECONFIG") || s.hasFiles(t) {
		e.Environment = s.env
	}
	came := e.Do(t.Context(), kind, options)
	wantReasons(t, came.Output)
	return result{
		line: "pulumi " + strings.Join(args, " "), out: came.Output, stdout: came.Stdout, code: came.Code(), err: came.Err, took: came.Took,
	}, true
}

// needsProcess says why the commands of a stack are processes of the CLI; "" if they are not.
func (s *stack) needsProcess(t testing.TB) string {
	t.Helper()
	if *byCLI {
		return "asked for"
	}
	program, err := readFile(s.dir, "Pulumi.yaml")
	require.NoError(t, err)
	if !strings.Contains(program, "\nruntime: yaml\n") {
		return "of a program in another language"
	}
	for key, value := range s.env {
		if key != "KUBECONFIG" && !slices.Contains(ofOneProcess, key) && os.Getenv(key) != value {
			return "of the variable " + key
		}
	}
	if !strings.HasPrefix(s.env["PATH"], tools.Plugins+string(os.PathListSeparator)) {
		return "of other plugins"
	}
	if s.env["HOME"] != tools.Home {
		return "of another home"
	}
	return ""
}

// hasFiles says whether the project has files beside its own, which a program can name relative to it.
func (s *stack) hasFiles(t testing.TB) bool {
	t.Helper()
	entries, err := os.ReadDir(s.dir)
	require.NoError(t, err)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "Pulumi.") && !strings.HasPrefix(entry.Name(), "kubeconfig-") && entry.Name() != "sdks" {
			return true
		}
	}
	return false
}

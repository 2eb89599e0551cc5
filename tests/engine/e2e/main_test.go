// Package e2e runs programs with the real Pulumi CLI and the provider's plugin against a real
// API server, and looks at three sides of what came out: the objects in the cluster, the state
// that Pulumi has saved, and what the command printed and returned.
//
// A test makes a stack (stack_test.go), writes a program into it, and runs commands; the cluster
// is looked at and disturbed through kube_test.go; faulty_test.go stands between the provider
// and the API server and spoils replies; process_test.go sends signals to the processes of a
// command. The names of tests carry the numbers of the cases that they prove.
package e2e

import (
	"fmt"
	"os"
	"testing"

	// What is tested is another program. This tells go test that its results are out of date when
	// the provider has changed.
	_ "github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// shared is the cluster of all tests. Its controllers delete namespaces for real and give each
// one its service account, without which no pod is admitted.
var shared = cluster.Shared{Options: cluster.Options{ControllerManager: true, Audit: true}}

// tools are what the commands need that is made once for the whole run.
var tools cli.Tools

func TestMain(m *testing.M) {
	engine.ServeChild()
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			code = max(code, 1)
		}
	}
	dir, err := os.MkdirTemp("", "k8sconnect-e2e-")
	if err == nil {
		defer func() { fail(os.RemoveAll(dir)) }()
		// From source, so that what is tested is never an old build.
		tools, err = cli.Prepare(dir, map[string]string{"k8sconnect": cli.Module})
	}
	if err == nil {
		err = setenv(tools.Environment("", ""))
	}
	if err != nil {
		fail(err)
		return code
	}
	defer func() { fail(workloads.Stop()) }()
	return shared.Run(m)
}

// step is a part of a longer story: where it fails, the rest of the story is not told.
func step(t *testing.T, name string, run func(t *testing.T)) {
	t.Helper()
	if !t.Run(name, run) {
		t.FailNow()
	}
}

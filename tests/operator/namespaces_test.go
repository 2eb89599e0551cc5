package operator

import (
	"fmt"
	"os"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// runInNamespaces runs the tests where a real node can be had.
func runInNamespaces(m *testing.M) int {
	if len(namespaces.Missing()) > 0 {
		return runTests(m) // every test says so, and is skipped
	}
	code, inside, err := namespaces.Run()
	if err == nil && inside {
		code, err = runInside(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		return max(code, 1)
	}
	return code
}

func runInside(m *testing.M) (code int, err error) {
	space, err := namespaces.Inside()
	if err != nil {
		return 1, err
	}
	// What a killed run leaves of its own goes with the rest.
	if err := os.Setenv("TMPDIR", space.Dir); err != nil {
		return 1, err
	}
	return runTests(m), nil
}

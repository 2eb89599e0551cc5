// Package lives_test tells lives of objects: programs of KubeObjects, Patches and Waits that change, neighbours and controllers
// that edit the same objects, admission that rewrites and refuses, and operations of Pulumi's own engine with their options,
// cancelled and killed.
//
// [TestLives] draws lives at random. What is right it never takes from the provider: each file laws_*_test.go states a law, and asks
// the API server, its audit log, or what "kubectl apply --server-side" does to a twin.
//
// The stories in stories_*_test.go are those of defects that were found once.
package lives_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// The flags go behind the package: go test ./lives -run TestLives -soak 10m -timeout 20m
var (
	soak = flag.Duration("soak", 0, "how long TestLives searches, with other seeds each time, instead of the same few lives")
	seed = flag.Uint64("seed", 0, "have TestLives live one life, with the seed that a failure printed")
)

var shared = cluster.Shared{Options: cluster.Options{ControllerManager: true, Audit: true}}

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	keeper, err := cli.VaultURL()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	home, err := os.MkdirTemp("", "lives-") // Nobody's own kubeconfig may be found by accident.
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(home) }()
	for key, value := range map[string]string{"HOME": home, "VAULT_SERVER_URL": keeper, "KUBECONFIG": ""} {
		if err := os.Setenv(key, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return shared.Run(m)
}

// patience is how long something may take that a controller does.
const patience = 30 * time.Second

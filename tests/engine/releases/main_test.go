package releases_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

var (
	soak  = flag.Duration("soak", 0, "how long to search for new defects")
	story = flag.Bool("story", false, "tell each step as it happens")
	seed  = flag.Int("seed", 0, "tell the life of this seed alone")
)

var shared = cluster.Shared{Options: cluster.Options{Audit: true}}

func TestMain(m *testing.M) {
	engine.ServeChild()
	flag.Parse()
	keeper, err := cli.VaultURL()
	if err == nil {
		err = os.Setenv("VAULT_SERVER_URL", keeper)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(shared.Run(m))
}

var connect sync.Once

// connected is the cluster that all lives share. The provider in this process finds it by the environment.
func connected(t testing.TB) *cluster.Cluster {
	t.Helper()
	c := shared.Get(t)
	connect.Do(func() {
		err := os.Setenv("KUBECONFIG", c.KubeconfigFile())
		require.NoError(t, err)
		played, err = startController(c)
		require.NoError(t, err)
	})
	return c
}

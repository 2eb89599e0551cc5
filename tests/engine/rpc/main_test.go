// Package rpc_test drives the provider through its RPC surface, against a real API server.
//
// The provider is served on a real gRPC connection, and the messages are made by the engine's own client
// (plugin.NewProviderWithClient), so secrets, unknowns, old and new inputs travel as they do in a real run.
// A session is one resource of a stack. Its operations are those of Pulumi's engine on a state in memory, which decides
// which verb it calls when, and what it keeps of the answers; its verbs are single calls, for what an operation does not
// show. A gateway between provider and API server loses, garbles and holds back replies.
package rpc_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared = cluster.Shared{Options: cluster.Options{Audit: true, PodNetwork: true}}

// second is another cluster, for the tests that need two.
var second cluster.Shared

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// Nobody's own kubeconfig may be found by accident.
	home, err := os.MkdirTemp("", "k8sconnect-rpc-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(home) }()
	for key, value := range map[string]string{"HOME": home, "KUBECONFIG": "", "HTTPS_PROXY": "", "https_proxy": ""} {
		if err := os.Setenv(key, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	code := shared.Run(m)
	for _, other := range []*cluster.Shared{&second, &controlled} {
		if err := other.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	return code
}

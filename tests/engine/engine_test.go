package engine_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

var shared = cluster.Shared{Options: cluster.Options{ControllerManager: true, Audit: true}}

func TestMain(m *testing.M) {
	engine.ServeYAML()
	keeper, err := cli.VaultURL()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("VAULT_SERVER_URL", keeper)
	os.Exit(shared.Run(m))
}

func TestSmoke(t *testing.T) {
	os.Setenv("KUBECONFIG", shared.Get(t).KubeconfigFile())
	s := engine.NewStack(t, "dev")
	rev := "1"
	require.NoError(t, s.Run("shop", func(_ plugin.RunInfo, m *deploytest.ResourceMonitor) error {
		_, err := m.RegisterResource("k8sconnect:index:KubeObject", "cm", true, deploytest.ResourceOptions{Inputs: resource.NewPropertyMapFromMap(map[string]any{
			"manifest": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "eng", "namespace": "default"}, "data": map[string]any{"rev": rev}},
		})})
		return err
	}))
	for i := range 10 {
		rev = fmt.Sprint(i)
		r := s.Do(t.Context(), engine.Up, engine.Options{})
		t.Log(r.Took, r.Err)
		if i < 2 {
			t.Log(r.Output)
		}
	}
	y := engine.NewStack(t, "dev")
	for i := range 10 {
		require.NoError(t, y.WriteProject("name: yam\nruntime: yaml\nresources:\n  x:\n    type: k8sconnect:KubeObject\n    properties:\n      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: yam, namespace: default}, data: {a: 'v"+fmt.Sprint(i)+"'}}\n"))
		r := y.Do(t.Context(), engine.Preview, engine.Options{Diff: true})
		if i < 2 {
			t.Log(r.Output)
		}
		t.Log(r.Took, r.Err)
		r = y.Do(t.Context(), engine.Up, engine.Options{})
		t.Log(r.Took, r.Err)
		if i < 2 {
			t.Log(r.Output)
		}
	}
}

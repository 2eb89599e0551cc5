package provider

import (
	"context"
	"maps"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

// collectedBefore is how often the garbage collector had run when all packages that the plugin links were initialized.
var collectedBefore = collections()

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

func TestNoGarbageIsCollectedWhilePackagesInitialize(t *testing.T) {
	t.Parallel()
	assert.Zero(t, collectedBefore)
}

// A program that has the provider in its own process, as tests have, would else grow until it is killed.
func TestGarbageIsCollectedOnceAServerIsMade(t *testing.T) {
	_, err := Server(nil, "{}")
	require.NoError(t, err)
	usual := debug.SetGCPercent(100)
	debug.SetGCPercent(usual)
	assert.Positive(t, usual)
}

const webURN = "urn:pulumi:dev::shop::k8sconnect:index:KubeObject::web"

// serving is the plugin's server, configured with a connection to the server of recorded answers.
func serving(t *testing.T, cluster *verbs.Server, config map[string]any) pulumirpc.ResourceProviderServer {
	t.Helper()
	served, err := Server(nil, "{}")
	require.NoError(t, err)
	args := map[string]any{"host": cluster.URL, "namespace": "shop"}
	maps.Copy(args, config)
	_, err = served.Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: message(t, args), AcceptSecrets: true, AcceptResources: true})
	require.NoError(t, err)
	return served
}

func message(t *testing.T, properties map[string]any) *structpb.Struct {
	t.Helper()
	marshaled, err := plugin.MarshalProperties(resource.NewPropertyMapFromMap(properties), plugin.MarshalOptions{KeepSecrets: true, KeepUnknowns: true})
	require.NoError(t, err)
	return marshaled
}

func TestTheEngineIsAskedToReadBeforeEachUpdate(t *testing.T) {
	t.Parallel()
	const ours = "k8sconnect-shop.dev.web-270f6824"
	applied := verbs.ConfigMap(verbs.UID, `{"color":"blue"}`, verbs.Owns(ours, "Apply", `{"f:color":{}}`))
	manifest := map[string]any{"manifest": map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "web"}, "data": map[string]any{"color": "blue"},
	}}
	for _, c := range []struct {
		name  string
		drift string
		asked bool
	}{{"by default", "", true}, {"in previews", "preview", true}, {"not where drift is looked for in refreshes alone", "refresh", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cluster := verbs.NewServer(t)
			cluster.Says("PATCH "+verbs.Path, verbs.JSON(201, applied))
			cluster.Says("GET "+verbs.Path, verbs.JSON(200, applied))
			config := map[string]any{}
			if c.drift != "" {
				config["driftDetection"] = c.drift
			}
			served, ctx, inputs := serving(t, cluster, config), context.Background(), message(t, manifest)
			created, err := served.Create(ctx, &pulumirpc.CreateRequest{Urn: webURN, Properties: inputs})
			require.NoError(t, err)
			assert.Equal(t, c.asked, created.GetRefreshBeforeUpdate(), "after a create")
			updated, err := served.Update(ctx, &pulumirpc.UpdateRequest{Id: created.GetId(), Urn: webURN, Olds: created.GetProperties(), OldInputs: inputs, News: inputs})
			require.NoError(t, err)
			assert.Equal(t, c.asked, updated.GetRefreshBeforeUpdate(), "after an update")
			look := &pulumirpc.ReadRequest{Id: created.GetId(), Urn: webURN, Properties: created.GetProperties(), Inputs: inputs}
			read, err := served.Read(ctx, look)
			require.NoError(t, err)
			assert.Equal(t, c.asked, read.GetRefreshBeforeUpdate(), "after a look")

			cluster.Says("GET "+verbs.Path, verbs.Page(404))
			read, err = served.Read(ctx, look)
			require.NoError(t, err)
			assert.Equal(t, c.asked, read.GetRefreshBeforeUpdate(), "after a look that proves nothing")
			assert.Equal(t, created.GetId(), read.GetId())
			assert.True(t, read.GetProperties().GetFields()["__staleRead"].GetBoolValue())

			cluster.Says("GET "+verbs.Path, verbs.Absent)
			read, err = served.Read(ctx, look)
			require.NoError(t, err)
			assert.Empty(t, read.GetId(), "it is gone")
			assert.Nil(t, read.GetProperties(), "which an import takes empty properties for")
			assert.Nil(t, read.GetInputs())

			cluster.Says("PATCH "+verbs.Path, verbs.Cut)
			_, err = served.Create(ctx, &pulumirpc.CreateRequest{Urn: webURN, Properties: inputs})
			require.Error(t, err)
			failed, ok := status.Convert(err).Details()[0].(*pulumirpc.ErrorResourceInitFailed)
			require.True(t, ok, "%v", err)
			assert.Equal(t, c.asked, failed.GetRefreshBeforeUpdate(), "after a lost reply, which above all is to be looked at")
			assert.Contains(t, failed.GetReasons()[0], "[NotConfirmed]")
			assert.True(t, failed.GetProperties().GetFields()["__pendingProjection"].GetBoolValue())
		})
	}
}

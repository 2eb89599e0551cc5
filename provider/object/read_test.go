package object_test

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

// theID is the ID in the state.
const theID = "v1/ConfigMap/shop/web"

// stale are outputs of a resource that could not be looked at.
func stale(outputs property.Map) property.Map { return outputs.Set("__staleRead", property.New(true)) }

func TestALookThatProvesNothingLosesNothing(t *testing.T) {
	t.Parallel()
	for what, fail := range verbs.Unreadable {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			before := web.Outputs
			fail(server)
			require.NoError(t, web.Read(), "an error would end a destroy, too")
			assert.Equal(t, theID, web.ID, "the object is in the state")
			assert.Equal(t, stale(before), web.Outputs, "as it was, and marked as not looked at")
			require.Len(t, web.Said(), 1)
			assert.Contains(t, web.Said()[0], "WARN NOT CHECKED: "+server.URL+" could not be read.")

			diff, err := web.DiffAfterRead()
			require.NoError(t, err, "no command would get out of an error here")
			assert.Equal(t, map[string]string{"__staleRead": "update"}, verbs.Kinds(diff), "a refresh does not call it unchanged")
			_, err = web.Diff(program(configMap()))
			require.Error(t, err, "and neither does a preview")
			require.Error(t, web.Delete(), "nothing that was not looked at is said to be deleted")
			assert.Equal(t, theID, web.ID)
		})
	}
}

func TestALookThatProvesNothingLosesNothingOfAnUnknownClusterEither(t *testing.T) {
	t.Parallel()
	for what, fail := range verbs.Unreadable {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			web.Outputs = web.Outputs.Delete("__cluster") // as where the user may not read kube-system
			fail(server)
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID, "the object is in the state")
			diff, err := web.DiffAfterRead()
			require.NoError(t, err, "no command would get out of an error here")
			assert.Equal(t, map[string]string{"__staleRead": "update"}, verbs.Kinds(diff))
			require.Error(t, web.Delete())
			assert.Equal(t, theID, web.ID)
		})
	}
}

func TestALookThatIsBrokenOffLosesNothing(t *testing.T) {
	t.Parallel()
	for what, answer := range map[string]verbs.Answer{
		"the connection closes": verbs.Cut, "half of the answer arrives": verbs.CutShort(applied), "no answer comes": verbs.Hang,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			before := web.Outputs
			server.Says("GET "+thePath, answer)
			web.Within(t, 300*time.Millisecond) // what breaks is asked again for ten seconds
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, stale(before), web.Outputs)
		})
	}
}

func TestAClusterThatIsAwayIsOneWarning(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	server.Stop()
	for range 3 {
		require.NoError(t, web.Read())
	}
	assert.Len(t, web.Said(), 1)
}

func TestAnObjectThatIsGoneLeavesTheState(t *testing.T) {
	t.Parallel()
	t.Run("the API server says that there is none", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Says("GET "+thePath, absent)
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
		assert.Equal(t, []string{"WARN ConfigMap shop/web: the object that this resource applied was deleted outside of Pulumi."}, web.Said())
	})
	t.Run("not where another cluster says so", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Says("GET "+thePath, absent)
		server.IsCluster("another")
		require.NoError(t, web.Read())
		assert.Equal(t, theID, web.ID)
		assert.Equal(t, property.New(true), web.Outputs.Get("__staleRead"))
		require.Len(t, web.Said(), 1)
		assert.Contains(t, web.Said()[0], "WARN NOT CHECKED: objects of this stack are in "+server.URL)
		assert.Contains(t, web.Said()[0], "which is another cluster. The state keeps them.")
	})
	for what, answer := range map[string]verbs.Answer{
		"500": verbs.Refusal(500, "InternalError", ""), "404 without a Status": verbs.Page(404), "a page": verbs.Page(200),
	} {
		t.Run("not where it cannot be found out which cluster it is: "+what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			server.Says("GET "+thePath, absent)
			server.Says("GET /api/v1/namespaces/kube-system", answer)
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, property.New(true), web.Outputs.Get("__staleRead"))
		})
	}
	t.Run("its cluster is gone for good, as the user has said", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Stop()
		source := connection.NewSource("test")
		source.Configure(verbs.Properties(m{"host": server.URL}))
		source.Forget([]string{verbs.ClusterID})
		web = web.In(t, object.New(source, settings{}, &tracked.Memory{}))
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
		require.Len(t, web.Said(), 1)
		assert.Contains(t, web.Said()[0], "is in forgetClusters: what the state has in it is forgotten. Nothing was deleted.")
	})
	t.Run("not where the cluster answers that is said to be gone", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Says("GET "+thePath, verbs.Refusal(503, "ServiceUnavailable", ""))
		source := connection.NewSource("test")
		source.Configure(verbs.Properties(m{"host": server.URL}))
		source.Forget([]string{verbs.ClusterID})
		web = web.In(t, object.New(source, settings{}, &tracked.Memory{}))
		require.NoError(t, web.Read())
		assert.Equal(t, theID, web.ID)
	})
}

func TestAReadWithoutAConnectionKeepsTheState(t *testing.T) {
	t.Parallel()
	for what, own := range map[string]any{
		"it is known only after the apply":     verbs.Unknown,
		"a part of it is known only after it":  m{"host": verbs.Unknown},
		"the file that it is in is not there":  m{"kubeconfig": "/nonexistent/kubeconfig"},
		"nothing of it is what it was to hold": m{"kubeconfig": "{"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			_, web := made(t)
			web.Inputs = web.Inputs.Set("clusterConnection", verbs.Properties(m{"own": own}).Get("own"))
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, property.New(true), web.Outputs.Get("__staleRead"))
			require.Len(t, web.Said(), 1)
			assert.Contains(t, web.Said()[0], "WARN NOT CHECKED: ")
			_, err := web.DiffAfterRead()
			require.NoError(t, err)
		})
	}
}

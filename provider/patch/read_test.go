package patch_test

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestALookThatProvesNothingLosesNoPatch(t *testing.T) {
	t.Parallel()
	for what, fail := range verbs.Unreadable {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			before := web.Outputs
			fail(server)
			require.NoError(t, web.Read(), "an error would end a destroy, too")
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, stale(before), web.Outputs, "as it was, and marked as not looked at")
			require.Len(t, web.Said(), 1)
			assert.Contains(t, web.Said()[0], "WARN NOT CHECKED: "+server.URL+" could not be read.")

			diff, err := web.DiffAfterRead()
			require.NoError(t, err, "no command would get out of an error here")
			assert.Equal(t, kinds{"__staleRead": "update"}, verbs.Kinds(diff), "a refresh does not call it unchanged")
			_, err = web.Diff(program("patch", paints["patch"]))
			require.Error(t, err, "and neither does a preview")
			require.Error(t, web.Delete(), "no field is said to be handed back")
		})
	}
	for what, answer := range map[string]verbs.Answer{"the connection closes": verbs.Cut, "no answer comes": verbs.Hang} {
		t.Run(what+", until it is broken off", func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			before := web.Outputs
			server.Says("GET "+verbs.Path, answer)
			web.Within(t, 300*time.Millisecond) // what breaks is asked again for ten seconds
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, stale(before), web.Outputs)
		})
	}
	for what, own := range map[string]any{
		"the connection is known only after the apply": verbs.Unknown, "the connection is in a file that is not there": m{"kubeconfig": "/nonexistent/kubeconfig"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			_, web := made(t, "patch")
			before := web.Outputs
			web.Inputs = web.Inputs.Set("clusterConnection", verbs.Properties(m{"own": own}).Get("own"))
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, stale(before), web.Outputs)
			_, err := web.DiffAfterRead()
			require.NoError(t, err)
		})
	}
}

func TestAPatchLeavesTheStateWithItsObjectAlone(t *testing.T) {
	t.Parallel()
	t.Run("the API server says that there is none", func(t *testing.T) {
		t.Parallel()
		server, web := made(t, "patch")
		server.Says("GET "+verbs.Path, verbs.Absent)
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
	})
	t.Run("another object has its name", func(t *testing.T) {
		t.Parallel()
		server, web := made(t, "patch")
		server.Says("GET "+verbs.Path, verbs.JSON(200, verbs.ConfigMap("another", `{"color":"blue"}`, verbs.Owns("kubectl", "Apply", `{"f:color":{}}`))))
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
	})
	for what, there := range map[string]func(*verbs.Server){
		"there is none":               func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.Absent) },
		"another object has its name": func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.JSON(200, verbs.ConfigMap("another", `{}`))) },
	} {
		t.Run("not where it is in another cluster that "+what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			before := web.Outputs
			there(server)
			server.IsCluster("another")
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, stale(before), web.Outputs)
			require.Len(t, web.Said(), 1)
			assert.Contains(t, web.Said()[0], "which is another cluster. The state keeps them.")
		})
		t.Run("not where it cannot be found out whether this is its cluster, in which "+what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			there(server)
			server.Says("GET /api/v1/namespaces/kube-system", verbs.Page(404))
			require.NoError(t, web.Read())
			assert.Equal(t, theID, web.ID)
		})
	}
	t.Run("its cluster is gone for good, as the user has said", func(t *testing.T) {
		t.Parallel()
		server, web := made(t, "patch")
		server.Stop()
		web = web.In(t, process(server, verbs.ClusterID))
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
	})
}

func TestALookAtAPatchWhoseReplyWasLostSettlesNothing(t *testing.T) {
	t.Parallel()
	for kind, document := range paints {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			server.Says("GET "+verbs.Path, verbs.JSON(200, before))
			server.Says("PATCH "+verbs.Path+" (dry-run)", verbs.JSON(200, patched(kind)))
			server.Says("PATCH "+verbs.Path, verbs.Cut)
			web := verbs.New(t, "Patch", process(server))
			require.ErrorContains(t, web.Create(program(kind, document)), "it is not known whether the API server carried out the patch")
			require.Equal(t, property.New(true), web.Outputs.Get("__pendingPatch"))
			saved := web.Outputs
			server.Says("GET "+verbs.Path, verbs.JSON(200, patched(kind)))
			web = web.In(t, process(server))
			require.ErrorContains(t, web.Read(), "it is still not known whether an earlier patch was carried out")
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, saved, web.Outputs)
			require.Len(t, web.Reasons, 1)
			diff, err := web.DiffAfterRead()
			require.NoError(t, err)
			assert.Equal(t, kinds{kind: "update"}, verbs.Kinds(diff))
		})
	}
}

func TestAPatchIsNotImported(t *testing.T) {
	t.Parallel()
	server := verbs.NewServer(t)
	web := verbs.New(t, "Patch", process(server))
	web.ID = theID
	require.ErrorContains(t, web.Read(), "a Patch cannot be imported")
	assert.Empty(t, server.Asked())
}

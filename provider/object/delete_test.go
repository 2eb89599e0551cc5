package object_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestADeletionIsDoneOnlyWhereTheAPIServerSaysSo(t *testing.T) {
	t.Parallel()
	deleted := verbs.JSON(200, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}`)
	for _, c := range []struct {
		name   string
		answer verbs.Answer
		fails  string // empty where the object is gone
	}{
		{"deleted", deleted, ""},
		{"there is none", absent, ""},
		{"401", verbs.Refusal(401, "Unauthorized", ""), "(401)"},
		{"403", verbs.Refusal(403, "Forbidden", ""), "(403)"},
		{"404 without a Status", verbs.Page(404), "404"},
		{"404 that is JSON and no Status", verbs.JSON(404, `{"error":"no upstream"}`), "404"},
		{"409 while it is there", verbs.Refusal(409, "Conflict", ""), "(409)"},
		{"500", verbs.Refusal(500, "InternalError", ""), "the API server failed"},
		{"502 of a proxy", verbs.Page(502), "502"},
		{"503", verbs.Refusal(503, "ServiceUnavailable", ""), "the API server failed"},
		{"a connection that closes", verbs.Cut, "EOF"},
		{"200 with a page", verbs.Page(200), "not a Kubernetes object"},
		{"200 with nothing", verbs.JSON(200, ""), "not a Kubernetes object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			require.NoError(t, web.Read())
			server.Asked()
			server.Says("DELETE "+thePath, c.answer)
			err := web.Delete()
			assert.Equal(t, []string{"DELETE " + thePath}, server.Wrote(), "it is sent once")
			if c.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.fails)
			}
		})
	}
}

func TestADeletionWithoutProofIsRefused(t *testing.T) {
	t.Parallel()
	t.Run("there is none, in another cluster", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		require.NoError(t, web.Read())
		server.IsCluster("another")
		server.Says("DELETE "+thePath, absent)
		require.ErrorContains(t, web.In(t, process(server)).Delete(), "which is another cluster. Neither was touched.")
	})
	t.Run("another address leads to another cluster: nothing is sent there", func(t *testing.T) {
		t.Parallel()
		_, web := made(t)
		there := verbs.NewServer(t)
		there.IsCluster("another")
		web = web.In(t, process(there))
		require.ErrorContains(t, web.Delete(), "ConfigMap shop/web was not deleted: it is in")
		assert.Empty(t, there.Wrote())
	})
	t.Run("the kind is not served, says a proxy", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Says("GET /api/v1", verbs.Page(404))
		server.Says("GET /api", verbs.Page(404))
		require.ErrorContains(t, web.Delete(), "is the host a Kubernetes API server?")
		assert.Empty(t, server.Wrote())
	})
	t.Run("the connection is known only after the apply", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		web.Inputs = web.Inputs.Set("clusterConnection", verbs.Unknown)
		require.ErrorContains(t, web.Delete(), "the connection is not known yet")
		assert.Empty(t, server.Wrote())
	})
	t.Run("the cluster is away", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Stop()
		require.ErrorContains(t, web.Delete(), "connection refused")
	})
}

func TestADeletionOfAnObjectOfAClusterThatIsGoneForGood(t *testing.T) {
	t.Parallel()
	forgetting := func(server *verbs.Server) *connection.Source {
		source := connection.NewSource("test")
		source.Configure(verbs.Properties(m{"host": server.URL}))
		source.Forget([]string{verbs.ClusterID})
		return source
	}
	t.Run("is done where nobody answers", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Stop()
		require.NoError(t, web.In(t, object.New(forgetting(server), settings{}, &tracked.Memory{})).Delete())
	})
	t.Run("is sent where the cluster answers", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		server.Says("DELETE "+thePath, verbs.Refusal(403, "Forbidden", ""))
		require.ErrorContains(t, web.In(t, object.New(forgetting(server), settings{}, &tracked.Memory{})).Delete(), "(403)")
	})
}

func TestAReplacementOfTheSameNameKeepsTheObject(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	require.NoError(t, web.Read())
	old := web.Outputs
	// The engine makes the new one before it deletes the old one, which here is the same object.
	require.NoError(t, web.Create(program(with("red", "data", "color"))))
	made := web.Outputs
	server.Asked()
	web.Outputs = old
	require.NoError(t, web.Delete())
	assert.Empty(t, server.Asked())
	assert.Equal(t, []string{"WARN ConfigMap shop/web is kept: the resource that replaces this one manages the same object."}, web.Said())

	web.Outputs = made
	server.Says("DELETE "+thePath, absent)
	require.NoError(t, web.Delete())
	assert.Equal(t, []string{"DELETE " + thePath}, server.Wrote(), "the new one can be deleted")
}

func TestAnObjectThatNeverBecameOursIsNotDeleted(t *testing.T) {
	t.Parallel()
	pending := func(t *testing.T, found string) (*verbs.Server, *verbs.Resource) {
		server := verbs.NewServer(t)
		server.Says("PATCH "+thePath, verbs.Cut)
		web := verbs.New(t, "KubeObject", process(server))
		require.Error(t, web.Create(program(configMap())))
		require.Equal(t, property.New(true), web.Outputs.Get("__pendingProjection"))
		server.Says("GET "+thePath, verbs.JSON(200, found))
		server.Says("DELETE "+thePath, absent)
		server.Asked()
		return server, web.In(t, process(server))
	}
	t.Run("another manager has made it", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t, live(theUID, `{"color":"blue"}`, owns("kubectl", "Apply", `{"f:color":{}}`)))
		require.NoError(t, web.Delete())
		assert.Empty(t, server.Wrote())
	})
	t.Run("it does not say who has made it", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t, live(theUID, `{"color":"blue"}`))
		require.ErrorContains(t, web.Delete(), "was not deleted: the response has no metadata.managedFields")
		assert.Empty(t, server.Wrote())
	})
	t.Run("we have made it, and it is deleted", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t, applied)
		require.NoError(t, web.Delete())
		assert.Equal(t, []string{"DELETE " + thePath}, server.Wrote())
	})
}

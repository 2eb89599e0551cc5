package wait_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestALookThatProvesNothingForgetsNoWait(t *testing.T) {
	t.Parallel()
	for what, fail := range verbs.Unreadable {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := waited(t, forColor)
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
			again, err := web.Diff(program(forColor))
			assert.True(t, err != nil || again.HasChanges, "and neither does a preview: it fails, or waits again")
			require.NoError(t, web.Delete(), "a Wait leaves nothing behind")
		})
		t.Run(what+", while it is waited for", func(t *testing.T) {
			t.Parallel()
			server, web := pending(t)
			before := web.Outputs
			fail(server)
			require.ErrorContains(t, web.Read(), "an earlier wait timed out or failed")
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, before, web.Outputs.Delete("__staleRead"))
			require.Len(t, web.Reasons, 1, "what depends on it is not made")
			diff, err := web.DiffAfterRead()
			require.NoError(t, err)
			assert.Equal(t, kinds{"__pendingWait": "update of the inputs"}, verbs.Kinds(diff))
		})
	}
	for what, own := range map[string]any{
		"the connection is known only after the apply": verbs.Unknown, "the connection is in a file that is not there": m{"kubeconfig": "/nonexistent/kubeconfig"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			_, web := waited(t, forColor)
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

func TestALookAtWhatWasWaitedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		waitFor m
		there   func(*verbs.Server)
		forgets bool
		status  property.Value
	}{
		{name: "is as it was", waitFor: forColor, status: color("blue")},
		{name: "renews its fields", waitFor: forColor, there: says(withColor(verbs.UID, "red")), status: color("red")},
		{name: "does not mind what does not hold any more", waitFor: forBlue, there: says(withColor(verbs.UID, "red"))},
		{name: "is absent: it is to be waited for again", waitFor: forColor, there: says(verbs.Absent), forgets: true},
		{name: "is another object of its name: it is to be waited for again", waitFor: forBlue, there: says(withColor("another", "blue")), forgets: true},
		{name: "is absent in another cluster: the state keeps it", waitFor: forColor, there: func(s *verbs.Server) { says(verbs.Absent)(s); s.IsCluster("another") }, status: color("blue")},
		{name: "is absent, and nobody knows whether in its cluster: the state keeps it", waitFor: forColor, there: func(s *verbs.Server) {
			says(verbs.Absent)(s)
			s.Says("GET /api/v1/namespaces/kube-system", verbs.Page(404))
		}, status: color("blue")},
		{name: "is gone, as it was waited for", waitFor: forDeletion},
		{name: "is there again, after it was waited for its end", waitFor: forDeletion, there: says(withColor("another", "blue"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := waited(t, c.waitFor)
			if c.there != nil {
				c.there(server)
			}
			require.NoError(t, web.Read())
			if c.forgets {
				assert.Empty(t, web.ID)
				return
			}
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, c.status, web.Outputs.Get("status"))
		})
	}
	t.Run("went with a cluster that is gone for good, as the user has said", func(t *testing.T) {
		t.Parallel()
		server, web := waited(t, forColor)
		server.Stop()
		web = web.In(t, process(server, verbs.ClusterID))
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
	})
}

func TestALookAtWhatIsWaitedForInVain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, still string
		there       verbs.Answer
	}{
		{"does not hold yet", "object.data.color", withColor(verbs.UID, "red")},
		{"is not there", "it does not exist yet", verbs.Absent},
		{"has come true", "", withColor(verbs.UID, "blue")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := pending(t)
			server.Says("GET "+verbs.Path, c.there)
			err := web.Read()
			assert.Equal(t, theID, web.ID)
			if c.name == "has come true" {
				require.NoError(t, err)
				assert.Empty(t, web.Reasons)
				assert.True(t, web.Outputs.Get("__pendingWait").IsNull())
				return
			}
			require.ErrorContains(t, err, c.still)
			assert.Equal(t, []string{err.Error()}, web.Reasons, "the engine forgets it else")
			assert.Equal(t, property.New(true), web.Outputs.Get("__pendingWait"))
		})
	}
}

func TestAWaitIsNotImported(t *testing.T) {
	t.Parallel()
	server := verbs.NewServer(t)
	web := verbs.New(t, "Wait", process(server))
	web.ID = theID
	require.ErrorContains(t, web.Read(), "a Wait cannot be imported")
	assert.Empty(t, server.Asked())
}

func says(answer verbs.Answer) func(*verbs.Server) {
	return func(s *verbs.Server) { s.Says("GET "+verbs.Path, answer) }
}

func color(name string) property.Value {
	return verbs.Properties(m{"status": m{"data": m{"color": name}}}).Get("status")
}

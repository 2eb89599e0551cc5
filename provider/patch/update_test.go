package patch_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestAPreviewOfAPatchThatCannotAskSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	for what, now := range map[string]property.Map{
		"a value is unknown":        program("patch", m{"data": m{"color": verbs.Unknown}}),
		"the patch is unknown":      program("patch", verbs.Unknown),
		"the connection is unknown": program("patch", m{"data": m{"color": "green"}}, m{"clusterConnection": verbs.Unknown}),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			before := web.Outputs.Get("resourceRef").AsMap()
			server.Stop()
			planned, err := web.Plan(now)
			require.NoError(t, err)
			assert.Equal(t, property.New(before.Set("revision", verbs.Unknown)), planned.Get("resourceRef"), "what depends on the object keeps its uid")
			for _, output := range []string{"patch", "managedFields", "fieldOwnership", "previousOwners"} {
				assert.True(t, planned.Get(output).IsComputed(), output)
			}
			planned, err = verbs.New(t, "Patch", process(server)).PlanCreate(now)
			require.NoError(t, err)
			assert.Equal(t, verbs.Properties(m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "uid": verbs.Unknown, "revision": verbs.Unknown}),
				planned.Get("resourceRef").AsMap())
			assert.Empty(t, server.Asked())
			require.ErrorContains(t, web.Update(now), "the engine asked for a patch with unknown values")
		})
	}
}

func TestAnUpdateOfWhatIsAsItShouldBeWritesNothing(t *testing.T) {
	t.Parallel()
	for kind, document := range paints {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, kind)
			require.NoError(t, web.Read())
			revision := web.Outputs.Get("resourceRef").AsMap().Get("revision")
			server.Asked()
			require.NoError(t, web.Update(program(kind, document, m{"onDestroy": "remove"})))
			assert.Empty(t, server.Wrote())
			assert.Equal(t, revision, web.Outputs.Get("resourceRef").AsMap().Get("revision"))
			assert.Equal(t, property.New("remove"), web.Inputs.Get("onDestroy"))
		})
	}
}

func TestAPatchThatIsRefusedChangesNoState(t *testing.T) {
	t.Parallel()
	for kind, document := range paints {
		for what, answer := range verbs.Refused {
			t.Run(kind+": "+what, func(t *testing.T) {
				t.Parallel()
				server := verbs.NewServer(t)
				server.Says("GET "+verbs.Path, verbs.JSON(200, before))
				server.Says("PATCH "+verbs.Path, answer)
				web := verbs.New(t, "Patch", process(server))
				require.Error(t, web.Create(program(kind, document)))
				assert.Empty(t, web.ID)
				assert.Empty(t, web.Reasons)
			})
		}
	}
	t.Run("there is nothing to patch", func(t *testing.T) {
		t.Parallel()
		server := verbs.NewServer(t)
		server.Says("GET "+verbs.Path, verbs.Absent)
		web := verbs.New(t, "Patch", process(server))
		require.ErrorContains(t, web.Create(program("patch", paints["patch"])), "A Patch changes existing objects; to create one, use KubeObject.")
		assert.Empty(t, web.ID)
		assert.Empty(t, server.Wrote())
	})
	t.Run("a look that proves nothing", func(t *testing.T) {
		t.Parallel()
		for what, fail := range verbs.Unreadable {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				server, web := made(t, "patch")
				fail(server)
				saved := web.Outputs
				require.Error(t, web.Update(program("patch", m{"data": m{"color": "green"}})))
				assert.Equal(t, saved, web.Outputs)
				assert.Empty(t, server.Wrote())
			})
		}
	})
}

func TestAPatchWhoseReplyIsLostIsInTheState(t *testing.T) {
	t.Parallel()
	for kind, document := range paints {
		for what, answer := range verbs.Lost {
			t.Run(kind+": "+what, func(t *testing.T) {
				t.Parallel()
				server := verbs.NewServer(t)
				server.Says("GET "+verbs.Path, verbs.JSON(200, before))
				server.Says("PATCH "+verbs.Path+" (dry-run)", verbs.JSON(200, patched(kind)))
				server.Says("PATCH "+verbs.Path, answer)
				web := verbs.New(t, "Patch", process(server))
				err := web.Create(program(kind, document))
				require.ErrorContains(t, err, "it is not known whether the API server carried out the patch")
				assert.Equal(t, []string{err.Error()}, web.Reasons)
				assert.Equal(t, theID, web.ID)
				assert.Equal(t, property.New(true), web.Outputs.Get("__pendingPatch"))
				assert.Equal(t, property.New("7"), web.Outputs.Get("__resourceVersionBefore"), "by which the next run tells whether anything was written")
				assert.Equal(t, []string{"PATCH " + verbs.Path}, server.Wrote(), "a write is sent once")
			})
		}
	}
}

package object_test

import (
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestAPreviewOfAnUpdateThatCannotAskKeepsWhichObjectItIs(t *testing.T) {
	t.Parallel()
	for what, now := range map[string]property.Map{
		"a value is unknown":          program(with(verbs.Unknown, "data", "color")),
		"a path to ignore is unknown": program(configMap(), m{"ignoreFields": []any{verbs.Unknown}}),
		"the connection is unknown":   program(with("red", "data", "color"), m{"clusterConnection": verbs.Unknown}),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			before := web.Outputs.Get("resourceRef").AsMap()
			server.Stop()
			planned, err := web.Plan(now)
			require.NoError(t, err)
			assert.Equal(t, property.New(before.Set("revision", verbs.Unknown)), planned.Get("resourceRef"), "what depends on the object keeps its uid")
			assert.True(t, planned.Get("manifest").IsComputed())
			assert.True(t, planned.Get("fieldOwnership").IsComputed())
			assert.Empty(t, server.Asked())
		})
	}
}

func TestAPreviewOfAnUpdateLeavesOpenWhichObjectItIs(t *testing.T) {
	t.Parallel()
	// A child of a component is called as its object is.
	const inSet = "urn:pulumi:dev::shop::k8sconnect:index:Manifests$k8sconnect:index:KubeObject::set:configmap.shop.web"
	for _, c := range []struct {
		name    string
		now     property.Map
		urn     resource.URN
		unknown []string
	}{
		{"the manifest is unknown", program(verbs.Unknown), "", []string{"apiVersion", "kind", "name", "namespace", "uid"}},
		{"the name is unknown", program(with(verbs.Unknown, "metadata", "name")), "", []string{"name", "uid"}},
		{"the metadata is unknown", program(with(verbs.Unknown, "metadata")), "", []string{"name", "namespace", "uid"}},
		{"the kind is unknown", program(with(verbs.Unknown, "kind")), "", []string{"kind", "uid"}},
		{"the manifest of an object in a set is unknown", program(verbs.Unknown), inSet, nil},
		{"the name of an object in a set is unknown", program(with(verbs.Unknown, "metadata", "name")), inSet, []string{"name", "uid"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			server.Stop()
			if c.urn != "" {
				web.URN = c.urn
			}
			want := web.Outputs.Get("resourceRef").AsMap().Set("revision", verbs.Unknown)
			for _, part := range c.unknown {
				want = want.Set(part, verbs.Unknown)
			}
			diff, err := web.Diff(c.now)
			require.NoError(t, err)
			for path, change := range diff.DetailedDiff {
				assert.Equal(t, p.Update, change.Kind, path)
			}
			planned, err := web.Plan(c.now)
			require.NoError(t, err)
			assert.Equal(t, property.New(want), planned.Get("resourceRef"))
			said := strings.Join(web.Said(), "\n")
			assert.Equal(t, c.unknown != nil, strings.Contains(said, "whether the resource stays with this object is known only after the apply"), said)
			assert.NotContains(t, said, "WARN", "it loses nothing that the program does not bring back")
			assert.Empty(t, server.Asked())
		})
	}
}

func TestAnUpdateThatIsRefusedChangesNoState(t *testing.T) {
	t.Parallel()
	now := program(with("red", "data", "color"))
	for what, answer := range verbs.Refused {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			require.NoError(t, web.Read())
			before := web.Outputs
			server.Says("PATCH "+thePath, answer)
			require.Error(t, web.Update(now))
			assert.Equal(t, before, web.Outputs)
			assert.Equal(t, program(configMap()), web.Inputs)
			assert.Empty(t, web.Reasons)
		})
	}
	t.Run("nobody who listens", func(t *testing.T) {
		t.Parallel()
		server, web := made(t)
		require.NoError(t, web.Read())
		before := web.Outputs
		server.Stop()
		require.ErrorContains(t, web.Update(now), "connection refused")
		assert.Equal(t, before, web.Outputs)
		assert.Empty(t, web.Reasons)
	})
}

func TestAnUpdateWhoseReplyIsLostIsCarriedOutAgain(t *testing.T) {
	t.Parallel()
	now := program(with("red", "data", "color"))
	for what, answer := range verbs.Lost {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			require.NoError(t, web.Read())
			server.Says("PATCH "+thePath, answer)
			err := web.Update(now)
			require.ErrorContains(t, err, "it is not known whether the API server applied the object")
			assert.Equal(t, []string{err.Error()}, web.Reasons)
			assert.Equal(t, property.New(true), web.Outputs.Get("__pendingProjection"))
			assert.Equal(t, property.New(true), web.Outputs.Get("__aheadOfInputs"), "the engine keeps the inputs of before")
			assert.Equal(t, theUID, web.Outputs.Get("resourceRef").AsMap().Get("uid").AsString(), "the next apply is onto this object alone")
			assert.Equal(t, []string{"PATCH " + thePath}, server.Wrote(), "a write is sent once")

			server.Says("GET "+thePath, verbs.JSON(200, applied))
			server.Says("PATCH "+thePath, verbs.JSON(200, strings.Replace(applied, `"blue"`, `"red"`, 1)))
			web = web.In(t, process(server))
			require.NoError(t, web.Read())
			diff, err := web.Diff(program(configMap()))
			require.NoError(t, err)
			assert.Equal(t, kinds{"manifest": "update"}, verbs.Kinds(diff), "also where the program says what it said before")
			require.NoError(t, web.Update(now))
			assert.True(t, web.Outputs.Get("__pendingProjection").IsNull())
			assert.True(t, web.Outputs.Get("__aheadOfInputs").IsNull())
			diff, err = web.Diff(now)
			require.NoError(t, err)
			assert.Equal(t, kinds{}, verbs.Kinds(diff))
		})
	}
}

func TestAStateThatIsAheadOfItsInputsShowsNoSecret(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	require.NoError(t, web.Read())
	server.Says("PATCH "+thePath, verbs.Cut)
	require.Error(t, web.Update(program(with(verbs.Secret("hunter2"), "data", "color"))))
	assert.True(t, web.Outputs.Get("manifest").Secret(), "the saved inputs do not say what is secret")
	server.Says("GET "+thePath, verbs.JSON(200, strings.Replace(applied, `"blue"`, `"hunter2"`, 1)))
	require.NoError(t, web.Read())
	assert.True(t, web.Outputs.Get("manifest").Secret())
}

func TestARevisionChangesWithWritesAlone(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	revision := func() string { return web.Outputs.Get("resourceRef").AsMap().Get("revision").AsString() }
	first := revision()
	server.Says("GET "+thePath, verbs.JSON(200, live(theUID, `{"color":"red","size":"small"}`, owns(ours, "Apply", `{"f:size":{}}`))))
	require.NoError(t, web.Read())
	assert.Equal(t, first, revision(), "drift is no write of ours")
	require.NoError(t, web.Update(program(configMap())))
	assert.NotEqual(t, first, revision(), "what puts drift right is")
}

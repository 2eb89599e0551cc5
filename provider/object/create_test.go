package object_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestAPreviewOfACreateSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	ref := func(members m) property.Value {
		all := m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web", "namespace": verbs.Unknown, "uid": verbs.Unknown, "revision": verbs.Unknown}
		maps.Copy(all, members)
		return verbs.Properties(m{"ref": all}).Get("ref")
	}
	for _, c := range []struct {
		name string
		now  property.Map
		ref  property.Value
		said string
	}{
		{"a value is unknown", program(with(verbs.Unknown, "data", "color")), ref(nil), "INFO 1 value(s) of the resource are known only after the apply: manifest.data.color"},
		{"a namespace is known", program(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "web", "namespace": "shop"}, "data": verbs.Unknown}),
			ref(m{"namespace": "shop"}), "INFO 1 value(s) of the resource are known only after the apply: manifest.data"},
		{"the name is unknown", program(with(verbs.Unknown, "metadata", "name")), ref(m{"name": verbs.Unknown}), "manifest.metadata.name"},
		{"the manifest is unknown", program(verbs.Unknown), ref(m{"apiVersion": verbs.Unknown, "kind": verbs.Unknown, "name": verbs.Unknown}), "known only after the apply: manifest"},
		{"the connection is unknown", program(configMap(), m{"clusterConnection": verbs.Unknown}), ref(nil), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			web := unmade(t)
			planned, err := web.PlanCreate(c.now)
			require.NoError(t, err)
			assert.Equal(t, c.ref, planned.Get("resourceRef"))
			assert.True(t, planned.Get("manifest").IsComputed())
			assert.True(t, planned.Get("fieldOwnership").IsComputed())
			assert.Contains(t, strings.Join(web.Said(), "\n"), c.said)
		})
	}
	t.Run("an object in its place is refused, also while values are unknown", func(t *testing.T) {
		t.Parallel()
		unknown, theirs := with(verbs.Unknown, "data", "color"), verbs.ConfigMap(verbs.UID, `{"color":"red"}`, verbs.Owns("kubectl", "Apply", `{"f:color":{}}`))
		another := verbs.ConfigMap(verbs.UID, `{"color":"red"}`, verbs.Owns("k8sconnect-other.dev.web-12345678", "Apply", `{"f:color":{}}`))
		for _, c := range []struct {
			name string
			now  property.Map
			live string
			says string
		}{
			{"of someone else", program(unknown), theirs, "already exists"},
			{"of another KubeObject", program(unknown), another, "managed by the KubeObject"},
			{"unless it is adopted", program(unknown, m{"adopt": true}), theirs, ""},
			{"unless it is not known yet whether it is adopted", program(unknown, m{"adopt": verbs.Unknown}), theirs, ""},
			{"unless it is not known yet from whom it is taken over", program(unknown, m{"takeOverFrom": verbs.Unknown}), another, ""},
		} {
			server := verbs.NewServer(t)
			server.Says("GET "+thePath, verbs.JSON(200, c.live))
			_, err := verbs.New(t, "KubeObject", process(server)).PlanCreate(c.now)
			if c.says == "" {
				require.NoError(t, err, c.name)
			} else {
				require.ErrorContains(t, err, c.says, c.name)
			}
			assert.Empty(t, server.Wrote(), c.name)
		}
	})
	t.Run("a cluster that is away is an error", func(t *testing.T) {
		t.Parallel()
		server := verbs.NewServer(t)
		server.Stop()
		_, err := verbs.New(t, "KubeObject", process(server)).PlanCreate(program(configMap()))
		require.ErrorContains(t, err, "connection refused")
	})
	t.Run("a preview writes nothing, and keeps nothing that a dry-run made up", func(t *testing.T) {
		t.Parallel()
		server := verbs.NewServer(t)
		server.Says("PATCH "+thePath+" (dry-run)", verbs.JSON(201, applied))
		planned, err := verbs.New(t, "KubeObject", process(server)).PlanCreate(program(configMap()))
		require.NoError(t, err)
		assert.Empty(t, server.Wrote())
		assert.Equal(t, ref(m{"namespace": "shop"}), planned.Get("resourceRef"))
		assert.Equal(t, "blue", planned.Get("manifest").AsMap().Get("data").AsMap().Get("color").AsString())
	})
}

func TestNothingUnknownIsWritten(t *testing.T) {
	t.Parallel()
	for what, now := range map[string]property.Map{
		"a value":           program(with(verbs.Unknown, "data", "color")),
		"the manifest":      program(verbs.Unknown),
		"a path to ignore":  program(configMap(), m{"ignoreFields": []any{verbs.Unknown}}),
		"the connection":    program(configMap(), m{"clusterConnection": verbs.Unknown}),
		"the whole of data": program(with(verbs.Unknown, "data")),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, unmade(t).Create(now), "the engine asked for an apply with unknown values")
			server, web := made(t)
			require.ErrorContains(t, web.Update(now), "the engine asked for an apply with unknown values")
			assert.Empty(t, server.Wrote())
		})
	}
}

func TestACreateWhoseReplyIsLostIsInTheState(t *testing.T) {
	t.Parallel()
	for what, answer := range verbs.Lost {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			server.Says("PATCH "+thePath, answer)
			web := verbs.New(t, "KubeObject", process(server))
			err := web.Create(program(configMap()))
			require.ErrorContains(t, err, "it is not known whether the API server applied the object")
			assert.Equal(t, []string{err.Error()}, web.Reasons, "what depends on it is not made")
			assert.Equal(t, theID, web.ID)
			assert.Equal(t, property.New(true), web.Outputs.Get("__pendingProjection"))
			assert.Equal(t, []string{"PATCH " + thePath}, server.Wrote(), "a write is sent once")

			web = web.In(t, process(server))
			server.SaysAlways(verbs.Page(502))
			require.ErrorContains(t, web.Read(), "an earlier apply is still unconfirmed")
			assert.Equal(t, theID, web.ID, "a look that proves nothing keeps it")
			assert.Equal(t, property.New(true), web.Outputs.Get("__pendingProjection"))
			diff, err := web.DiffAfterRead()
			require.NoError(t, err)
			assert.Equal(t, kinds{"manifest": "update"}, verbs.Kinds(diff), "never a replacement")
		})
	}
}

func TestALookSettlesACreateWhoseReplyWasLost(t *testing.T) {
	t.Parallel()
	pending := func(t *testing.T) (*verbs.Server, *verbs.Resource) {
		server := verbs.NewServer(t)
		server.Says("PATCH "+thePath, verbs.JSON(201, ""))
		web := verbs.New(t, "KubeObject", process(server))
		require.Error(t, web.Create(program(configMap())))
		return server, web.In(t, process(server))
	}
	t.Run("the object has our field manager: it is made", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t)
		server.Says("GET "+thePath, verbs.JSON(200, applied))
		require.NoError(t, web.Read())
		assert.Equal(t, theUID, web.Outputs.Get("resourceRef").AsMap().Get("uid").AsString())
		assert.True(t, web.Outputs.Get("__pendingProjection").IsNull())
	})
	t.Run("there is none: it is not made, and nothing was deleted by others", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t)
		server.Says("GET "+thePath, absent)
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
		assert.Empty(t, web.Said())
	})
	t.Run("another manager has made one: ours is not made", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t)
		server.Says("GET "+thePath, verbs.JSON(200, live(theUID, `{"color":"blue"}`, owns("kubectl", "Apply", `{"f:color":{}}`))))
		require.NoError(t, web.Read())
		assert.Empty(t, web.ID)
	})
	t.Run("a proxy has left out who manages it: nobody knows", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t)
		server.Says("GET "+thePath, verbs.JSON(200, live(theUID, `{"color":"blue","size":"small"}`)))
		require.ErrorContains(t, web.Read(), "an earlier apply is still unconfirmed")
		assert.Equal(t, theID, web.ID)
	})
}

func TestARefusedCreateIsNotInTheState(t *testing.T) {
	t.Parallel()
	for what, answer := range verbs.Refused {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			server.Says("PATCH "+thePath, answer)
			web := verbs.New(t, "KubeObject", process(server))
			require.Error(t, web.Create(program(configMap())))
			assert.Empty(t, web.ID)
			assert.Empty(t, web.Reasons)
		})
	}
	t.Run("nobody who listens", func(t *testing.T) {
		t.Parallel()
		web := unmade(t)
		require.ErrorContains(t, web.Create(program(configMap())), "connection refused")
		assert.Empty(t, web.ID)
	})
}

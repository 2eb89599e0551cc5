package wait_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

const theList, theSelection = "GET /api/v1/namespaces/shop/configmaps", "v1/ConfigMap/shop/team=red"

// many is a program with a Wait for many ConfigMaps, and with other inputs.
func many(waitFor any, more ...m) property.Map {
	inputs := m{"selector": m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "labelSelector": "team=red"}, "waitFor": waitFor}
	for _, other := range more {
		maps.Copy(inputs, other)
	}
	return verbs.Properties(inputs)
}

// listOf is the list of one ConfigMap.
func listOf(color string) verbs.Answer {
	return verbs.JSON(200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[`+
		verbs.ConfigMap(verbs.UID, `{"color":"`+color+`"}`)+`]}`)
}

func TestAWaitForManyThatHasHeldIsOver(t *testing.T) { // [R22]
	t.Parallel()
	selecting := func(members m) m {
		all := m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "labelSelector": "team=red"}
		maps.Copy(all, members)
		return m{"selector": all}
	}
	for _, c := range []struct {
		name  string
		now   property.Map
		shows kinds
	}{
		{"nothing has changed", many(forBlue), kinds{}},
		{"another connection that is not known", many(forBlue, m{"clusterConnection": verbs.Unknown}), kinds{}},
		{"a count", many(forBlue, m{"count": m{"atLeast": 1}}), kinds{"count": "add of the inputs"}},
		{"a trigger", many(forBlue, m{"triggers": []any{"1"}}), kinds{"triggers": "add of the inputs"}},
		{"a timeout", many(blueSoon()), kinds{"waitFor.timeout": "add of the inputs"}},
		{"other labels", many(forBlue, selecting(m{"labelSelector": "team=blue"})), kinds{"selector.labelSelector": "update&replace of the inputs"}},
		{"another namespace", many(forBlue, selecting(m{"namespace": "blog"})), kinds{"selector.namespace": "update&replace of the inputs"}},
		{"another kind", many(forBlue, selecting(m{"kind": "Secret"})), kinds{"selector.kind": "update&replace of the inputs"}},
		{"labels that are known only after the apply", many(forBlue, selecting(m{"labelSelector": verbs.Unknown})), kinds{"selector.labelSelector": "update of the inputs"}},
		{"a selector that is known only after the apply", many(forBlue, m{"selector": verbs.Unknown}), kinds{"selector": "update of the inputs"}},
		{"one object instead", program(forBlue), kinds{"selector": "delete&replace of the inputs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			server.Says(theList, listOf("blue"))
			web := verbs.New(t, "Wait", process(server))
			require.NoError(t, web.Create(many(forBlue)))
			assert.Equal(t, theSelection, web.ID)
			before := web.Outputs
			web = web.In(t, process(server))
			server.Stop()
			server.Asked()
			require.NoError(t, web.Read())
			assert.Equal(t, before, web.Outputs)
			diff, err := web.Diff(c.now)
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff))
			assert.Empty(t, server.Asked())
		})
	}
	t.Run("one object before", func(t *testing.T) {
		t.Parallel()
		_, web := waited(t, forBlue)
		diff, err := web.Diff(many(forBlue))
		require.NoError(t, err)
		assert.Equal(t, kinds{"selector": "add&replace of the inputs"}, verbs.Kinds(diff))
	})
}

func TestAWaitForManyInVain(t *testing.T) { // [R22]
	t.Parallel()
	failed := func(t *testing.T) (*verbs.Server, *verbs.Resource) {
		t.Helper()
		server := verbs.NewServer(t)
		server.Says(theList, listOf("red"))
		web := verbs.New(t, "Wait", process(server))
		require.Error(t, web.Create(many(blueSoon())))
		assert.Equal(t, theSelection, web.ID)
		require.Len(t, web.Reasons, 1, "what depends on it is not made")
		server.Asked()
		return server, web.In(t, process(server))
	}
	t.Run("is read, and stays", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		require.ErrorContains(t, web.Read(), "0 of 1 are as awaited; web: ")
		assert.Contains(t, server.Asked(), theList)
		diff, err := web.Diff(many(blueSoon()))
		require.NoError(t, err)
		assert.Equal(t, kinds{"__pendingWait": "update of the inputs"}, verbs.Kinds(diff))
		assert.Empty(t, server.Wrote(), "a Wait never touches an object")
	})
	t.Run("is read, and is over", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Says(theList, listOf("blue"))
		require.NoError(t, web.Read())
		diff, err := web.Diff(many(blueSoon()))
		require.NoError(t, err)
		assert.Equal(t, kinds{}, verbs.Kinds(diff))
	})
	t.Run("is not over by the objects of another cluster", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Says(theList, listOf("blue"))
		server.IsCluster("another")
		require.ErrorContains(t, web.Read(), "the objects could not be listed")
		assert.Equal(t, property.New(true), web.Outputs.Get("__pendingWait"))
	})
	t.Run("stays while it cannot be read", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Stop()
		require.ErrorContains(t, web.Read(), "the objects could not be listed")
		assert.Equal(t, property.New(true), web.Outputs.Get("__pendingWait"))
		require.NoError(t, web.Delete())
	})
	t.Run("is waited for again, in place", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Says(theList, listOf("blue"))
		require.NoError(t, web.Update(many(forBlue)))
		assert.True(t, web.Outputs.Get("__pendingWait").IsNull())
		assert.True(t, web.Outputs.Get("status").IsNull())
	})
}

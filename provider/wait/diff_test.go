package wait_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestADiffOfAWaitAsksNothing(t *testing.T) {
	t.Parallel()
	ref := func(members m) m {
		all := m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "web"}
		maps.Copy(all, members)
		return m{"resourceRef": all}
	}
	for _, c := range []struct {
		name  string
		now   property.Map
		shows kinds
	}{
		{"nothing has changed", program(forColor), kinds{}},
		{"a connection that is known only after the apply", program(forColor, m{"clusterConnection": verbs.Unknown}), kinds{}},
		{"a path more", program(m{"field": "data.size"}), kinds{"waitFor.field": "update of the inputs"}},
		{"other criteria", program(forBlue), kinds{"waitFor.field": "delete of the inputs", "waitFor.expression": "add of the inputs"}},
		{"a timeout", program(m{"field": "data.color", "timeout": "1m"}), kinds{"waitFor.timeout": "add of the inputs"}},
		{"criteria that are known only after the apply", program(verbs.Unknown), kinds{"waitFor": "update of the inputs"}},
		{"a trigger", program(forColor, m{"triggers": []any{"1"}}), kinds{"triggers": "add of the inputs"}},
		{"a trigger that is known only after the apply", program(forColor, m{"triggers": []any{verbs.Unknown}}), kinds{"triggers": "add of the inputs"}},
		{"another revision of the object", program(forColor, ref(m{"revision": "2"})), kinds{"resourceRef.revision": "add of the inputs"}},
		{"a uid that is known only after the apply", program(forColor, ref(m{"uid": verbs.Unknown})), kinds{"resourceRef.uid": "add of the inputs"}},
		{"another name", program(forColor, ref(m{"name": "web2"})), kinds{"resourceRef.name": "update&replace of the inputs"}},
		{"another namespace", program(forColor, ref(m{"namespace": "blog"})), kinds{"resourceRef.namespace": "update&replace of the inputs"}},
		{"another kind", program(forColor, ref(m{"kind": "Secret"})), kinds{"resourceRef.kind": "update&replace of the inputs"}},
		{"another API group", program(forColor, ref(m{"apiVersion": "apps/v1"})), kinds{"resourceRef.apiVersion": "update&replace of the inputs"}},
		{"a name that is known only after the apply is no replacement", program(forColor, ref(m{"name": verbs.Unknown})), kinds{"resourceRef.name": "update of the inputs"}},
		{"an object that is known only after the apply", program(forColor, m{"resourceRef": verbs.Unknown}), kinds{"resourceRef": "update of the inputs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := waited(t, forColor)
			require.NoError(t, web.Read())
			server.Stop()
			server.Asked()
			diff, err := web.Diff(c.now)
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff))
			assert.Empty(t, server.Asked())
		})
	}
	t.Run("what was waited for in vain", func(t *testing.T) {
		t.Parallel()
		server, web := pending(t)
		server.Stop()
		server.Asked()
		diff, err := web.Diff(program(blueSoon()))
		require.NoError(t, err)
		assert.Equal(t, kinds{"__pendingWait": "update of the inputs"}, verbs.Kinds(diff))
		assert.Empty(t, server.Asked())
	})
	t.Run("a state of the first version", func(t *testing.T) {
		t.Parallel()
		server := verbs.NewServer(t)
		server.Stop()
		first, now := verbs.First(t, "wait", process(server))
		diff, err := first.DiffAfterRead()
		require.NoError(t, err)
		assert.Equal(t, kinds{}, verbs.Kinds(diff))
		diff, err = first.Diff(now)
		require.NoError(t, err)
		assert.Equal(t, kinds{}, verbs.Kinds(diff))
		assert.Empty(t, server.Asked())
	})
}

func TestADiffOfAWaitAfterAFailedReadLooksForItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, fails string
		waitFor     m
		there       func(*verbs.Server)
		shows       kinds
	}{
		{name: "and finds nothing to do", waitFor: forColor, there: says(withColor(verbs.UID, "blue")), shows: kinds{}},
		{name: "and finds other values", waitFor: forColor, there: says(withColor(verbs.UID, "red")), shows: kinds{"status": "update"}},
		{name: "and does not mind what does not hold any more", waitFor: forBlue, there: says(withColor(verbs.UID, "red")), shows: kinds{}},
		{name: "and finds that the object is gone", waitFor: forBlue, there: says(verbs.Absent), shows: kinds{"__uid": "update of the inputs"}},
		{name: "and finds another object of its name", waitFor: forBlue, there: says(withColor("another", "blue")), shows: kinds{"__uid": "update of the inputs"}},
		{name: "and fails where it cannot look either", waitFor: forBlue, there: (*verbs.Server).Stop, fails: "connection refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := waited(t, c.waitFor)
			says(verbs.Refusal(503, "ServiceUnavailable", ""))(server)
			require.NoError(t, web.Read())
			require.Equal(t, property.New(true), web.Outputs.Get("__staleRead"))
			c.there(server)
			diff, err := web.Diff(program(c.waitFor))
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff))
		})
	}
}

func TestAWaitInAnotherClusterIsWaitedForAgain(t *testing.T) {
	t.Parallel()
	_, web := waited(t, forColor)
	require.NoError(t, web.Read())
	there := verbs.NewServer(t)
	web = web.In(t, process(there))
	diff, err := web.Diff(program(forColor))
	require.NoError(t, err)
	assert.Equal(t, kinds{}, verbs.Kinds(diff), "another address of its cluster is none")
	there = verbs.NewServer(t)
	there.IsCluster("another")
	web = web.In(t, process(there))
	diff, err = web.Diff(program(forColor))
	require.NoError(t, err)
	assert.Equal(t, kinds{"__cluster": "update of the inputs"}, verbs.Kinds(diff))
}

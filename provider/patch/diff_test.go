package patch_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestADiffOfAPatchThatNeedsNoCluster(t *testing.T) {
	t.Parallel()
	target := func(members m) m {
		all := m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web"}
		maps.Copy(all, members)
		return m{"target": all}
	}
	paint := func(more ...m) property.Map { return program("patch", paints["patch"], more...) }
	for _, c := range []struct {
		name   string
		now    property.Map
		ignore []string
		shows  kinds
	}{
		{name: "nothing has changed", now: paint(), shows: kinds{}},
		{name: "the patch is text now that says the same", now: program("patch", "data: {color: red}"), shows: kinds{}},
		{name: "the namespace is written out", now: paint(target(m{"namespace": "shop"})), shows: kinds{}},
		{name: "a connection that is known only after the apply", now: paint(m{"clusterConnection": verbs.Unknown}), shows: kinds{}},
		{name: "another onDestroy", now: paint(m{"onDestroy": "remove"}), shows: kinds{"onDestroy": "add of the inputs"}},
		{name: "something to wait for", now: paint(m{"waitFor": m{"field": "data.color"}}), shows: kinds{"waitFor": "add of the inputs"}},
		{name: "a KubeObject to take the object over from", now: paint(m{"takeOverFrom": []any{"k8sconnect-shop.dev.web-12345678"}}), shows: kinds{"takeOverFrom": "add of the inputs"}},

		{name: "another name", now: paint(target(m{"name": "web2"})), shows: kinds{"target.name": "update&replace of the inputs"}},
		{name: "another namespace", now: paint(target(m{"namespace": "blog"})), shows: kinds{"target.namespace": "update&replace of the inputs"}},
		{name: "another kind", now: paint(target(m{"kind": "Secret"})), shows: kinds{"target.kind": "update&replace of the inputs"}},
		{name: "another API group", now: paint(target(m{"apiVersion": "apps/v1"})), shows: kinds{"target.apiVersion": "update&replace of the inputs"}},
		{name: "a name that is known only after the apply is no replacement", now: paint(target(m{"name": verbs.Unknown})), shows: kinds{"target.name": "update of the inputs"}},
		{name: "a target that is known only after the apply", now: paint(m{"target": verbs.Unknown}), shows: kinds{"target": "update of the inputs"}},

		{name: "a value that is known only after the apply", now: program("patch", m{"data": m{"color": verbs.Unknown}}), shows: kinds{"patch.data.color": "update of the inputs"}},
		{name: "a patch that is known only after the apply", now: program("patch", verbs.Unknown), shows: kinds{"patch": "update of the inputs"}},
		{name: "another value, in a cluster that is made in the same run", now: program("patch", m{"data": m{"color": "green"}}, m{"clusterConnection": verbs.Unknown}),
			shows: kinds{"patch.data.color": "update of the inputs"}},
		{name: "an unknown value under ignoreChanges", now: program("patch", m{"data": m{"color": verbs.Unknown}}), ignore: []string{"patch"}, shows: kinds{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			require.NoError(t, web.Read())
			server.Stop()
			server.Asked()
			diff, err := web.Diff(c.now, c.ignore...)
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff))
			assert.Empty(t, server.Asked())
		})
	}
	for kind, document := range paints {
		t.Run("nothing has changed of a "+kind, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, kind)
			require.NoError(t, web.Read())
			server.Stop()
			diff, err := web.DiffAfterRead()
			require.NoError(t, err)
			assert.Equal(t, kinds{}, verbs.Kinds(diff), "a refresh")
			diff, err = web.Diff(program(kind, document))
			require.NoError(t, err)
			assert.Equal(t, kinds{}, verbs.Kinds(diff), "a preview")
		})
		t.Run("another "+kind+" is not guessed at where the cluster is away", func(t *testing.T) {
			t.Parallel()
			server, web := made(t, kind)
			require.NoError(t, web.Read())
			server.Stop()
			other := map[string]any{
				"patch": m{"data": m{"color": "green"}}, "mergePatch": m{"data": m{"color": "green"}},
				"jsonPatch": []any{m{"op": "replace", "path": "/data/color", "value": "green"}},
			}
			_, err := web.Diff(program(kind, other[kind]))
			require.ErrorContains(t, err, "connection refused")
		})
	}
}

func TestDriftOfAPatchIsShownWhereItIs(t *testing.T) {
	t.Parallel()
	at := kinds{"patch": "patch.data.color", "mergePatch": "mergePatch.data.color", "jsonPatch": "jsonPatch[0].value"}
	for kind, document := range paints {
		for _, c := range []struct {
			name, live, shows string
			ignore            []string
		}{
			{name: "a value that another manager has changed", live: verbs.ConfigMap(verbs.UID, `{"color":"blue","size":"small"}`,
				verbs.Owns("kubectl", "Apply", `{"f:color":{},"f:size":{}}`)), shows: "update"},
			{name: "a value that is nobody's business", live: strings.Replace(patched(kind), `"small"`, `"large"`, 1)},
			{name: "a changed value under ignoreChanges", live: verbs.ConfigMap(verbs.UID, `{"color":"blue","size":"small"}`,
				verbs.Owns("kubectl", "Apply", `{"f:color":{},"f:size":{}}`)), ignore: []string{kind}},
		} {
			t.Run(kind+": "+c.name, func(t *testing.T) {
				t.Parallel()
				server, web := made(t, kind)
				server.Says("GET "+verbs.Path, verbs.JSON(200, c.live))
				require.NoError(t, web.Read())
				server.Stop()
				server.Asked()
				diff, err := web.Diff(program(kind, document), c.ignore...)
				require.NoError(t, err)
				shows := kinds{}
				if c.shows != "" {
					shows[at[kind]] = c.shows
				}
				assert.Equal(t, shows, verbs.Kinds(diff))
				assert.Empty(t, server.Asked())
			})
		}
	}
}

func TestADiffOfAPatchAfterAFailedReadLooksForItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		there func(*verbs.Server)
		shows kinds
		fails string
	}{
		{name: "and finds nothing to do", there: func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.JSON(200, patched("patch"))) }, shows: kinds{}},
		{name: "and finds that the object is gone", there: func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.Absent) }, shows: kinds{"patch": "update"}},
		{name: "and finds another cluster", there: func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.Absent); s.IsCluster("another") },
			shows: kinds{"__cluster": "update&replace"}},
		{name: "and fails where it cannot look either", there: (*verbs.Server).Stop, fails: "connection refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			server.Says("GET "+verbs.Path, verbs.Refusal(503, "ServiceUnavailable", ""))
			require.NoError(t, web.Read())
			c.there(server)
			diff, err := web.Diff(program("patch", paints["patch"]))
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff))
		})
	}
}

func TestADiffOfAPatchInAnotherClusterIsAReplacementThatTouchesNothing(t *testing.T) {
	t.Parallel()
	server, web := made(t, "patch")
	require.NoError(t, web.Read())
	there := verbs.NewServer(t)
	there.IsCluster("another")
	web = web.In(t, process(there))
	diff, err := web.Diff(program("patch", paints["patch"]))
	require.NoError(t, err)
	assert.Equal(t, kinds{"__cluster": "update&replace"}, verbs.Kinds(diff))
	assert.True(t, diff.DeleteBeforeReplace)
	server.Asked()
	there.Asked()
	require.NoError(t, web.Delete())
	assert.Empty(t, append(server.Asked(), there.Asked()...))
}

func TestARenamedPatchIsUpdatedInPlace(t *testing.T) {
	t.Parallel()
	server, web := made(t, "patch")
	web.URN = resource.URN(strings.Replace(string(web.URN), "::web", "::website", 1))
	require.NoError(t, web.Read())
	server.Stop()
	diff, err := web.Diff(program("patch", paints["patch"]))
	require.NoError(t, err)
	assert.Equal(t, kinds{"__fieldManager": "update of the inputs"}, verbs.Kinds(diff))
}

func TestADiffReadsThePatchesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"patch", "mergepatch", "jsonpatch"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			server.Stop()
			first, now := verbs.First(t, name, process(server))
			diff, err := first.DiffAfterRead()
			require.NoError(t, err)
			assert.Equal(t, kinds{}, verbs.Kinds(diff))
			diff, err = first.Diff(now)
			require.NoError(t, err)
			assert.Equal(t, kinds{}, verbs.Kinds(diff))
			assert.Empty(t, server.Asked())
		})
	}
}

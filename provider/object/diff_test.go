package object_test

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

type kinds = map[string]string

func TestADiffThatNeedsNoCluster(t *testing.T) {
	t.Parallel()
	own := func(token any) m {
		return m{"clusterConnection": m{"host": "https://127.0.0.1:1", "token": token}}
	}
	for _, c := range []struct {
		name   string
		now    property.Map
		ignore []string
		shows  kinds
	}{
		{name: "nothing has changed", now: program(configMap()), shows: kinds{}},
		{name: "the manifest is text now that says the same",
			now: verbs.Properties(m{"yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {size: small, color: blue}}"}), shows: kinds{}},
		{name: "the manifest has a status, which is never sent", now: program(with(m{"phase": "Active"}, "status")), shows: kinds{}},
		{name: "another conflictPolicy", now: program(configMap(), m{"conflictPolicy": "fail"}), shows: kinds{}},
		{name: "another deletionPropagation", now: program(configMap(), m{"deletionPropagation": "Orphan"}), shows: kinds{"deletionPropagation": "add of the inputs"}},
		{name: "another onImmutable", now: program(configMap(), m{"onImmutable": "replace"}), shows: kinds{}},
		{name: "adopt, of what is adopted", now: program(configMap(), m{"adopt": true}), shows: kinds{}},
		{name: "forceDestroy, before a destroy", now: program(configMap(), m{"forceDestroy": true}), shows: kinds{"forceDestroy": "add of the inputs"}},
		{name: "ignoreFields that select nothing", now: program(configMap(), m{"ignoreFields": []any{"data.weight"}}), shows: kinds{}},
		{name: "a connection that is known only after the apply", now: program(configMap(), m{"clusterConnection": verbs.Unknown}), shows: kinds{}},
		{name: "a token that is known only after the apply", now: program(configMap(), own(verbs.Unknown)), shows: kinds{}},

		{name: "another name", now: program(with("web2", "metadata", "name")), shows: kinds{"manifest.metadata.name": "update&replace"}},
		{name: "another namespace", now: program(with("blog", "metadata", "namespace")), shows: kinds{"manifest.metadata.namespace": "update&replace"}},
		{name: "another kind", now: program(with("Secret", "kind")), shows: kinds{"manifest.kind": "update&replace"}},
		{name: "another API group", now: program(with("shop.example.com/v1", "apiVersion")), shows: kinds{"manifest.apiVersion": "update&replace"}},
		{name: "another object altogether",
			now:   program(m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": m{"name": "api", "namespace": "blog"}}),
			shows: kinds{"manifest.apiVersion": "update&replace", "manifest.kind": "update&replace", "manifest.metadata.name": "update&replace", "manifest.metadata.namespace": "update&replace"}},
		{name: "another name, in a cluster that is made in the same run", now: program(with("web2", "metadata", "name"), m{"clusterConnection": verbs.Unknown}),
			shows: kinds{"manifest.metadata.name": "update&replace"}},

		{name: "a value that is known only after the apply", now: program(with(verbs.Unknown, "data", "color")), shows: kinds{"manifest.data.color": "update of the inputs"}},
		{name: "a key more, and its value unknown", now: program(with(verbs.Unknown, "data", "shape")), shows: kinds{"manifest.data.shape": "add of the inputs"}},
		{name: "a key more, one less, and an unknown value",
			now:   program(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "web"}, "data": m{"color": verbs.Unknown, "shape": "round"}}),
			shows: kinds{"manifest.data.color": "update of the inputs", "manifest.data.shape": "add of the inputs", "manifest.data.size": "delete of the inputs"}},
		{name: "a name that is known only after the apply is no replacement", now: program(with(verbs.Unknown, "metadata", "name")),
			shows: kinds{"manifest.metadata.name": "update of the inputs"}},
		{name: "a manifest that is known only after the apply", now: program(verbs.Unknown), shows: kinds{"manifest": "update of the inputs"}},
		{name: "a path to ignore that is known only after the apply", now: program(configMap(), m{"ignoreFields": []any{verbs.Unknown}}),
			shows: kinds{"ignoreFields": "add of the inputs"}},
		{name: "another value, in a cluster that is made in the same run", now: program(with("red", "data", "color"), m{"clusterConnection": verbs.Unknown}),
			shows: kinds{"manifest.data.color": "update of the inputs"}},
		{name: "an unknown value under ignoreChanges", now: program(with(verbs.Unknown, "data", "color")), ignore: []string{"manifest.data.color"}, shows: kinds{}},
		{name: "another value of a map under ignoreChanges, in a cluster that is made in the same run",
			now: program(with("red", "data", "color"), m{"clusterConnection": verbs.Unknown}), ignore: []string{"manifest.data"}, shows: kinds{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			require.NoError(t, web.Read())
			server.Stop()
			server.Asked()
			diff, err := web.Diff(c.now, c.ignore...)
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff))
			assert.False(t, diff.DeleteBeforeReplace)
			assert.Empty(t, server.Asked())
		})
		t.Run(c.name+", of a manifest as text [M25]", func(t *testing.T) {
			t.Parallel()
			server, web := madeBig(t)
			require.NoError(t, web.Read())
			server.Stop()
			server.Asked()
			now := big(c.now)
			diff, err := web.Diff(now, c.ignore...)
			if c.ignore != nil {
				require.ErrorContains(t, err, "ignoreChanges names "+c.ignore[0]+", and Pulumi cannot keep a part")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, asText(t, web, now, c.shows), verbs.Kinds(diff))
			assert.False(t, diff.DeleteBeforeReplace)
			assert.Empty(t, server.Asked())
		})
	}
}

func TestADiffOfTheProgramThatMustAsk(t *testing.T) {
	t.Parallel()
	for what, now := range map[string]property.Map{
		"another value":                    program(with("red", "data", "color")),
		"a key more":                       program(with("round", "data", "shape")),
		"another way to write where it is": program(with("shop", "metadata", "namespace")),
		"a field that others shall have":   program(configMap(), m{"ignoreFields": []any{"data.color"}}),
		"a connection of its own, to be told from the former": program(configMap(), m{"clusterConnection": m{"host": "https://127.0.0.1:1"}}),
	} {
		t.Run(what+": it fails where the cluster is away, and does not guess", func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			require.NoError(t, web.Read())
			server.Stop()
			_, err := web.Diff(now)
			require.ErrorContains(t, err, "connection refused")
		})
		t.Run(what+": the Diff of the engine asks nothing", func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			web.Inputs, _ = web.Check(now)
			web = web.In(t, process(server)) // no Check comes before that Diff in its process
			server.Stop()
			server.Asked()
			_, err := web.DiffAfterRead()
			require.NoError(t, err)
			assert.Empty(t, server.Asked())
		})
	}
}

func TestADryRunInDiffServesThePreviewAfterIt(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	now := program(with("red", "data", "color"))
	require.NoError(t, web.Read())
	server.Says("PATCH "+thePath, verbs.JSON(200, strings.Replace(applied, `"color":"blue"`, `"color":"red"`, 1)))
	server.Asked()
	diff, err := web.Diff(now)
	require.NoError(t, err)
	assert.Equal(t, kinds{"manifest.data.color": "update"}, verbs.Kinds(diff))
	planned, err := web.Plan(now)
	require.NoError(t, err)
	assert.Equal(t, "red", planned.Get("manifest").AsMap().Get("data").AsMap().Get("color").AsString())
	assert.Equal(t, []string{"PATCH " + thePath + " (dry-run)"}, server.Asked())
	require.NoError(t, web.Update(now))
	assert.Contains(t, server.Asked(), "PATCH "+thePath, "an update never takes the answer of a dry-run")
}

func TestDriftIsShownWhereItIs(t *testing.T) {
	t.Parallel()
	const both = `{"f:color":{},"f:size":{}}`
	for _, c := range []struct {
		name   string
		live   string
		more   m
		ignore []string
		shows  kinds
		pad    kinds // what it also shows of the padding
	}{
		{name: "a value that another manager has changed", live: live(theUID, `{"color":"red","size":"small"}`,
			owns(ours, "Apply", `{"f:size":{}}`), owns("kubectl-edit", "Update", `{"f:color":{}}`)), shows: kinds{"manifest.data.color": "update"}},
		{name: "a value that another manager has taken as it is", live: live(theUID, `{"color":"blue","size":"small"}`,
			owns(ours, "Apply", `{"f:size":{}}`), owns("kubectl-edit", "Update", `{"f:color":{}}`)), shows: kinds{"manifest.data.color": "update"}},
		{name: "a value that is gone", live: live(theUID, `{"size":"small"}`, owns(ours, "Apply", `{"f:size":{}}`)), shows: kinds{"manifest.data.color": "add"}},
		{name: "all values gone", live: live(theUID, `{}`), shows: kinds{"manifest.data": "add"}},
		{name: "a value more that is nobody's business", live: live(theUID, `{"color":"blue","size":"small","shape":"round"}`,
			owns(ours, "Apply", both), owns("kubectl-edit", "Update", `{"f:shape":{}}`)), shows: kinds{}},
		{name: "a value that is shared", live: live(theUID, `{"color":"blue","size":"small"}`,
			owns(ours, "Apply", both), owns("argocd", "Apply", `{"f:color":{}}`)), shows: kinds{}},
		{name: "a changed value under ignoreChanges", live: live(theUID, `{"color":"red","size":"small"}`,
			owns(ours, "Apply", `{"f:size":{}}`), owns("kubectl-edit", "Update", `{"f:color":{}}`)), ignore: []string{"manifest.data.color"}, shows: kinds{}},
		{name: "another object of its name with the same values", live: live("another", `{"color":"blue","size":"small"}`,
			owns("kubectl-edit", "Update", both)), shows: kinds{"manifest.data.color": "update", "manifest.data.size": "update"},
			pad: kinds{"manifest.data.pad": "update"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			server.Says("GET "+thePath, verbs.JSON(200, c.live))
			require.NoError(t, web.Read())
			require.Equal(t, theID, web.ID)
			server.Stop()
			server.Asked()
			if c.ignore == nil {
				diff, err := web.DiffAfterRead()
				require.NoError(t, err)
				assert.Equal(t, c.shows, verbs.Kinds(diff), "a refresh")
			}
			diff, err := web.Diff(program(configMap()), c.ignore...)
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff), "a preview")
			assert.Empty(t, server.Asked())
		})
		t.Run(c.name+", of a manifest as text [M25]", func(t *testing.T) {
			t.Parallel()
			server, web := madeBig(t)
			shows := maps.Clone(c.shows)
			maps.Copy(shows, c.pad)
			shows = asText(t, web, big(program(configMap())), shows)
			server.Says("GET "+thePath, verbs.JSON(200, bigLive(c.live)))
			require.NoError(t, web.Read())
			require.Equal(t, theID, web.ID)
			server.Stop()
			server.Asked()
			if c.ignore == nil {
				diff, err := web.DiffAfterRead()
				require.NoError(t, err)
				assert.Equal(t, shows, verbs.Kinds(diff), "a refresh")
			}
			diff, err := web.Diff(big(program(configMap())), c.ignore...)
			if c.ignore != nil {
				require.ErrorContains(t, err, "ignoreChanges names "+c.ignore[0]+", and Pulumi cannot keep a part")
				diff, err = web.Diff(big(program(configMap())), "manifest")
			}
			require.NoError(t, err)
			assert.Equal(t, shows, verbs.Kinds(diff), "a preview")
			assert.Empty(t, server.Asked())
		})
	}
}

func TestADiffAfterAFailedReadLooksForItself(t *testing.T) {
	t.Parallel()
	failed := func(t *testing.T) (*verbs.Server, *verbs.Resource) {
		server, web := made(t)
		server.Says("GET "+thePath, verbs.Refusal(503, "ServiceUnavailable", ""))
		require.NoError(t, web.Read())
		server.Asked()
		return server, web
	}
	t.Run("by one GET, and finds nothing to do", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Says("GET "+thePath, verbs.JSON(200, applied))
		diff, err := web.Diff(program(configMap()))
		require.NoError(t, err)
		assert.Equal(t, kinds{}, verbs.Kinds(diff))
		assert.Equal(t, []string{"GET " + thePath}, server.Asked())
	})
	t.Run("and finds drift", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Says("GET "+thePath, verbs.JSON(200, live(theUID, `{"color":"red","size":"small"}`, owns(ours, "Apply", `{"f:size":{}}`))))
		diff, err := web.Diff(program(configMap()))
		require.NoError(t, err)
		assert.Equal(t, kinds{"manifest.data.color": "update"}, verbs.Kinds(diff))
	})
	t.Run("and finds that the object is gone", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Says("GET "+thePath, absent)
		diff, err := web.Diff(program(configMap()))
		require.NoError(t, err)
		assert.NotEmpty(t, verbs.Kinds(diff), "an update makes it again")
		for path, kind := range verbs.Kinds(diff) {
			assert.NotContains(t, kind, "replace", path)
		}
	})
	t.Run("and fails where it cannot look either", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		server.Stop()
		_, err := web.Diff(program(configMap()))
		require.ErrorContains(t, err, "connection refused")
	})
	t.Run("not the engine's own Diff", func(t *testing.T) {
		t.Parallel()
		server, web := failed(t)
		diff, err := web.DiffAfterRead()
		require.NoError(t, err)
		assert.Equal(t, kinds{"__staleRead": "update"}, verbs.Kinds(diff))
		assert.Empty(t, server.Asked())
	})
}

func TestADiffOfAConnectionToAnotherAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		there func(*verbs.Server)
		shows kinds
		fails string
	}{
		{name: "of the same cluster is nothing to do", there: func(*verbs.Server) {}, shows: kinds{}},
		{name: "of another cluster is a replacement", there: func(s *verbs.Server) { s.IsCluster("another") }, shows: kinds{"__cluster": "update&replace"}},
		{name: "that does not say which cluster it is, and has the very object", there: func(s *verbs.Server) {
			s.Says("GET /api/v1/namespaces/kube-system", verbs.Refusal(403, "Forbidden", ""))
		}, shows: kinds{}},
		{name: "that does not say which cluster it is, and has no such object", there: func(s *verbs.Server) {
			s.Says("GET /api/v1/namespaces/kube-system", verbs.Refusal(403, "Forbidden", ""))
			s.Says("GET "+thePath, absent)
		}, fails: "Whether these are one cluster is not known"},
		{name: "at which a proxy has no cluster behind it", there: func(s *verbs.Server) { s.SaysAlways(verbs.Page(404)) }, fails: "it is not known whether the connection leads to its cluster"},
		{name: "at which nobody listens", there: (*verbs.Server).Stop, fails: "connection refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t)
			require.NoError(t, web.Read())
			there := verbs.NewServer(t)
			there.Says("GET "+thePath, verbs.JSON(200, applied))
			c.there(there)
			web = web.In(t, process(there))
			diff, err := web.Diff(program(configMap()))
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.shows, verbs.Kinds(diff))
			replaced := len(c.shows) > 0
			assert.Equal(t, replaced, diff.DeleteBeforeReplace, "the deletion, which does nothing, comes in the process that knows why")
			if !replaced {
				return
			}
			server.Asked()
			there.Asked()
			require.NoError(t, web.Delete())
			assert.Empty(t, append(server.Asked(), there.Asked()...), "it is left alone in both clusters")
			require.Len(t, web.Said(), 2)
			assert.Contains(t, web.Said()[0], "WARN Another cluster: objects of this stack are in "+server.URL)
			assert.Contains(t, web.Said()[1], "WARN Objects were left alone in "+server.URL)
		})
	}
}

func TestTheProvidersConflictPolicyIsNoReasonToUpdate(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	web = web.In(t, configured(server, settings{conflictPolicy: "fail"}))
	require.NoError(t, web.Read())
	server.Stop()
	diff, err := web.Diff(program(configMap()))
	require.NoError(t, err)
	assert.Equal(t, kinds{}, verbs.Kinds(diff))
}

func TestARenamedResourceIsUpdatedInPlace(t *testing.T) {
	t.Parallel()
	server, web := made(t)
	web.URN = resource.URN(strings.Replace(string(web.URN), "::web", "::website", 1))
	require.NoError(t, web.Read())
	diff, err := web.DiffAfterRead()
	require.NoError(t, err)
	assert.Equal(t, kinds{}, verbs.Kinds(diff), "nothing of the object has changed")
	server.Stop()
	diff, err = web.Diff(program(configMap()))
	require.NoError(t, err)
	assert.Equal(t, kinds{"__fieldManager": "update of the inputs"}, verbs.Kinds(diff))
	require.Len(t, web.Said(), 1)
	assert.Contains(t, web.Said()[0], "INFO ConfigMap shop/web: this resource was renamed, or moved here from another stack.")
}

func TestADiffReadsTheStatesOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	for name, shows := range map[string]kinds{
		"deployment": {}, "secret": {}, "ignored": {},
		"drifted": {"manifest.data.a": "update"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := verbs.NewServer(t)
			server.Stop()
			web, now := verbs.First(t, name, process(server))
			diff, err := web.DiffAfterRead()
			require.NoError(t, err)
			assert.Equal(t, shows, verbs.Kinds(diff))
			diff, err = web.Diff(now)
			require.NoError(t, err)
			assert.Equal(t, shows, verbs.Kinds(diff))
			assert.Empty(t, server.Asked())
		})
	}
}
